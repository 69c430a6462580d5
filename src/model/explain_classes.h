// Rank classes in words: how many, which ranks, and what set each apart.
#pragma once

#include "model/rank_classes.h"
#include "model/refine.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tandem::model {

/// What tells two ranks of different colours apart, as "another device": known to whoever gave the colours.
using ColourDifference = std::function<std::string(std::uint32_t rank, std::uint32_t other)>;

struct ExplainedClass {
  RankClass described;
  std::string ranks;  ///< "0-1016 step 8"
  std::string reason; ///< how its lowest rank differs from the class that it was last one with; empty: it stayed
};

/// The first `most` classes. `colouring` is that of which `classes` is the quotient.
std::vector<ExplainedClass> explain_classes(const TalkGraph& graph, const Colouring& colouring,
                                            const RankClasses& classes, const ColourDifference& difference,
                                            std::size_t most);

/// explain_classes() as lines: a sentence on the whole, then each class, and how many are not shown.
std::vector<std::string> class_lines(const TalkGraph& graph, const Colouring& colouring, const RankClasses& classes,
                                     const ColourDifference& difference, std::size_t most = 32);

} // namespace tandem::model
