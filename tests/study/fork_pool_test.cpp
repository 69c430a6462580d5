// The pool of forked children: order, kinds of failure, death and interruption.
#include "study/fork_pool.h"

#include "base/error.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <new>
#include <sys/wait.h>
#include <unistd.h>

namespace tandem::study {
namespace {

using Task = std::function<std::string()>;

TEST(ForkPool, KeepsTheOrderOfTheTasks) {
  for (const int jobs : {1, 2, 7}) {
    std::vector<Task> tasks;
    std::vector<std::string> expected;
    for (int i = 0; i < 12; ++i) {
      tasks.emplace_back([i] {
        usleep(static_cast<useconds_t>(i % 3 == 0 ? 20000 : 0)); // later tasks overtake
        return fmt::format("task {}", i);
      });
      expected.push_back(fmt::format("task {}", i));
    }
    EXPECT_EQ(run_forked(tasks, {.jobs = jobs, .progress = {}}), expected);
  }
}

TEST(ForkPool, OfNoTasksReturnsNothing) {
  EXPECT_THAT(run_forked({}), testing::IsEmpty());
}

TEST(ForkPool, RunsEachTaskInAProcessOfItsOwn) {
  int counter = 0;
  const Task count = [&counter] { return fmt::format("{} {}", ++counter, getpid()); };
  const auto answers = run_forked({count, count});
  EXPECT_EQ(counter, 0);
  EXPECT_EQ(answers[0].substr(0, 2), "1 ");
  EXPECT_EQ(answers[1].substr(0, 2), "1 ");
  EXPECT_NE(answers[0], answers[1]);
}

TEST(ForkPool, CarriesAnyBytesAndMuchOfThem) {
  std::string every;
  for (int i = 0; i < 256; ++i)
    every += static_cast<char>(i);
  const std::string large(5000000, 'x'); // many times what a pipe holds
  EXPECT_THAT(run_forked({[] { return std::string(); }, [&] { return every; }, [&] { return large; }}),
              testing::ElementsAre("", every, large));
}

TEST(ForkPool, CountsProgress) {
  std::vector<std::string> seen;
  const Task task = [] { return std::string("x"); };
  (void)run_forked({task, task, task}, {.jobs = 2, .progress = [&](std::size_t done, std::size_t all) {
                                          seen.push_back(fmt::format("{}/{}", done, all));
                                        }});
  EXPECT_THAT(seen, testing::ElementsAre("1/3", "2/3", "3/3"));
}

template <class Error> std::string message_of(const std::vector<Task>& tasks) {
  try {
    (void)run_forked(tasks);
  } catch (const Error& error) {
    return error.what();
  }
  return "no such error";
}

TEST(ForkPool, ErrorsKeepTheirKindAndMessage) {
  const Task fine = [] { return std::string("fine"); };
  EXPECT_EQ(message_of<base::UserError>({fine,
                                         []() -> std::string {
                                           throw base::UserError({"a.yaml", 3, 7}, "what was found");
                                         }}),
            "a.yaml:3:7: what was found");
  EXPECT_EQ(message_of<base::Infeasible>({[]() -> std::string { throw base::Infeasible("no room"); }, fine}),
            "no room");
  EXPECT_EQ(message_of<base::Bug>({[]() -> std::string { throw base::Bug("broken"); }}), "broken");
  // whatever else is thrown is a bug
  EXPECT_EQ(message_of<base::Bug>({[]() -> std::string { throw std::out_of_range("too far"); }}), "too far");
  EXPECT_EQ(message_of<base::Bug>({[]() -> std::string { throw 42; }}),
            "a simulation threw something that is no error");
}

/// The first task in order that failed speaks, though another failed earlier in time.
TEST(ForkPool, TheFirstTaskInOrderSpeaks) {
  EXPECT_EQ(message_of<base::Infeasible>({[]() -> std::string {
                                            usleep(30000);
                                            throw base::Infeasible("slow");
                                          },
                                          []() -> std::string { throw base::UserError("quick"); }}),
            "slow");
}

/// The system kills what needs more memory than there is.
TEST(ForkPool, MemoryThatIsShortIsInfeasible) {
  const auto starves = [](const Task& task) { return message_of<base::Infeasible>({task}); };
  EXPECT_THAT(starves([]() -> std::string { throw std::bad_alloc(); }), testing::HasSubstr("not enough memory"));
  EXPECT_THAT(starves([]() -> std::string {
                raise(SIGKILL);
                return "survived";
              }),
              testing::HasSubstr("not enough memory"));
}

TEST(ForkPool, AChildThatDiesIsABug) {
  const auto dies_of = [](int signal) {
    return message_of<base::Bug>({[signal]() -> std::string {
      std::signal(signal, SIG_DFL);
      raise(signal);
      return "survived";
    }});
  };
  EXPECT_THAT(dies_of(SIGABRT), testing::HasSubstr("a simulation died: Aborted"));
  EXPECT_THAT(dies_of(SIGTERM), testing::HasSubstr("a simulation died: Terminated"));
  EXPECT_EQ(message_of<base::Bug>({[]() -> std::string { _exit(0); }}), "a simulation ended without an answer");
  EXPECT_EQ(message_of<base::Bug>({[]() -> std::string { _exit(3); }}), "a simulation ended without an answer");
}

/// Exit status of a process that runs `body`.
int status_of(const std::function<int()>& body) {
  const pid_t pid = fork();
  if (pid == 0)
    _exit(body());
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

/// SIGINT ends the children and is thrown; afterwards the process handles it as before.
TEST(ForkPool, AnInterruptEndsTheChildren) {
  const int status = status_of([] {
    std::signal(SIGINT, SIG_IGN);
    const pid_t parent = getpid();
    const Task interrupts = [parent] {
      kill(parent, SIGINT);
      return std::string("done");
    };
    const Task sleeps = [] {
      sleep(60);
      return std::string("woke up");
    };
    try {
      (void)run_forked({interrupts, sleeps, sleeps}, {.jobs = 3, .progress = {}});
    } catch (const Interrupted&) {
      if (waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD)
        return 1;    // a child is left
      raise(SIGINT); // ignored again
      return 0;
    }
    return 2;
  });
  EXPECT_EQ(status, 0);
}

/// An interrupt that came before does not stop a later run.
TEST(ForkPool, RunsAgainAfterAnInterrupt) {
  const int status = status_of([] {
    const pid_t parent = getpid();
    const Task interrupts = [parent] {
      kill(parent, SIGINT);
      sleep(60);
      return std::string();
    };
    try {
      (void)run_forked({interrupts});
      return 2;
    } catch (const Interrupted&) {
      const Task fine = [] { return std::string("fine"); };
      return run_forked({fine}).front() == "fine" ? 0 : 1;
    }
  });
  EXPECT_EQ(status, 0);
}

} // namespace
} // namespace tandem::study
