// Why is it this number? One line per result, from its own times and the baseline's.
#pragma once

#include "model/collective_op.h"
#include "model/result.h"

#include <string>

namespace tandem::study {

/// "what limits it: the figures that show it". `alone` is the case under `sequential` (its GEMM and RS run alone); null
/// when it was not run. `kind`: the collective of its GEMMs.
std::string explain(const model::CaseResult& result, const model::CaseResult* alone,
                    model::CollectiveKind kind = model::CollectiveKind::ALL_REDUCE);

} // namespace tandem::study
