// Predicted iteration times beside measured ones.
#pragma once

#include "model/kernel_fit.h"

#include <string>
#include <vector>

namespace tandem::model {

/// A published measurement of a training iteration, and the flags of `tandem train` that describe what ran.
struct MeasuredIteration {
  std::string name;
  std::string group;              ///< rows that are compared with each other (Criterion::SCALING, ORDER)
  std::vector<std::string> flags; ///< "--tp=8"
  double measured_s = 0.0;        ///< 0: not published, which only a row that is not modelled may be
  double work = 1.0;              ///< that the times of rows of unequal work are divided by before they are ordered
  std::string not_modelled;       ///< why it is not simulated; empty: it is
  std::string source;
  int line = 0; ///< of the table
};

/// What of the predictions is held against the measurements.
enum class Criterion {
  TIMES,   ///< each time
  SCALING, ///< each time over that of the first row of its group
  ORDER,   ///< within a group, which of two rows does more work per time
};

struct ValidationSet {
  std::string name; ///< of its file
  std::string title, source, note;
  std::string file, table; ///< paths
  Criterion criterion = Criterion::TIMES;
  double most_mape = 0.0;  ///< tolerance on the mean of |error|; 0: none
  double most_error = 0.0; ///< on each row; 0: none
  double tie = 0.0;        ///< ORDER: pairs whose measurements differ by at most this share are not compared
  std::vector<MeasuredIteration> rows;
};

struct ValidationRow {
  MeasuredIteration measured;
  double predicted_s = 0.0; ///< 0: not modelled
  double error = 0.0;       ///< of its time, or of its time over the first one's; 0 for a first row
  bool is_compared = true;  ///< false: not modelled, or the first row of its group, which others are held against
};

/// Two rows of a group whose order is held against the measured one.
struct OrderedPair {
  std::size_t faster = 0, slower = 0; ///< by measurement; indices of rows
  bool is_kept = false;               ///< the prediction has the same order
};

struct ValidationResult {
  ValidationSet set; ///< its rows are below
  std::vector<ValidationRow> rows;
  [[nodiscard]] FitErrors errors() const;
  [[nodiscard]] int not_modelled() const;
  /// All pairs of rows in one group that are not ties. Criterion::ORDER only.
  [[nodiscard]] std::vector<OrderedPair> pairs() const;
  [[nodiscard]] bool is_within_tolerance() const;
};

/// The set's rows with their predictions, by row; those that are not modelled have 0.
ValidationResult compared(ValidationSet set, const std::vector<double>& predicted_s);

} // namespace tandem::model
