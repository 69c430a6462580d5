// Sums of a breakdown.
#include "model/train_result.h"

#include <numeric>

namespace tandem::model {

double Breakdown::sum() const {
  return compute_s + std::accumulate(exposed_s.begin(), exposed_s.end(), 0.0) + bubble_s + optimizer_s + other_s;
}

} // namespace tandem::model
