// Names of accounts, and sums of a breakdown.
#include "model/train_result.h"

#include <numeric>

namespace tandem::model {

std::vector<std::string> memory_account_names() {
  return {"parameters", "gradients", "optimizer", "activations", "buffers"};
}

double Breakdown::sum() const {
  return compute_s + std::accumulate(exposed_s.begin(), exposed_s.end(), 0.0) + bubble_s + optimizer_s + other_s;
}

} // namespace tandem::model
