// Sums what every rank and link sees, in passes over the graph while much changes and by differences afterwards.
#include "model/refine.h"

#include "model/colour_side.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace tandem::model {

namespace {

/// What two vertices can be to each other.
enum class View : std::uint64_t { RECEIVER = 1, SENDER, CROSSED, CROSSING, ROUTE };

/// SplitMix64's finaliser: what the sums are made of.
std::uint64_t mixed(std::uint64_t word) {
  word += 0x9e3779b97f4a7c15U;
  word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31U);
}

/// A neighbour of `colour` in the place (`first`, `second`) of a view.
std::uint64_t sight(View view, std::uint32_t first, std::uint32_t second, std::uint32_t colour) {
  const auto place = (static_cast<std::uint64_t>(view) << 61U) ^ (std::uint64_t{first} << 32U) ^ second;
  return mixed(mixed(place) ^ colour);
}

std::vector<std::uint64_t> rank_keys(const TalkGraph& graph) {
  std::vector<std::uint64_t> keys;
  keys.reserve(graph.ranks());
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank)
    keys.push_back(graph.colour(rank));
  return keys;
}

std::vector<std::uint64_t> link_keys(const TalkGraph& graph) {
  std::vector<std::uint64_t> keys;
  keys.reserve(graph.links().size());
  for (const auto& link : graph.links())
    keys.push_back(link.kind);
  return keys;
}

/// Which flows cross a link. Made only once little changes.
struct Crossings {
  explicit Crossings(const TalkGraph& graph) : first(graph.links().size() + 1, 0) {
    for (const auto& flow : graph.flows())
      for (const auto link : graph.limiting(flow.route))
        ++first[link];
    // Counts become the ends of their ranges; filling from the end makes them the starts.
    std::partial_sum(first.begin(), first.end(), first.begin());
    flows.resize(first.back());
    for (auto flow = static_cast<std::uint32_t>(graph.flows().size()); flow-- > 0;)
      for (const auto link : graph.limiting(graph.flows()[flow].route))
        flows[--first[link]] = flow;
  }

  std::vector<std::uint32_t> first; ///< by link, and one more: index into flows
  std::vector<std::uint32_t> flows;
};

class Refinement {
public:
  explicit Refinement(const TalkGraph& graph) : graph_(graph), ranks_(rank_keys(graph)), links_(link_keys(graph)) {}

  Colouring run() {
    Colouring result;
    sum_all();
    for (std::uint32_t round = 1;; ++round) {
      const bool all = is_summed_anew_;
      ranks_.split(round, all);
      links_.split(round, all);
      const auto changed = ranks_.changed().size() + links_.changed().size();
      if (changed == 0)
        break;
      result.rounds = round;
      constexpr std::size_t FEW = 8; // a difference costs several times what a step of a pass does
      if (changed * FEW > ranks_.size() + links_.size())
        sum_all();
      else
        sum_changes();
    }
    ranks_.give(result.of_rank, result.rank_splits);
    links_.give(result.of_link, result.link_splits);
    return result;
  }

private:
  void sum_all() {
    is_summed_anew_ = true;
    std::fill(ranks_.seen.begin(), ranks_.seen.end(), 0);
    std::fill(links_.seen.begin(), links_.seen.end(), 0);
    for (std::uint32_t rank = 0; rank < graph_.ranks(); ++rank) {
      const auto colour = ranks_.colour(rank);
      std::uint64_t seen = 0;
      std::uint32_t place = 0;
      for (const auto& flow : graph_.flows(rank)) {
        const auto as_crossing = sight(View::CROSSING, place, 0, colour);
        for (const auto link : graph_.limiting(flow.route)) {
          seen += sight(View::CROSSED, place, 0, links_.colour(link));
          if (!graph_.is_fatpipe(link))
            links_.seen[link] += as_crossing;
        }
        seen += sight(View::ROUTE, place, flow.incoming, graph_.kind_number(flow.route));
        seen += sight(View::RECEIVER, place, 0, ranks_.colour(flow.receiver));
        ranks_.seen[flow.receiver] += sight(View::SENDER, place, flow.incoming, colour);
        ++place;
      }
      ranks_.seen[rank] += seen;
    }
  }

  void sum_changes() {
    is_summed_anew_ = false;
    for (const auto& change : ranks_.changed())
      tell_of_rank(change);
    if (!links_.changed().empty() && !crossings_)
      crossings_.emplace(graph_);
    for (const auto& change : links_.changed())
      tell_of_link(change);
  }

  void tell_of_rank(const ColourSide::Change& change) {
    const auto now = ranks_.colour(change.vertex);
    const auto difference = [&](View view, std::uint32_t first, std::uint32_t second) {
      return sight(view, first, second, now) - sight(view, first, second, change.old_colour);
    };
    std::uint32_t place = 0;
    for (const auto& flow : graph_.flows(change.vertex)) {
      ranks_.seen[flow.receiver] += difference(View::SENDER, place, flow.incoming);
      ranks_.touch(flow.receiver);
      const auto as_crossing = difference(View::CROSSING, place, 0);
      for (const auto link : graph_.limiting(flow.route))
        if (!graph_.is_fatpipe(link)) {
          links_.seen[link] += as_crossing;
          links_.touch(link);
        }
      ++place;
    }
    for (auto i = graph_.receive_at(change.vertex); i < graph_.receive_at(change.vertex + 1); ++i) {
      const auto flow = graph_.incoming()[i];
      if (flow == TalkGraph::NO_FLOW)
        continue;
      const auto sender = graph_.sender(flow);
      ranks_.seen[sender] += difference(View::RECEIVER, flow - graph_.first_flow(sender), 0);
      ranks_.touch(sender);
    }
  }

  void tell_of_link(const ColourSide::Change& change) {
    const auto now = links_.colour(change.vertex);
    for (auto i = crossings_->first[change.vertex]; i < crossings_->first[change.vertex + 1]; ++i) {
      const auto flow = crossings_->flows[i];
      const auto sender = graph_.sender(flow);
      const auto place = flow - graph_.first_flow(sender);
      ranks_.seen[sender] += sight(View::CROSSED, place, 0, now) - sight(View::CROSSED, place, 0, change.old_colour);
      ranks_.touch(sender);
    }
  }

  const TalkGraph& graph_;
  ColourSide ranks_, links_;
  bool is_summed_anew_ = true;
  std::optional<Crossings> crossings_;
};

} // namespace

Colouring refine(const TalkGraph& graph) {
  return Refinement(graph).run();
}

std::uint32_t colour_after(const std::vector<ColourSplit>& splits, std::uint32_t colour, std::uint32_t round) {
  while (splits[colour].round > round)
    colour = splits[colour].from;
  return colour;
}

} // namespace tandem::model
