// Runs tasks in forked processes, several at a time: SimGrid allows one simulation per process.
#pragma once

#include "base/error.h"

#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tandem::study {

struct PoolOptions {
  int jobs = 0; ///< processes at a time; 0: one per core
  std::function<void(std::size_t done, std::size_t all)>
      progress; ///< called in the parent when a task has ended, and four times a second; may be empty
};

/// Calls each task in a child and returns what it returned, in the order of the tasks. The parent has no threads.
///
/// An exception in a child is thrown here again with its kind (UserError, Infeasible, else Bug) and message, for the
/// first task in order that failed. A child that dies by a signal is a Bug. On SIGINT the children are ended and
/// Interrupted is thrown with what had been answered.
std::vector<std::string> run_forked(const std::vector<std::function<std::string()>>& tasks,
                                    const PoolOptions& options = {});

/// How a task ended.
enum class Ending {
  RESULT,
  USER_ERROR,
  INFEASIBLE,
  NO_MEMORY, ///< std::bad_alloc, or killed, as the system does when memory is short: another time it may end well
  BUG
};
struct Outcome {
  Ending ending = Ending::RESULT;
  std::string text; ///< what the task returned, or the message of what it threw
};

/// As run_forked(), but hands over each outcome as soon as it is there, in the order in which tasks end, and goes on
/// after those that fail. What `ended` throws ends the children and leaves. Throws Interrupted on SIGINT, without
/// answers: `ended` has had them.
void run_forked_each(const std::vector<std::function<std::string()>>& tasks, const PoolOptions& options,
                     const std::function<void(std::size_t task, Outcome outcome)>& ended);

/// Memory was short for a task: infeasible here and now, not by its input.
class NoMemory : public base::Infeasible {
public:
  using base::Infeasible::Infeasible;
};

/// SIGINT came while tasks ran.
class Interrupted : public std::exception {
public:
  explicit Interrupted(std::vector<std::string> answers = {}) : answers_(std::move(answers)) {}
  /// In the order of the tasks; empty for a task that had not ended or had failed.
  [[nodiscard]] const std::vector<std::string>& answers() const { return answers_; }
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }

private:
  std::vector<std::string> answers_;
};

} // namespace tandem::study
