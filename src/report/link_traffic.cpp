// Books every transfer on all links of its route.
#include "report/link_traffic.h"

namespace tandem::report {

LinkTraffic::LinkTraffic(const PlayedRun& run) : run_(run) {
  for (std::uint32_t rank = 0; rank < run.ranks(); ++rank) {
    for (std::uint32_t item = 0; item < run.items(); ++item) {
      for (std::uint32_t i = 0; i < run.program(item, rank).ops.size(); ++i) {
        const OpRef ref{item, rank, i};
        if (run.op(ref).kind != model::OpKind::TRANSFER)
          continue;
        const std::pair ends(rank, run.peer(ref));
        auto route = routes_.find(ends);
        if (route == routes_.end())
          route =
              routes_.emplace(ends, run.run().cluster->route(model::Rank(ends.first), model::Rank(ends.second))).first;
        const model::OpRecord& record = run.record(ref);
        bool first = true;
        for (const model::LinkId link : route->second.links) {
          Use& use = uses_[link];
          use.counter.spread(0, run.bytes(ref) * run.op(ref).wire_factor, nanoseconds(record.begin_s),
                             nanoseconds(record.end_s));
          std::optional<std::uint32_t>& owner = first ? use.first_in : use.first_over;
          if (!owner)
            owner = rank;
          first = false;
        }
      }
    }
  }
}

std::optional<model::LinkId> LinkTraffic::first_link(std::uint32_t from, std::uint32_t to) const {
  const model::Route& route = routes_.at({from, to});
  return route.links.empty() ? std::nullopt : std::optional(route.links.front());
}

void LinkTraffic::write(TraceWriter& trace, std::uint32_t rank, std::uint64_t pid) {
  for (auto& [link, use] : uses_)
    if (use.first_in.value_or(use.first_over.value_or(rank)) == rank)
      use.counter.write(trace, pid, "link " + run_.run().cluster->links[link.index].name);
}

} // namespace tandem::report
