// Each row is a command line of `tandem train`, run in a process of its own.
#include "app/validate_sets.h"

#include "app/shipped_files.h"
#include "app/train_run.h"
#include "app/usage_error.h"
#include "base/error.h"
#include "study/fork_pool.h"
#include "workload/validation_set.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <stdexcept>

namespace tandem::app {

namespace fs = std::filesystem;

namespace {

using base::Location;
using base::UserError;

constexpr const char* FOLDER = "workloads/validation";

TrainFlags flags_of(const model::MeasuredIteration& row, const Location& where) {
  TrainFlags flags;
  CLI::App command;
  command.name("tandem train");
  flags.add_to(command);
  try {
    command.parse(std::vector<std::string>(row.flags.rbegin(), row.flags.rend())); // CLI11 takes the last one first
  } catch (const CLI::ParseError& error) {
    throw UserError(where, usage_error(command, error));
  }
  flags.apply_plan(command);
  flags.jobs = 1;
  return flags;
}

/// Seconds with all their digits.
std::string predict(const model::MeasuredIteration& row, const Location& where) {
  try {
    return fmt::format("{}", train_run(flags_of(row, where)).cases.front().iteration_s);
  } catch (const UserError& error) {
    throw UserError(where, error.what());
  } catch (const base::Infeasible& error) {
    throw base::Infeasible(fmt::format("{}: {}", where.text(), error.what()));
  }
}

} // namespace

std::vector<std::string> validation_files(const std::vector<std::string>& names) {
  const auto folder = shipped_folder(FOLDER);
  auto shipped = folder.empty() ? std::vector<std::string>() : files_in(folder, ".yaml", false);
  if (names.empty()) {
    if (shipped.empty())
      throw UserError(
          fmt::format("no sets are installed; name a file (looked in {})", fmt::join(shipped_places(FOLDER), ", ")));
    return shipped;
  }
  std::vector<std::string> files, known;
  for (const auto& file : shipped)
    known.push_back(fs::path(file).stem().string());
  std::error_code error;
  for (const auto& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (fs::is_regular_file(name, error))
      files.push_back(name);
    else if (found != known.end())
      files.push_back(shipped[static_cast<std::size_t>(found - known.begin())]);
    else
      throw UserError(base::unknown_word("set (a file, or a name)", name, known));
  }
  return files;
}

std::vector<model::ValidationResult> validate_sets(const std::vector<std::string>& files, int jobs,
                                                   const std::function<void(std::size_t, std::size_t)>& progress) {
  std::vector<model::ValidationSet> sets;
  for (const auto& file : files)
    sets.push_back(workload::read_validation_set(file));
  std::vector<std::function<std::string()>> tasks;
  std::map<std::vector<std::string>, std::size_t> task_of;
  for (const auto& set : sets)
    for (const auto& row : set.rows) {
      if (!row.not_modelled.empty())
        continue;
      const Location where{set.table, row.line};
      (void)flags_of(row, where);                              // wrong ones are told of before anything runs
      if (task_of.try_emplace(row.flags, tasks.size()).second) // rows may measure one run several times
        tasks.emplace_back([&row, where] { return predict(row, where); });
    }
  const auto answers = study::run_forked(tasks, {jobs, progress});
  std::vector<model::ValidationResult> results;
  for (auto& set : sets) {
    std::vector<double> predicted;
    for (const auto& row : set.rows)
      predicted.push_back(row.not_modelled.empty() ? std::stod(answers[task_of.at(row.flags)]) : 0.0);
    results.push_back(model::compared(std::move(set), predicted));
  }
  return results;
}

} // namespace tandem::app
