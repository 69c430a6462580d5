// The proof that a partition of ranks and links is equitable.
#pragma once

#include "model/rank_classes.h"

namespace tandem::model {

/// Checks without hashes that every member of a class has what its representative has, and every link of a class as
/// many flows of each class as `classes` says. Throws Bug that names the first rank or link that has not.
void certify(const TalkGraph& graph, const RankClasses& classes);

} // namespace tandem::model
