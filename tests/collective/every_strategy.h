// The registry's strategies with the parameter sets that the tests try.
#pragma once

#include "collective/strategy.h"

#include <string>
#include <vector>

namespace tandem::collective {

/// The defaults of every registered strategy, and further parameter sets of those that are listed here.
std::vector<std::string> every_strategy();

/// What select_strategy() says of a text that it refuses; "accepted" where it does not.
std::string error_of(const std::string& text);

/// The strategy's answer to an all-reduce of the GEMM's output over `ranks` GPUs.
Request fused(int ranks, const model::Gemm& gemm);
/// The GEMM and the all-gather of its input.
Request gathered(int ranks, const model::Gemm& gemm);
/// A collective on its own.
Request plain(model::CollectiveKind kind, int ranks, double bytes);

} // namespace tandem::collective
