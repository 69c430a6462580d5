// fork, pipe, poll: a pool of one-shot children.
#include "study/fork_pool.h"

#include "base/error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <poll.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tandem::study {

namespace {

volatile std::sig_atomic_t interrupted = 0; // NOLINT: a signal handler can reach nothing else

void on_interrupt(int) {
  interrupted = 1;
}

constexpr const char* NO_MEMORY = "not enough memory for a simulation, or it was killed from outside; fewer at a time "
                                  "(--jobs 1), larger blocks or fewer GPUs need less";

/// What the first byte of a child's answer says.
enum class Answer : char { RESULT = 'R', USER_ERROR = 'U', INFEASIBLE = 'I', BUG = 'B' };

void write_all(int fd, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const auto count = write(fd, text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR)
      _exit(static_cast<int>(base::Exit::BUG));
    if (count > 0)
      written += static_cast<std::size_t>(count);
  }
}

[[noreturn]] void be_child(int fd, const std::function<std::string()>& task, const sigset_t& mask) {
  std::signal(SIGINT, SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  std::string answer;
  try {
    answer = static_cast<char>(Answer::RESULT) + task();
  } catch (const base::UserError& error) {
    answer = static_cast<char>(Answer::USER_ERROR) + std::string(error.what());
  } catch (const base::Infeasible& error) {
    answer = static_cast<char>(Answer::INFEASIBLE) + std::string(error.what());
  } catch (const std::bad_alloc&) {
    answer = static_cast<char>(Answer::INFEASIBLE) + std::string(NO_MEMORY);
  } catch (const std::exception& error) {
    answer = static_cast<char>(Answer::BUG) + std::string(error.what());
  } catch (...) { // nothing may leave: above are the parent's handlers
    answer = static_cast<char>(Answer::BUG) + std::string("a simulation threw something that is no error");
  }
  write_all(fd, answer);
  _exit(0); // without destructors: SimGrid's actors and the parent's buffers are not the child's to end
}

struct Child {
  pid_t pid = 0;
  int fd = -1;
  std::size_t task = 0;
  std::string answer;
};

class Pool {
public:
  /// `mask`: signals that are blocked but while the pool waits.
  Pool(const std::vector<std::function<std::string()>>& tasks, const PoolOptions& options, const sigset_t& mask)
      : tasks_(tasks), options_(options), mask_(mask), answers_(tasks.size()) {}
  ~Pool() {
    for (const auto& child : children_) {
      kill(child.pid, SIGKILL);
      waitpid(child.pid, nullptr, 0);
      close(child.fd);
    }
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  std::vector<std::string> run() {
    const std::size_t jobs =
        options_.jobs > 0 ? static_cast<std::size_t>(options_.jobs) : std::max(1U, std::thread::hardware_concurrency());
    std::size_t done = 0;
    while (done < tasks_.size()) {
      while (children_.size() < jobs && next_ < tasks_.size())
        start();
      done += collect();
      if (interrupted != 0 && done < tasks_.size())
        throw Interrupted(answered());
    }
    std::vector<std::string> results;
    for (auto& answer : answers_)
      results.push_back(open_answer(answer));
    return results;
  }

private:
  [[nodiscard]] std::vector<std::string> answered() const {
    std::vector<std::string> results;
    for (const auto& answer : answers_) {
      const bool done = !answer.empty() && static_cast<Answer>(answer.front()) == Answer::RESULT;
      results.push_back(done ? answer.substr(1) : std::string());
    }
    return results;
  }

  void start() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0)
      throw base::Bug(std::string("pipe: ") + std::strerror(errno));
    const pid_t pid = fork();
    if (pid < 0)
      throw base::Bug(std::string("fork: ") + std::strerror(errno));
    if (pid == 0) {
      close(ends[0]);
      be_child(ends[1], tasks_[next_], mask_);
    }
    close(ends[1]);
    children_.push_back({pid, ends[0], next_, {}});
    ++next_;
  }

  /// Waits for something to happen; returns how many tasks ended.
  std::size_t collect() {
    std::vector<pollfd> watched;
    for (const auto& child : children_)
      watched.push_back({child.fd, POLLIN, 0});
    if (ppoll(watched.data(), watched.size(), nullptr, &mask_) < 0)
      return 0; // a signal: the caller looks
    std::size_t ended = 0;
    for (std::size_t i = 0; i < watched.size(); ++i)
      if (watched[i].revents != 0 && drain(children_[i]))
        ++ended;
    std::erase_if(children_, [](const Child& child) { return child.fd < 0; });
    return ended;
  }

  /// Reads what there is; at the end of the answer reaps the child and returns true.
  bool drain(Child& child) {
    std::array<char, 65536> buffer{};
    const auto count = read(child.fd, buffer.data(), buffer.size());
    if (count > 0) {
      child.answer.append(buffer.data(), static_cast<std::size_t>(count));
      return false;
    }
    if (count < 0)
      return false;
    int status = 0;
    waitpid(child.pid, &status, 0);
    close(child.fd);
    child.fd = -1;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) // as the system does when memory is short
      child.answer = static_cast<char>(Answer::INFEASIBLE) + std::string(NO_MEMORY);
    else if (WIFSIGNALED(status))
      child.answer = static_cast<char>(Answer::BUG) + std::string("a simulation died: ") + strsignal(WTERMSIG(status));
    else if (child.answer.empty())
      child.answer = static_cast<char>(Answer::BUG) + std::string("a simulation ended without an answer");
    answers_[child.task] = std::move(child.answer);
    if (options_.progress)
      options_.progress(++finished_, tasks_.size());
    return true;
  }

  static std::string open_answer(const std::string& answer) {
    auto text = answer.substr(1);
    switch (static_cast<Answer>(answer.front())) {
    case Answer::RESULT:
      return text;
    case Answer::USER_ERROR:
      throw base::UserError(text);
    case Answer::INFEASIBLE:
      throw base::Infeasible(text);
    case Answer::BUG:
      break;
    }
    throw base::Bug(text);
  }

  const std::vector<std::function<std::string()>>& tasks_;
  const PoolOptions& options_;
  const sigset_t& mask_;
  std::vector<std::string> answers_;
  std::vector<Child> children_;
  std::size_t next_ = 0, finished_ = 0;
};

} // namespace

std::vector<std::string> run_forked(const std::vector<std::function<std::string()>>& tasks,
                                    const PoolOptions& options) {
  interrupted = 0;
  struct sigaction ours {};
  struct sigaction theirs {};
  ours.sa_handler = on_interrupt;
  sigaction(SIGINT, &ours, &theirs);
  // Blocked but while waiting: a signal between the look at `interrupted` and the wait would be seen too late.
  sigset_t block{}, before{};
  sigemptyset(&block);
  sigaddset(&block, SIGINT);
  sigprocmask(SIG_BLOCK, &block, &before);
  const auto restore = [&] {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    sigaction(SIGINT, &theirs, nullptr);
  };
  try {
    auto results = Pool(tasks, options, before).run();
    restore(); // an interrupt after the last answer has nothing left to stop
    return results;
  } catch (...) {
    restore();
    throw;
  }
}

} // namespace tandem::study
