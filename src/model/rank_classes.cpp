// From classes to the quotient: representatives, multiplicities, and the links that can be left out.
#include "model/rank_classes.h"

#include "base/error.h"
#include "model/certificate.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace tandem::model {

namespace {

/// Numbers classes by their first members. Returns the first member and the size of each.
std::vector<std::pair<std::uint32_t, std::uint32_t>> renumber(const std::vector<std::uint32_t>& given,
                                                              std::vector<std::uint32_t>& class_of) {
  constexpr auto NONE = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> classes;
  std::vector<std::uint32_t> number;
  class_of.clear();
  class_of.reserve(given.size());
  for (std::uint32_t member = 0; member < given.size(); ++member) {
    if (given[member] >= number.size())
      number.resize(given[member] + 1, NONE);
    auto& known = number[given[member]];
    if (known == NONE) {
      known = static_cast<std::uint32_t>(classes.size());
      classes.emplace_back(member, 0);
    }
    ++classes[known].second;
    class_of.push_back(known);
  }
  return classes;
}

class Quotient {
public:
  Quotient(const TalkGraph& graph, RankClasses& result) : graph_(graph), result_(result) {}

  void add_flows() {
    for (const auto& rank_class : result_.classes) {
      result_.first_flow.push_back(static_cast<std::uint32_t>(result_.flow_classes.size()));
      for (const auto& flow : graph_.flows(rank_class.representative)) {
        result_.flow_classes.push_back({result_.class_of[flow.receiver], flow.incoming, flow.route});
        result_.first_crossing.push_back(static_cast<std::uint32_t>(result_.crossings.size()));
        add_crossings(flow.route, rank_class.size);
      }
    }
    result_.first_flow.push_back(static_cast<std::uint32_t>(result_.flow_classes.size()));
    result_.first_crossing.push_back(static_cast<std::uint32_t>(result_.crossings.size()));
  }

  /// Divides the flows on each class of links by what they have in common.
  void divide() {
    std::vector<std::uint32_t> unit(result_.link_classes.size(), 0);
    for (const auto& crossing : result_.crossings)
      unit[crossing.link_class] = std::gcd(unit[crossing.link_class], crossing.times);
    for (auto& crossing : result_.crossings)
      crossing.times /= unit[crossing.link_class];
    for (std::size_t i = 0; i < unit.size(); ++i) {
      auto& link_class = result_.link_classes[i];
      link_class.unit = std::max(unit[i], 1U);
      link_class.bandwidth =
          graph_.link_kind(link_class.representative).bandwidth / static_cast<double>(link_class.unit);
    }
  }

  /// Of shared links with the same flows in the same shares, the narrowest implies the others.
  void leave_out() {
    using Loads = std::vector<std::pair<std::uint32_t, std::uint32_t>>; // flow class, times
    std::vector<Loads> loads(result_.link_classes.size());
    for (std::uint32_t flow = 0; flow < result_.flow_classes.size(); ++flow)
      for (const auto& crossing : result_.crossings_of(flow))
        loads[crossing.link_class].emplace_back(flow, crossing.times);
    std::map<Loads, std::uint32_t> narrowest;
    for (std::uint32_t i = 0; i < loads.size(); ++i) {
      if (is_fatpipe(i))
        continue;
      const auto [entry, is_new] = narrowest.try_emplace(std::move(loads[i]), i);
      if (is_new)
        continue;
      auto& other = entry->second;
      const bool is_narrower = result_.link_classes[i].bandwidth < result_.link_classes[other].bandwidth;
      result_.link_classes[is_narrower ? other : i].limits = false;
      if (is_narrower)
        other = i;
    }
  }

private:
  [[nodiscard]] bool is_fatpipe(std::uint32_t link_class) const {
    return graph_.is_fatpipe(result_.link_classes[link_class].representative);
  }

  /// All flows of the class cross equally many links of a class, and each of these carries equally many of the flows.
  void add_crossings(std::uint32_t route, std::uint32_t flows) {
    const auto first = result_.crossings.size();
    for (const auto link : graph_.limiting(route)) {
      const auto link_class = result_.link_class_of[link];
      const auto begin = result_.crossings.begin() + static_cast<std::ptrdiff_t>(first);
      const auto known =
          std::find_if(begin, result_.crossings.end(), [&](const Crossing& c) { return c.link_class == link_class; });
      if (known == result_.crossings.end())
        result_.crossings.push_back({link_class, 1, 1});
      else
        ++known->links;
    }
    for (auto i = first; i < result_.crossings.size(); ++i) {
      auto& crossing = result_.crossings[i];
      if (is_fatpipe(crossing.link_class))
        continue; // limits each flow by itself
      const auto crossed = std::uint64_t{flows} * crossing.links;
      const auto links = result_.link_classes[crossing.link_class].size;
      if (crossed % links != 0)
        throw base::Bug(fmt::format("the partition into rank classes is not equitable: {} flows cross {} links each "
                                    "of a class of {}",
                                    flows, crossing.links, links));
      crossing.times = static_cast<std::uint32_t>(crossed / links);
    }
  }

  const TalkGraph& graph_;
  RankClasses& result_;
};

} // namespace

RankClasses quotient(const TalkGraph& graph, const std::vector<std::uint32_t>& class_of,
                     const std::vector<std::uint32_t>& link_class_of) {
  if (class_of.size() != graph.ranks() || link_class_of.size() != graph.links().size())
    throw base::Bug("a partition of another graph");
  RankClasses result;
  for (const auto& [first, size] : renumber(class_of, result.class_of))
    result.classes.push_back({first, size});
  for (const auto& [first, size] : renumber(link_class_of, result.link_class_of))
    result.link_classes.push_back({first, size, 1, {}, true});
  Quotient maker(graph, result);
  maker.add_flows();
  maker.divide();
  certify(graph, result);
  maker.leave_out();
  return result;
}

RankClasses unfolded(const TalkGraph& graph) {
  std::vector<std::uint32_t> ranks(graph.ranks()), links(graph.links().size());
  std::iota(ranks.begin(), ranks.end(), 0U);
  std::iota(links.begin(), links.end(), 0U);
  return quotient(graph, ranks, links);
}

} // namespace tandem::model
