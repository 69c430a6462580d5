// Collectives among some of the ranks, as one of them does its part: the phases of algorithms that have several.
#pragma once

#include "collective/messages.h"

#include <optional>
#include <string>
#include <vector>

namespace tandem::collective {

/// Pieces that go together, in a row in each span: an operation for all that lie evenly.
using Spans = std::vector<Span>;

/// Adds a span of `pieces` on a circle, to the last one where it follows that.
void append_span(Spans& spans, Span span, std::uint32_t pieces);
void append_spans(Spans& spans, const Spans& more, std::uint32_t pieces);
/// How many pieces they are.
std::uint32_t pieces_of(const Spans& spans);
/// Those of them at [first, first + count) in their order.
Spans cut(const Spans& spans, std::uint32_t first, std::uint32_t count, std::uint32_t pieces);

/// The same pieces in the same order: spans of one length that lie evenly, before the end of the circle, become one.
Spans gathered(const Spans& spans, std::uint32_t pieces);

/// Ranks that do something among themselves, as one of them sees it.
struct Group {
  std::vector<int> members; ///< offsets from the rank, in the order of the group
  int place = 0;            ///< of the rank: members[place] is 0

  [[nodiscard]] int size() const { return static_cast<int>(members.size()); }
  /// A place counted around the end.
  [[nodiscard]] int around(int at) const { return (at % size() + size()) % size(); }
  [[nodiscard]] int member(int at) const { return members[static_cast<std::size_t>(around(at))]; }
};

/// IN_SWITCH: the switch between the members adds and copies, and each of them owns what it owns of a direct exchange.
enum class GroupAlgorithm { RING, DIRECT, TREE, HALVING_DOUBLING, IN_SWITCH };

/// Whether every member does the same, but for where it stands.
constexpr bool is_alike(GroupAlgorithm algorithm) {
  return algorithm != GroupAlgorithm::TREE && algorithm != GroupAlgorithm::HALVING_DOUBLING;
}
/// Into how many parts of as many pieces an all-reduce among `members` cuts what it works on.
int even_parts(GroupAlgorithm algorithm, int members);

/// One phase of a rank. All members have the same shares, and name their spans in the same order.
struct GroupPhase {
  std::string name; ///< begins the labels
  GroupAlgorithm algorithm = GroupAlgorithm::RING;
  Group group;
  std::vector<Spans> shares; ///< by place in the group: the pieces that its member owns
  Mover sums, results;       ///< on two channels
  [[nodiscard]] const Spans& share(int place) const { return shares[static_cast<std::size_t>(group.around(place))]; }
};

/// The sum of the members' LOCAL, of each share into the LOCAL of its owner. Not by trees. Returns the end.
OpId append_group_reduce_scatter(Composer& composer, const GroupPhase& phase, const std::vector<OpId>& after);
/// The RESULT of each owner's share into the RESULT of all. Not by trees. Returns the end.
OpId append_group_all_gather(Composer& composer, const GroupPhase& phase, const std::vector<OpId>& after);
/// The sum of the members' LOCAL into the RESULT of all. Returns the end.
OpId append_group_all_reduce(Composer& composer, const GroupPhase& phase, const std::vector<OpId>& after);

/// Where a rank stands in a tree, as offsets from it.
struct TreePlace {
  std::optional<int> parent;
  std::vector<int> children;
};
/// Sums of LOCAL go up a tree and results come down, into RESULT. Returns the end, the sends apart.
OpId append_tree_all_reduce(Composer& composer, const GroupPhase& phase, const TreePlace& place, const Spans& spans,
                            const std::vector<OpId>& after);

/// An operation for each of the gathered() spans, which `message` is about in turn. Returns their ends.
std::vector<OpId> append_sends(Composer& composer, Mover mover, const Message& message, const Spans& spans,
                               const std::vector<OpId>& after);
/// The same at the receiver. Returns their ends.
std::vector<OpId> append_receives(Composer& composer, Mover mover, const Message& message, const Spans& spans,
                                  const std::vector<OpId>& after);

} // namespace tandem::collective
