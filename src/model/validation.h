// Predicted iteration times beside measured ones.
#pragma once

#include "model/kernel_fit.h"

#include <string>
#include <vector>

namespace tandem::model {

/// A published measurement of a training iteration, and the flags of `tandem train` that describe what ran.
struct MeasuredIteration {
  std::string name;
  std::vector<std::string> flags; ///< "--tp=8"
  double measured_s = 0.0;
  std::string source;
  int line = 0; ///< of the table
};

struct ValidationSet {
  std::string name; ///< of its file
  std::string title, source, note;
  std::string file, table; ///< paths
  double most_mape = 0.0;  ///< tolerance on the mean of |error|
  double most_error = 0.0; ///< on each row
  std::vector<MeasuredIteration> rows;
};

struct ValidationRow {
  MeasuredIteration measured;
  double predicted_s = 0.0;
  [[nodiscard]] double error() const { return predicted_s / measured.measured_s - 1.0; }
};

struct ValidationResult {
  ValidationSet set; ///< its rows are below
  std::vector<ValidationRow> rows;
  [[nodiscard]] FitErrors errors() const;
  [[nodiscard]] bool is_within_tolerance() const;
};

} // namespace tandem::model
