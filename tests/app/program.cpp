// fork, exec, and a watch on the time.
#include "app/program.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <grp.h>
#include <pty.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tandem::app {

namespace {

constexpr int CANNOT_EXEC = 126;

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Sanitizers slow the program down; the sanitized gate sets this variable.
double time_limit() {
  return std::getenv("TANDEM_CONTEXT_FACTORY") != nullptr ? 10.0 * TIME_LIMIT_S : TIME_LIMIT_S;
}

void put(int to, const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0 || dup2(fd, to) < 0)
    _exit(CANNOT_EXEC);
}

[[noreturn]] void become_program(const Call& call, const std::string& out, const std::string& err, int terminal) {
  setpgid(0, 0);
  put(STDOUT_FILENO, out);
  if (terminal >= 0)
    dup2(terminal, STDERR_FILENO);
  else
    put(STDERR_FILENO, err);
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, STDIN_FILENO);
  setenv("TANDEM_DEVICES", repository("platforms/devices").c_str(), 1);
  for (const auto& [name, value] : call.environment) {
    if (value)
      setenv(name.c_str(), value->c_str(), 1);
    else
      unsetenv(name.c_str());
  }
  if (chdir(call.folder.c_str()) != 0)
    _exit(CANNOT_EXEC);
  if (call.user && (setgroups(0, nullptr) != 0 || setgid(*call.user) != 0 || setuid(*call.user) != 0))
    _exit(CANNOT_EXEC);
  std::vector<std::string> words = {TANDEM_BINARY};
  words.insert(words.end(), call.arguments.begin(), call.arguments.end());
  std::vector<char*> argv;
  for (auto& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(TANDEM_BINARY, argv.data());
  _exit(CANNOT_EXEC);
}

/// What the program wrote to its terminal so far.
void drain(int terminal, std::string& text) {
  std::array<char, 4096> buffer{};
  for (ssize_t count = 0; (count = read(terminal, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(count));
}

/// Whether the process has a handler for SIGINT: one that comes before it ends the process as it would end any other.
bool handles_interrupts(pid_t pid) {
  std::istringstream status(text_of("/proc/" + std::to_string(pid) + "/status"));
  for (std::string line; std::getline(status, line);)
    if (line.rfind("SigCgt:", 0) == 0)
      return (std::stoull(line.substr(7), nullptr, 16) >> (SIGINT - 1) & 1U) != 0;
  return false;
}

} // namespace

Outcome run(const Call& call) {
  const Folder caught;
  const auto out = call.output.empty() ? (caught.path() / "out").string() : call.output;
  const auto err = (caught.path() / "err").string();
  int master = -1, slave = -1;
  if (call.terminal) {
    if (openpty(&master, &slave, nullptr, nullptr, nullptr) != 0)
      throw std::runtime_error("openpty");
    fcntl(master, F_SETFL, O_NONBLOCK);
  }
  const auto begin = Clock::now();
  const pid_t pid = fork();
  if (pid == 0)
    become_program(call, out, err, slave);
  Outcome outcome;
  std::optional<Clock::time_point> interruptible;
  bool interrupted = false;
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (master >= 0)
      drain(master, outcome.err);
    if (call.interrupt_after_ms >= 0 && !interruptible && handles_interrupts(pid))
      interruptible = Clock::now();
    if (!interrupted && interruptible && since(*interruptible) * 1000.0 >= call.interrupt_after_ms) {
      kill(call.interrupt_group ? -pid : pid, SIGINT);
      interrupted = true;
    }
    if (since(begin) > time_limit()) {
      outcome.too_long = true;
      kill(-pid, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  outcome.seconds = since(begin);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (call.output.empty())
    outcome.out = text_of(out);
  if (call.terminal) {
    close(slave);
    drain(master, outcome.err);
    close(master);
  } else {
    outcome.err = text_of(err);
  }
  return outcome;
}

std::string repository(const std::string& name) {
  return std::string(TANDEM_SOURCE_DIR) + "/" + name;
}

} // namespace tandem::app
