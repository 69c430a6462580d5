// Classes of ranks that do the same at the same time, and the machine's quotient by them: one GPU for each class, one
// link for each class of links.
//
// The partition is equitable: all ranks of a class have, flow by flow, peers of the same classes in the same places and
// cross links of the same classes, and all links of a class carry equally many flows of each class. Max-min fair
// sharing then gives all flows of a class one rate, and the quotient evolves exactly as the whole does.
#pragma once

#include "model/talk_graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tandem::model {

/// How a flow of the quotient crosses a class of links.
struct Crossing {
  std::uint32_t link_class = 0;
  std::uint32_t times = 1; ///< flows of this flow's class on each link of the class, over LinkClass::unit
  std::uint32_t links = 1; ///< links of the class that one flow crosses
};

struct RankClass {
  std::uint32_t representative = 0; ///< its lowest rank
  std::uint32_t size = 0;
};

struct LinkClass {
  std::uint32_t representative = 0; ///< its first link, by the graph's number
  std::uint32_t size = 0;
  std::uint32_t unit = 1; ///< greatest common divisor of the flows of each class on a link of it
  /// Of the quotient's link: that of a link of the class over `unit`.
  BytesPerSecond bandwidth{};
  /// False: a narrower one carries the same flows in the same shares, so that this one can be left out of the routes
  /// without a change to any rate.
  bool limits = true;
};

/// The flows in one place of the ranks of one class.
struct FlowClass {
  std::uint32_t receiver = 0; ///< class
  std::uint32_t incoming = 0; ///< place there
  std::uint32_t route = 0;    ///< of the representative's flow, by the graph's number
};

struct RankClasses {
  std::vector<std::uint32_t> class_of; ///< by rank; numbered by their lowest rank
  std::vector<RankClass> classes;
  std::vector<std::uint32_t> link_class_of; ///< by the graph's link number; numbered by their first link
  std::vector<LinkClass> link_classes;
  std::vector<std::uint32_t> first_flow; ///< by class, and one more: index into flow_classes
  std::vector<FlowClass> flow_classes;
  std::vector<std::uint32_t> first_crossing; ///< by flow class, and one more: index into crossings
  std::vector<Crossing> crossings;           ///< of each flow class in the order of travel, each link class once

  [[nodiscard]] std::span<const FlowClass> flows_of(std::uint32_t rank_class) const {
    return {flow_classes.data() + first_flow[rank_class], flow_classes.data() + first_flow[rank_class + 1]};
  }
  [[nodiscard]] std::span<const Crossing> crossings_of(std::uint32_t flow_class) const {
    return {crossings.data() + first_crossing[flow_class], crossings.data() + first_crossing[flow_class + 1]};
  }
};

/// The quotient by a partition given as classes of ranks and of links, in any numbering. Throws Bug when it is not
/// equitable, or merges ranks of different colours or links of different bandwidth, sharing or medium: checked exactly,
/// member by member.
RankClasses quotient(const TalkGraph& graph, const std::vector<std::uint32_t>& class_of,
                     const std::vector<std::uint32_t>& link_class_of);

/// Every rank and every link by itself.
RankClasses unfolded(const TalkGraph& graph);

} // namespace tandem::model
