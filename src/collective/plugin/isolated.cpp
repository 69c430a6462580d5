// fork, a pipe, a deadline, and an answer that is marked, counted and digested.
#include "collective/plugin/isolated.h"

#include "base/digest.h"
#include "base/error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tandem::collective {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view MARK = "tandem-answer ";
constexpr std::size_t DIGEST_DIGITS = 16, LENGTH_DIGITS = 16, HEAD = MARK.size() + LENGTH_DIGITS + DIGEST_DIGITS;
constexpr std::size_t MOST_BYTES = std::size_t{1} << 30;
constexpr char RESULT = 'R', USER_ERROR = 'U';
/// By which the child tells of trouble that leaves it no answer.
constexpr int NO_ANSWER = 119;

/// An answer with its head: mark, length, digest.
std::string framed(const std::string& body) {
  return fmt::format("{}{:016x}{}{}", MARK, body.size(), base::digest(body), body);
}

/// What the frame holds; none: it is not complete, and may become so. Throws UserError when it cannot.
std::optional<std::string> unframed(const std::string& bytes) {
  if (!MARK.starts_with(bytes.substr(0, MARK.size())))
    throw base::UserError("it answered with something that is no plan");
  if (bytes.size() < HEAD)
    return std::nullopt;
  const auto length = std::strtoull(bytes.substr(MARK.size(), LENGTH_DIGITS).c_str(), nullptr, 16);
  if (length > MOST_BYTES)
    throw base::UserError(fmt::format("its answer has {} bytes; allowed: up to 1 GiB", length));
  if (bytes.size() < HEAD + length)
    return std::nullopt;
  auto body = bytes.substr(HEAD);
  if (body.size() != length || base::digest(body) != bytes.substr(MARK.size() + LENGTH_DIGITS, DIGEST_DIGITS))
    throw base::UserError("it answered with something that is no plan");
  return body;
}

void write_all(int fd, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const auto count = write(fd, text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR)
      _exit(NO_ANSWER);
    if (count > 0)
      written += static_cast<std::size_t>(count);
  }
}

/// Signals do what they do to any program, crashes leave no core, stdout is the parent's alone, and of all that the
/// parent has open only `answers` is left.
void settle_child(pid_t parent, int answers) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(NO_ANSWER);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGINT, SIGPIPE})
    std::signal(signal, SIG_DFL);
  sigset_t none{};
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  if (const int null = open("/dev/null", O_RDONLY | O_CLOEXEC); null >= 0)
    dup2(null, STDIN_FILENO);
  constexpr unsigned FIRST = STDERR_FILENO + 1, LAST = ~0U;
  const auto own = static_cast<unsigned>(answers);
  if (own > FIRST)
    close_range(FIRST, own - 1, 0);
  close_range(own + 1, LAST, 0);
}

[[noreturn]] void be_child(int fd, const std::function<std::string()>& task, pid_t parent) {
  settle_child(parent, fd);
  std::string answer;
  try {
    answer = RESULT + task();
  } catch (const std::exception& error) {
    answer = USER_ERROR + std::string(error.what());
  } catch (...) {
    answer = USER_ERROR + std::string("it threw an exception");
  }
  write_all(fd, framed(answer));
  _exit(0); // without destructors: what a plugin left behind is not to be woken
}

struct TooLate {};

class Child {
public:
  explicit Child(const std::function<std::string()>& task) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      throw base::Bug(std::string("pipe: ") + std::strerror(errno));
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) {
      close(ends[0]);
      close(ends[1]);
      throw base::Bug(std::string("fork: ") + std::strerror(errno));
    }
    if (pid_ == 0) {
      close(ends[0]);
      be_child(ends[1], task, parent);
    }
    close(ends[1]);
    fd_ = ends[0];
  }
  ~Child() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    close(fd_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits for the next bytes; false when there will be none.
  bool append(std::string& bytes, Clock::time_point until) const {
    pollfd watched{fd_, POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    const int ready = left > 0 ? poll(&watched, 1, static_cast<int>(std::min<long long>(left, 1 << 30))) : 0;
    if (ready == 0 && left <= 0)
      throw TooLate();
    if (ready <= 0)
      return true; // a signal, or the rest of a long wait
    std::array<char, 65536> buffer{};
    const auto count = read(fd_, buffer.data(), buffer.size());
    if (count > 0)
      bytes.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && errno == EINTR);
  }
  /// How a child that will say no more ended. One that only closed its pipe has until then.
  int outcome(Clock::time_point until) {
    int status = 0;
    while (waitpid(pid_, &status, WNOHANG) == 0) {
      if (Clock::now() >= until)
        throw TooLate();
      usleep(1000);
    }
    pid_ = 0;
    return status;
  }

private:
  pid_t pid_ = 0;
  int fd_ = -1;
};

std::string open_answer(const std::string& body) {
  if (body.empty() || (body.front() != RESULT && body.front() != USER_ERROR))
    throw base::UserError("it answered with something that is no plan");
  if (body.front() == USER_ERROR)
    throw base::UserError(body.substr(1));
  return body.substr(1);
}

} // namespace

std::string run_isolated(const std::function<std::string()>& task, base::Seconds limit) try {
  const auto until =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit.value()));
  Child child(task);
  std::string bytes;
  do {
    if (const auto body = unframed(bytes))
      return open_answer(*body);
  } while (child.append(bytes, until));
  const int status = child.outcome(until);
  if (WIFSIGNALED(status))
    throw base::UserError(fmt::format("it crashed: {} (signal {})", strsignal(WTERMSIG(status)), WTERMSIG(status)));
  if (!bytes.empty())
    throw base::UserError("its answer breaks off");
  throw base::UserError(fmt::format("it ended the process without an answer (exit code {})", WEXITSTATUS(status)));
} catch (const TooLate&) {
  throw base::UserError(fmt::format("it did not answer within {:g} s (time_limit)", limit.value()));
}

} // namespace tandem::collective
