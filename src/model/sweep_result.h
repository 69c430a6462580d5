// What a study found: for each of its points the inputs, how it ended, and the rows of its result.
#pragma once

#include <string>
#include <vector>

namespace tandem::model {

enum class PointStatus {
  OK,
  INFEASIBLE, ///< by the study's own conditions, or the program has no answer; `reason` says why
  FAILED,     ///< a bug, or memory was short: runs again next time
  PENDING     ///< not run
};

std::string to_string(PointStatus status);

struct SweepPoint {
  int point = 0;                   ///< from 1, in the order of the study
  std::vector<std::string> inputs; ///< by SweepResult::input_columns; empty text: absent
  PointStatus status = PointStatus::PENDING;
  std::string reason;                         ///< of a point that is not OK
  std::string command;                        ///< what a user types to have it alone; empty where there is none
  std::string digest;                         ///< of all that the result depends on
  std::vector<std::vector<std::string>> rows; ///< of an OK point, by SweepResult::metric_columns
  std::string document;                       ///< of an OK point: the command's own JSON
};

struct SweepResult {
  std::string title, file, command, version;
  std::vector<std::string> input_columns, metric_columns;
  std::vector<std::string> varying; ///< input columns that are axes or derived
  std::vector<SweepPoint> points;
};

} // namespace tandem::model
