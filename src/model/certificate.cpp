// Compares each rank with its class's representative, and counts flows on links, class by class.
#include "model/certificate.h"

#include "base/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace tandem::model {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw base::Bug("the partition into rank classes is not equitable: " + what);
}

class Certificate {
public:
  Certificate(const TalkGraph& graph, const RankClasses& classes) : graph_(graph), classes_(classes) {}

  void check_ranks() {
    for (std::uint32_t rank = 0; rank < graph_.ranks(); ++rank) {
      const auto model = classes_.classes[classes_.class_of[rank]].representative;
      if (graph_.colour(rank) != graph_.colour(model) || graph_.flows(rank).size() != graph_.flows(model).size())
        refuse(fmt::format("rank {} differs from rank {}", rank, model));
      for (std::uint32_t place = 0; place < graph_.flows(rank).size(); ++place)
        if (!sends_alike(graph_.flows(rank)[place], graph_.flows(model)[place]))
          refuse(fmt::format("flow {} of rank {} differs from that of rank {}", place, rank, model));
    }
  }

  /// Every member's incoming flows come from the same places of the same classes.
  void check_incoming() {
    for (std::uint32_t rank = 0; rank < graph_.ranks(); ++rank) {
      const auto own = incoming(rank), model = incoming(classes_.classes[classes_.class_of[rank]].representative);
      if (!std::equal(own.begin(), own.end(), model.begin(), model.end(),
                      [&](std::uint32_t a, std::uint32_t b) { return flow_class(a) == flow_class(b); }))
        refuse(fmt::format("rank {} receives otherwise than rank {}", rank,
                           classes_.classes[classes_.class_of[rank]].representative));
    }
  }

  void check_links() {
    for (std::uint32_t link = 0; link < graph_.links().size(); ++link) {
      const auto& own = graph_.links()[link];
      const auto& model = graph_.links()[classes_.link_classes[classes_.link_class_of[link]].representative];
      if (own.kind != model.kind)
        refuse(fmt::format("link {} differs from link {}", own.id.index, model.id.index));
    }
    count_.assign(graph_.links().size(), 0);
    const auto members = by_class();
    std::uint32_t first = 0;
    for (std::uint32_t rank_class = 0; rank_class < classes_.classes.size(); ++rank_class) {
      const std::span own(members.data() + first, classes_.classes[rank_class].size);
      first += classes_.classes[rank_class].size;
      for (auto flow = classes_.first_flow[rank_class]; flow < classes_.first_flow[rank_class + 1]; ++flow)
        check_crossings(own, flow, flow - classes_.first_flow[rank_class]);
    }
  }

private:
  [[nodiscard]] std::span<const std::uint32_t> incoming(std::uint32_t rank) const {
    return {graph_.incoming().data() + graph_.receive_at(rank), graph_.incoming().data() + graph_.receive_at(rank + 1)};
  }

  [[nodiscard]] std::uint32_t flow_class(std::uint32_t flow) const {
    if (flow == TalkGraph::NO_FLOW)
      return flow;
    const auto sender = graph_.sender(flow);
    return classes_.first_flow[classes_.class_of[sender]] + flow - graph_.first_flow(sender);
  }

  bool sends_alike(const TalkFlow& own, const TalkFlow& model) {
    const bool alike = own.incoming == model.incoming &&
                       classes_.class_of[own.receiver] == classes_.class_of[model.receiver] &&
                       graph_.kind_number(own.route) == graph_.kind_number(model.route);
    return alike && (own.route == model.route || link_classes(own.route, own_) == link_classes(model.route, models_));
  }

  const std::vector<std::uint32_t>& link_classes(std::uint32_t route, std::vector<std::uint32_t>& sorted) const {
    sorted.clear();
    for (const auto link : graph_.limiting(route))
      sorted.push_back(classes_.link_class_of[link]);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

  /// Ranks sorted by class.
  [[nodiscard]] std::vector<std::uint32_t> by_class() const {
    std::vector<std::uint32_t> next(classes_.classes.size(), 0);
    for (std::size_t i = 1; i < next.size(); ++i)
      next[i] = next[i - 1] + classes_.classes[i - 1].size;
    std::vector<std::uint32_t> members(graph_.ranks());
    for (std::uint32_t rank = 0; rank < graph_.ranks(); ++rank)
      members[next[classes_.class_of[rank]]++] = rank;
    return members;
  }

  /// Counts the flows of one class on each link that they cross: equally many on every link of a class.
  void check_crossings(std::span<const std::uint32_t> members, std::uint32_t flow_class, std::uint32_t place) {
    const auto each_link = [&](const auto& visit) {
      for (const auto rank : members)
        for (const auto link : graph_.limiting(graph_.flows(rank)[place].route))
          visit(link);
    };
    each_link([&](std::uint32_t link) { ++count_[link]; });
    const auto expected = classes_.crossings_of(flow_class);
    std::vector<std::uint32_t> links(expected.size(), 0); // that carry some of the flows
    each_link([&](std::uint32_t link) {
      const auto count = count_[link];
      if (count == 0) // seen before
        return;
      count_[link] = 0;
      const auto link_class = classes_.link_class_of[link];
      const auto& described = classes_.link_classes[link_class];
      const auto crossing =
          std::find_if(expected.begin(), expected.end(), [&](const Crossing& c) { return c.link_class == link_class; });
      if (crossing == expected.end())
        refuse(fmt::format("link {} carries flows that its class does not", graph_.links()[link].id.index));
      ++links[static_cast<std::size_t>(crossing - expected.begin())];
      if (!graph_.is_fatpipe(link) && count != std::uint64_t{crossing->times} * described.unit)
        refuse(fmt::format("link {} carries {} flows of a class of flows, its class {} times {}",
                           graph_.links()[link].id.index, count, crossing->times, described.unit));
    });
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto& described = classes_.link_classes[expected[i].link_class];
      if (!graph_.is_fatpipe(described.representative) && links[i] != described.size)
        refuse(fmt::format("{} of {} links of the class of link {} carry a class of flows", links[i], described.size,
                           graph_.links()[described.representative].id.index));
    }
  }

  const TalkGraph& graph_;
  const RankClasses& classes_;
  std::vector<std::uint32_t> own_, models_;
  std::vector<std::uint32_t> count_; ///< by link; zero between calls
};

} // namespace

void certify(const TalkGraph& graph, const RankClasses& classes) {
  Certificate certificate(graph, classes);
  certificate.check_ranks();
  certificate.check_incoming();
  certificate.check_links();
}

} // namespace tandem::model
