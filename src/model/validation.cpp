// Means of relative errors.
#include "model/validation.h"

#include <cmath>

namespace tandem::model {

FitErrors ValidationResult::errors() const {
  FitErrors sum;
  for (const auto& row : rows) {
    const double error = row.error();
    ++sum.rows;
    sum.mape += std::abs(error);
    sum.bias += error;
    if (std::abs(error) > std::abs(sum.worst))
      sum.worst = error;
  }
  if (sum.rows > 0) {
    sum.mape /= sum.rows;
    sum.bias /= sum.rows;
  }
  return sum;
}

bool ValidationResult::is_within_tolerance() const {
  const auto sum = errors();
  return sum.mape <= set.most_mape && std::abs(sum.worst) <= set.most_error;
}

} // namespace tandem::model
