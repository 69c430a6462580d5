// Follows each class back to the round in which it was set apart, and compares what two ranks saw then.
#include "model/explain_classes.h"

#include "base/text.h"
#include "model/medium.h"
#include "model/rank_ranges.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::model {

namespace {

/// Compares two ranks by the colours of `round`.
class Comparison {
public:
  Comparison(const TalkGraph& graph, const Colouring& colouring, std::uint32_t round)
      : graph_(graph), colouring_(colouring), round_(round) {}

  [[nodiscard]] std::string difference(std::uint32_t a, std::uint32_t b) const {
    const auto sent_a = graph_.flows(a), sent_b = graph_.flows(b);
    if (sent_a.size() != sent_b.size())
      return fmt::format("rank {} sends in {} ways, rank {} in {}", a, sent_a.size(), b, sent_b.size());
    for (std::size_t i = 0; i < sent_a.size(); ++i)
      if (auto text = way_difference({a, sent_a[i]}, {b, sent_b[i]}); !text.empty())
        return text;
    for (std::size_t i = 0; i < sent_a.size(); ++i)
      if (rank_colour(sent_a[i].receiver) != rank_colour(sent_b[i].receiver))
        return fmt::format("rank {} sends to rank {}, rank {} to rank {}, and these differ", a, sent_a[i].receiver, b,
                           sent_b[i].receiver);
    return incoming_difference(a, b);
  }

private:
  struct Sent {
    std::uint32_t sender;
    const TalkFlow& flow;
  };
  /// A flow as its receiver sees it.
  struct Received {
    std::uint32_t incoming, sender, place;
  };

  [[nodiscard]] std::uint32_t rank_colour(std::uint32_t rank) const {
    return colour_after(colouring_.rank_splits, colouring_.of_rank[rank], round_);
  }

  [[nodiscard]] std::vector<std::uint32_t> link_colours(std::uint32_t route) const {
    std::vector<std::uint32_t> colours;
    for (const auto link : graph_.limiting(route))
      colours.push_back(colour_after(colouring_.link_splits, colouring_.of_link[link], round_));
    std::sort(colours.begin(), colours.end());
    return colours;
  }

  [[nodiscard]] std::string bandwidths(std::uint32_t route) const {
    std::vector<BytesPerSecond> list;
    for (const auto link : graph_.limiting(route))
      list.push_back(graph_.link_kind(link).bandwidth);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    std::string text;
    for (const auto bandwidth : list)
      text += (text.empty() ? "" : " + ") + base::format_bandwidth(bandwidth);
    return text.empty() ? "no link" : text;
  }

  /// Of the ways over which two ranks send; empty: none.
  [[nodiscard]] std::string way_difference(const Sent& a, const Sent& b) const {
    const auto of = [&](const auto& x, const auto& y) {
      return fmt::format("rank {} sends to rank {} {}, rank {} to rank {} {}", a.sender, a.flow.receiver, x, b.sender,
                         b.flow.receiver, y);
    };
    const auto& kind_a = graph_.kind(a.flow.route);
    const auto& kind_b = graph_.kind(b.flow.route);
    if (kind_a.medium != kind_b.medium)
      return of("over " + medium_name(kind_a.medium), "over " + medium_name(kind_b.medium));
    if (kind_a.latency != kind_b.latency)
      return of("with a latency of " + base::format_seconds(kind_a.latency),
                "of " + base::format_seconds(kind_b.latency));
    if (a.flow.incoming != b.flow.incoming)
      return of(fmt::format("as peer {} of those it receives from", a.flow.incoming),
                fmt::format("as peer {}", b.flow.incoming));
    if (link_colours(a.flow.route) == link_colours(b.flow.route))
      return {};
    if (const auto x = bandwidths(a.flow.route), y = bandwidths(b.flow.route); x != y)
      return of("over links of " + x, "of " + y);
    return of("over links that others share", "over links that are shared otherwise");
  }

  [[nodiscard]] std::vector<Received> received(std::uint32_t rank) const {
    std::vector<Received> list;
    for (auto i = graph_.receive_at(rank); i < graph_.receive_at(rank + 1); ++i)
      if (const auto flow = graph_.incoming()[i]; flow != TalkGraph::NO_FLOW)
        list.push_back(
            {i - graph_.receive_at(rank), graph_.sender(flow), flow - graph_.first_flow(graph_.sender(flow))});
    return list;
  }

