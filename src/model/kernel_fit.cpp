// Means of errors.
#include "model/kernel_fit.h"

#include <cmath>

namespace tandem::model {

FitErrors errors_of(const std::vector<double>& errors) {
  FitErrors sum;
  for (const double error : errors) {
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

} // namespace tandem::model
