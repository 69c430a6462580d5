// Errors of times, of ratios to the first row of a group, and the order of rows within one.
#include "model/validation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace tandem::model {

namespace {

/// Work per second.
double rate(const MeasuredIteration& row, double seconds) {
  return row.work / seconds;
}

} // namespace

ValidationResult compared(ValidationSet set, const std::vector<double>& predicted_s) {
  ValidationResult result;
  std::map<std::string, std::size_t> first_of; // group -> its first row that is modelled
  for (std::size_t i = 0; i < set.rows.size(); ++i) {
    ValidationRow row{set.rows[i], predicted_s.at(i), 0.0, false};
    if (row.measured.not_modelled.empty()) {
      row.is_compared = true;
      row.error = row.predicted_s / row.measured.measured_s - 1.0;
      if (set.criterion == Criterion::SCALING) {
        const auto [first, is_first] = first_of.try_emplace(row.measured.group, i);
        const auto& base = is_first ? row : result.rows[first->second];
        row.is_compared = !is_first;
        row.error = row.predicted_s / base.predicted_s / (row.measured.measured_s / base.measured.measured_s) - 1.0;
      }
    }
    result.rows.push_back(std::move(row));
  }
  result.set = std::move(set);
  return result;
}

FitErrors ValidationResult::errors() const {
  std::vector<double> list;
  for (const auto& row : rows)
    if (row.is_compared)
      list.push_back(row.error);
  return errors_of(list);
}

int ValidationResult::not_modelled() const {
  return static_cast<int>(
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return !row.measured.not_modelled.empty(); }));
}

std::vector<OrderedPair> ValidationResult::pairs() const {
  std::vector<OrderedPair> list;
  for (std::size_t a = 0; a < rows.size(); ++a)
    for (std::size_t b = a + 1; b < rows.size(); ++b) {
      if (!rows[a].is_compared || !rows[b].is_compared || rows[a].measured.group != rows[b].measured.group)
        continue;
      const double first = rate(rows[a].measured, rows[a].measured.measured_s);
      const double second = rate(rows[b].measured, rows[b].measured.measured_s);
      if (std::abs(first - second) <= set.tie * std::max(first, second))
        continue;
      OrderedPair pair{first > second ? a : b, first > second ? b : a, false};
      pair.is_kept = rate(rows[pair.faster].measured, rows[pair.faster].predicted_s) >
                     rate(rows[pair.slower].measured, rows[pair.slower].predicted_s);
      list.push_back(pair);
    }
  return list;
}

bool ValidationResult::is_within_tolerance() const {
  if (set.criterion == Criterion::ORDER) {
    const auto all = pairs();
    return std::all_of(all.begin(), all.end(), [](const auto& pair) { return pair.is_kept; });
  }
  const auto sum = errors();
  return (set.most_mape <= 0.0 || sum.mape <= set.most_mape) &&
         (set.most_error <= 0.0 || std::abs(sum.worst) <= set.most_error);
}

} // namespace tandem::model