  [[nodiscard]] std::string incoming_difference(std::uint32_t a, std::uint32_t b) const {
    const auto from_a = received(a), from_b = received(b);
    if (from_a.size() != from_b.size())
      return fmt::format("rank {} receives in {} ways, rank {} in {}", a, from_a.size(), b, from_b.size());
    for (std::size_t i = 0; i < from_a.size(); ++i)
      if (from_a[i].incoming != from_b[i].incoming || from_a[i].place != from_b[i].place ||
          rank_colour(from_a[i].sender) != rank_colour(from_b[i].sender))
        return fmt::format("rank {} receives from rank {}, rank {} from rank {}, and these differ", a, from_a[i].sender,
                           b, from_b[i].sender);
    return {};
  }

  const TalkGraph& graph_;
  const Colouring& colouring_;
  std::uint32_t round_;
};

/// How the representative of a class differs from the first class that was set apart with it, which is more like it
/// than what was left behind, or else from what was left; empty: from none.
std::string reason_of(std::uint32_t rank, const TalkGraph& graph, const Colouring& colouring,
                      const RankClasses& classes, const ColourDifference& difference) {
  const auto& split = colouring.rank_splits[colouring.of_rank[rank]];
  const auto split_of = [&](const RankClass& other) -> const ColourSplit& {
    return colouring.rank_splits[colouring.of_rank[other.representative]];
  };
  const auto was_set_apart_with_it = [&](const RankClass& other) {
    return split.round > 0 && split_of(other).round == split.round && split_of(other).from == split.from;
  };
  const auto was_one_with_it = [&](const RankClass& other) {
    const auto colour = colouring.of_rank[other.representative];
    return split.round == 0 || colour_after(colouring.rank_splits, colour, split.round) == split.from;
  };
  const auto& all = classes.classes;
  auto other = std::find_if(all.begin(), all.end(), was_set_apart_with_it);
  if (other == all.end() || other->representative == rank)
    other = std::find_if(all.begin(), all.end(), was_one_with_it);
  if (other == all.end() || other->representative == rank)
    return {};
  if (split.round > 0)
    return Comparison(graph, colouring, split.round - 1).difference(rank, other->representative);
  if (graph.colour(rank) == graph.colour(other->representative)) // the others were set apart
    return {};
  return difference(rank, other->representative);
}

/// What set ranks apart before anything followed from it: other colours and other ways.
std::vector<std::string> causes(const TalkGraph& graph, const Colouring& colouring, const RankClasses& classes,
                                const ColourDifference& difference, std::size_t most) {
  std::vector<std::string> list;
  for (const auto& one : classes.classes) {
    if (list.size() == most)
      break;
    if (colouring.rank_splits[colouring.of_rank[one.representative]].round > 1)
      continue;
    if (auto reason = reason_of(one.representative, graph, colouring, classes, difference); !reason.empty())
      list.push_back(std::move(reason));
  }
  return list;
}

} // namespace

std::vector<ExplainedClass> explain_classes(const TalkGraph& graph, const Colouring& colouring,
                                            const RankClasses& classes, const ColourDifference& difference,
                                            std::size_t most) {
  most = std::min(most, classes.classes.size());
  std::vector<std::vector<std::uint32_t>> members(most);
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank)
    if (classes.class_of[rank] < most)
      members[classes.class_of[rank]].push_back(rank);
  std::vector<ExplainedClass> list;
  for (std::size_t i = 0; i < most; ++i)
    list.push_back({classes.classes[i], rank_ranges(members[i]),
                    reason_of(classes.classes[i].representative, graph, colouring, classes, difference)});
  return list;
}

std::vector<std::string> class_lines(const TalkGraph& graph, const Colouring& colouring, const RankClasses& classes,
                                     const ColourDifference& difference, std::size_t most) {
  const auto count = classes.classes.size();
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{} of {} ranks, {} of {} links", base::counted(count, "class", "classes"), graph.ranks(),
                              classes.link_classes.size(), graph.links().size()));
  constexpr std::size_t MOST_CAUSES = 8;
  if (count > most) // the reasons of those that are shown are not the first ones
    for (const auto& cause : causes(graph, colouring, classes, difference, MOST_CAUSES))
      lines.push_back("set apart first: " + cause);
  const auto explained = explain_classes(graph, colouring, classes, difference, most);
  for (std::size_t i = 0; i < explained.size(); ++i) {
    const auto& one = explained[i];
    lines.push_back(fmt::format("class {}: {} {}, {}", i, one.described.size,
                                one.described.size == 1 ? "rank" : "ranks", one.ranks));
    if (!one.reason.empty())
      lines.back() += " (" + one.reason + ")";
  }
  if (count > explained.size())
    lines.push_back(fmt::format("... and {} more classes", count - explained.size()));
  return lines;
}

} // namespace tandem::model
