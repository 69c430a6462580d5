// Means of relative errors.
#include "model/validation.h"

#include <cmath>

namespace tandem::model {

FitErrors ValidationResult::errors() const {
  std::vector<double> list;
  for (const auto& row : rows)
    list.push_back(row.error());
  return errors_of(list);
}

bool ValidationResult::is_within_tolerance() const {
  const auto sum = errors();
  return sum.mape <= set.most_mape && std::abs(sum.worst) <= set.most_error;
}

} // namespace tandem::model
