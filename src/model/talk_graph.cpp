// Collects ranks, flows and routes into flat arrays.
#include "model/talk_graph.h"

#include "base/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace tandem::model {

TalkGraph::TalkGraph(const Table<Link>& links) : table_(links), numbers_(links.size(), 0) {}

std::uint32_t TalkGraph::add_rank(std::uint64_t colour) {
  colours_.push_back(colour);
  first_flow_.push_back(first_flow_.back());
  return ranks() - 1;
}

std::uint32_t TalkGraph::number_of(LinkId link) {
  auto& known = numbers_.at(link.index);
  if (known == 0) {
    const auto described = table_[link.index];
    const auto next = static_cast<std::uint32_t>(link_kinds_.size());
    const auto [kind, is_new] =
        known_link_kinds_.try_emplace({described.bandwidth.value(), described.sharing, described.medium}, next);
    if (is_new)
      link_kinds_.push_back({described.bandwidth, described.sharing, described.medium});
    links_.push_back({link, kind->second});
    known = static_cast<std::uint32_t>(links_.size());
  }
  return known - 1;
}

std::uint32_t TalkGraph::add_route(std::span<const LinkId> crossed, Seconds latency) {
  Medium medium = Medium::OTHER;
  for (const auto link : crossed) {
    const auto number = number_of(link);
    crossed_.push_back(number);
    medium = std::max(medium, link_kind(number).medium);
  }
  first_crossed_.push_back(static_cast<std::uint32_t>(crossed_.size()));
  const auto next = static_cast<std::uint32_t>(kinds_.size());
  const auto [known, is_new] = known_kinds_.try_emplace({latency.value(), medium}, next);
  if (is_new)
    kinds_.push_back({latency, medium});
  kind_of_.push_back(known->second);
  return static_cast<std::uint32_t>(kind_of_.size()) - 1;
}

void TalkGraph::add_flow(const TalkFlow& flow) {
  if (flow.route >= kind_of_.size())
    throw base::Bug(fmt::format("a flow names route {} of {}", flow.route, kind_of_.size()));
  flows_.push_back(flow);
  ++first_flow_.back();
}

void TalkGraph::finish(Implied implied) {
  numbers_ = {};
  links_.shrink_to_fit();
  flows_.shrink_to_fit();
  first_crossed_.shrink_to_fit();
  crossed_.shrink_to_fit();
  kind_of_.shrink_to_fit();
  sort_incoming();
  find_limits(implied);
}

/// Links with very many flows are left as they are: to compare them costs.
void TalkGraph::find_limits(Implied implied) {
  constexpr std::uint32_t FEW = 1024;
  std::vector<std::uint32_t> begin(links_.size() + 1, 0);
  for (const auto& flow : flows_)
    for (const auto link : crossed(flow.route))
      ++begin[link + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> routes(begin.back());
  auto next = begin;
  for (const auto& flow : flows_)
    for (const auto link : crossed(flow.route))
      routes[next[link]++] = flow.route;
  std::vector<bool> is_left_out(links_.size(), false);
  for (std::uint32_t link = 0; link < links_.size(); ++link) {
    const auto count = begin[link + 1] - begin[link];
    if (implied == Implied::LEFT_OUT && count > 0 && count <= FEW)
      is_left_out[link] = is_implied(link, {routes.data() + begin[link], count}, begin);
  }
  first_limiting_.assign(1, 0);
  for (std::uint32_t route = 0; route < kind_of_.size(); ++route) {
    for (const auto link : crossed(route))
      if (!is_left_out[link])
        limiting_.push_back(link);
    first_limiting_.push_back(static_cast<std::uint32_t>(limiting_.size()));
  }
}

/// Each of the routes crosses a narrower link, and those links together let no more through than this one does: as the
/// cards below an uplink that has room for all of them, or those behind a downlink. Of equally narrow links that with
/// more flows counts as the narrower, then that which comes first on the route: what is left does not depend on how
/// links are numbered. What limits each flow by itself (a FATPIPE) does not limit their sum.
bool TalkGraph::is_implied(std::uint32_t link, std::span<const std::uint32_t> routes,
                           const std::vector<std::uint32_t>& begin) const {
  const auto order = [&](std::uint32_t one) {
    return std::pair(link_kind(one).bandwidth.value(), -static_cast<double>(begin[one + 1] - begin[one]));
  };
  const auto narrowest = [&](std::span<const std::uint32_t> part, bool is_before) {
    auto best = link;
    for (const auto other : part) {
      const bool counts = is_fatpipe(link) || !is_fatpipe(other);
      if (counts && (order(other) < order(best) || (best == link && is_before && order(other) == order(link))))
        best = other;
    }
    return best;
  };
  for (const bool before : {true, false}) {
    std::vector<std::uint32_t> narrower;
    for (const auto route : routes) {
      const auto links = crossed(route);
      const auto here = static_cast<std::size_t>(std::find(links.begin(), links.end(), link) - links.begin());
      narrower.push_back(narrowest(before ? links.first(here) : links.subspan(here + 1), before));
    }
    if (holds_back(link, std::move(narrower)))
      return true;
  }
  return false;
}

/// Whether `narrower` (the link itself among them: nothing was found) let no more through than the link does.
bool TalkGraph::holds_back(std::uint32_t link, std::vector<std::uint32_t> narrower) const {
  if (std::find(narrower.begin(), narrower.end(), link) != narrower.end())
    return false;
  if (is_fatpipe(link))
    return true;
  std::sort(narrower.begin(), narrower.end());
  narrower.erase(std::unique(narrower.begin(), narrower.end()), narrower.end());
  double sum = 0.0;
  for (const auto other : narrower)
    sum += link_kind(other).bandwidth.value();
  return sum <= link_kind(link).bandwidth.value();
}

void TalkGraph::sort_incoming() {
  std::vector<std::uint32_t> places(ranks(), 0);
  for (const auto& flow : flows_) {
    if (flow.receiver >= ranks())
      throw base::Bug(fmt::format("a flow goes to rank {} of {}", flow.receiver, ranks()));
    places[flow.receiver] = std::max(places[flow.receiver], flow.incoming + 1);
  }
  receive_at_.assign(1, 0);
  for (const auto count : places)
    receive_at_.push_back(receive_at_.back() + count);
  incoming_.assign(receive_at_.back(), NO_FLOW);
  sender_.reserve(flows_.size());
  for (std::uint32_t rank = 0; rank < ranks(); ++rank)
    for (const auto& flow : flows(rank)) {
      auto& place = incoming_[receive_at_[flow.receiver] + flow.incoming];
      if (place != NO_FLOW)
        throw base::Bug(fmt::format("two flows in place {} of rank {}", flow.incoming, flow.receiver));
      place = static_cast<std::uint32_t>(sender_.size());
      sender_.push_back(rank);
    }
}

} // namespace tandem::model
