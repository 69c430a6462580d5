// Which links a run's transfers cross, and how much each link carries over time.
#pragma once

#include "report/played_run.h"
#include "report/trace_counter.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace tandem::report {

class LinkTraffic {
public:
  explicit LinkTraffic(const PlayedRun& run);

  /// The link that `from` sends into to reach `to`; none when they share a host.
  [[nodiscard]] std::optional<model::LinkId> first_link(std::uint32_t from, std::uint32_t to) const;

  /// Counters of the links that stand with this rank: it is the first to send into them or, where no rank does, to send
  /// over them.
  void write(TraceWriter& trace, std::uint32_t rank, std::uint64_t pid);

private:
  struct Use {
    TraceCounter counter{{"GB/s"}};
    std::optional<std::uint32_t> first_in, first_over; ///< lowest rank that sends into it, over it
  };

  const PlayedRun& run_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, model::Route> routes_; ///< of the pairs that talk
  std::map<model::LinkId, Use> uses_;
};

} // namespace tandem::report
