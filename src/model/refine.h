// Colour refinement of a talk graph: ranks and links that see different neighbours get different colours, until none
// do. The result is the coarsest equitable partition that respects the given colours (up to collisions of 64-bit
// hashes, which rank_classes.h excludes exactly).
#pragma once

#include "model/talk_graph.h"

#include <cstdint>
#include <vector>

namespace tandem::model {

/// How a colour came about: in `round` it was split from colour `from`. Round 0: it is one of the first colours.
struct ColourSplit {
  std::uint32_t from = 0;
  std::uint32_t round = 0;
};

/// Colours are numbered from 0 in the order in which they came about.
struct Colouring {
  std::vector<std::uint32_t> of_rank;
  std::vector<std::uint32_t> of_link; ///< by the graph's number
  std::vector<ColourSplit> rank_splits, link_splits;
  std::uint32_t rounds = 0; ///< in which something was split
};

/// What a rank sees: for each flow in order its kind, the colours of the links crossed, the receiver's colour and the
/// place among the receiver's incoming flows; for each incoming flow in order the sender's colour and the flow's place
/// there. What a link sees: how many flows of each colour and place cross it; a FATPIPE link sees none, as each flow
/// has all of it. Links begin with bandwidth, sharing and medium.
///
/// Each round costs as much as what changed in the one before has neighbours, at most a pass over the graph.
Colouring refine(const TalkGraph& graph);

/// The colour that what has `colour` in the end had after `round`.
std::uint32_t colour_after(const std::vector<ColourSplit>& splits, std::uint32_t colour, std::uint32_t round);

} // namespace tandem::model
