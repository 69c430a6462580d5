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
#include <sys/prctl.h>
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

/// The first byte of a child's answer.
char byte_of(Ending ending) {
  return static_cast<char>('0' + static_cast<int>(ending));
}

Outcome opened(const std::string& answer) {
  return {static_cast<Ending>(answer.front() - '0'), answer.substr(1)};
}

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

[[noreturn]] void be_child(int fd, const std::function<std::string()>& task, const sigset_t& mask, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL); // a parent that is killed leaves nobody behind who computes for no one
  if (getppid() != parent)          // it was killed before that
    _exit(static_cast<int>(base::Exit::BUG));
  std::signal(SIGINT, SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  std::string answer;
  try {
    answer = byte_of(Ending::RESULT) + task();
  } catch (const base::UserError& error) {
    answer = byte_of(Ending::USER_ERROR) + std::string(error.what());
  } catch (const NoMemory& error) {
    answer = byte_of(Ending::NO_MEMORY) + std::string(error.what());
  } catch (const base::Infeasible& error) {
    answer = byte_of(Ending::INFEASIBLE) + std::string(error.what());
  } catch (const std::bad_alloc&) {
    answer = byte_of(Ending::NO_MEMORY) + std::string(NO_MEMORY);
  } catch (const std::exception& error) {
    answer = byte_of(Ending::BUG) + std::string(error.what());
  } catch (...) { // nothing may leave: above are the parent's handlers
    answer = byte_of(Ending::BUG) + std::string("a simulation threw something that is no error");
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
  using Ended = std::function<void(std::size_t, Outcome)>;

  /// `mask`: signals that are blocked but while the pool waits.
  Pool(const std::vector<std::function<std::string()>>& tasks, const PoolOptions& options, const sigset_t& mask,
       const Ended& ended)
      : tasks_(tasks), options_(options), mask_(mask), ended_(ended) {}
  ~Pool() {
    for (const auto& child : children_) {
      if (child.fd < 0) // reaped already
        continue;
      kill(child.pid, SIGKILL);
      waitpid(child.pid, nullptr, 0);
      close(child.fd);
    }
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void run() {
    const std::size_t jobs =
        options_.jobs > 0 ? static_cast<std::size_t>(options_.jobs) : std::max(1U, std::thread::hardware_concurrency());
    while (finished_ < tasks_.size()) {
      while (children_.size() < jobs && next_ < tasks_.size())
        start();
      collect();
      if (interrupted != 0 && finished_ < tasks_.size())
        throw Interrupted();
    }
  }

private:
  void start() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0)
      throw base::Bug(std::string("pipe: ") + std::strerror(errno));
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0)
      throw base::Bug(std::string("fork: ") + std::strerror(errno));
    if (pid == 0) {
      close(ends[0]);
      be_child(ends[1], tasks_[next_], mask_, parent);
    }
    close(ends[1]);
    children_.push_back({pid, ends[0], next_, {}});
    ++next_;
  }

  /// Waits for something to happen.
  void collect() {
    std::vector<pollfd> watched;
    for (const auto& child : children_)
      watched.push_back({child.fd, POLLIN, 0});
    constexpr timespec LOOK{0, 250'000'000};
    const int events = ppoll(watched.data(), watched.size(), options_.progress ? &LOOK : nullptr, &mask_);
    if (events == 0)
      options_.progress(finished_, tasks_.size());
    if (events <= 0)
      return; // a signal, or nothing yet: the caller looks
    for (std::size_t i = 0; i < watched.size(); ++i)
      if (watched[i].revents != 0)
        drain(children_[i]);
    std::erase_if(children_, [](const Child& child) { return child.fd < 0; });
  }

  /// Reads what there is; at the end of the answer reaps the child.
  void drain(Child& child) {
    std::array<char, 65536> buffer{};
    const auto count = read(child.fd, buffer.data(), buffer.size());
    if (count > 0)
      child.answer.append(buffer.data(), static_cast<std::size_t>(count));
    if (count != 0)
      return;
    int status = 0;
    waitpid(child.pid, &status, 0);
    close(child.fd);
    child.fd = -1;
    ++finished_;
    ended_(child.task, outcome_of(child, status));
    if (options_.progress)
      options_.progress(finished_, tasks_.size());
  }

  static Outcome outcome_of(const Child& child, int status) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) // as the system does when memory is short
      return {Ending::NO_MEMORY, NO_MEMORY};
    if (WIFSIGNALED(status))
      return {Ending::BUG, std::string("a simulation died: ") + strsignal(WTERMSIG(status))};
    if (child.answer.empty())
      return {Ending::BUG, "a simulation ended without an answer"};
    return opened(child.answer);
  }

  const std::vector<std::function<std::string()>>& tasks_;
  const PoolOptions& options_;
  const sigset_t& mask_;
  const Ended& ended_;
  std::vector<Child> children_;
  std::size_t next_ = 0, finished_ = 0;
};

/// The result, or an exception of the kind that the child met.
std::string result_of(Outcome& outcome) {
  switch (outcome.ending) {
  case Ending::RESULT:
    return std::move(outcome.text);
  case Ending::USER_ERROR:
    throw base::UserError(outcome.text);
  case Ending::INFEASIBLE:
    throw base::Infeasible(outcome.text);
  case Ending::NO_MEMORY:
    throw NoMemory(outcome.text);
  case Ending::BUG:
    break;
  }
  throw base::Bug(outcome.text);
}

} // namespace

void run_forked_each(const std::vector<std::function<std::string()>>& tasks, const PoolOptions& options,
                     const std::function<void(std::size_t, Outcome)>& ended) {
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
    Pool(tasks, options, before, ended).run();
    restore(); // an interrupt after the last answer has nothing left to stop
  } catch (...) {
    restore();
    throw;
  }
}

std::vector<std::string> run_forked(const std::vector<std::function<std::string()>>& tasks,
                                    const PoolOptions& options) {
  std::vector<Outcome> outcomes(tasks.size(), {Ending::BUG, ""});
  try {
    run_forked_each(tasks, options, [&](std::size_t task, Outcome outcome) { outcomes[task] = std::move(outcome); });
  } catch (const Interrupted&) {
    std::vector<std::string> answers;
    for (auto& outcome : outcomes)
      answers.push_back(outcome.ending == Ending::RESULT ? std::move(outcome.text) : std::string());
    throw Interrupted(std::move(answers));
  }
  std::vector<std::string> results;
  for (auto& outcome : outcomes)
    results.push_back(result_of(outcome));
  return results;
}

} // namespace tandem::study
