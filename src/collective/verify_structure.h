// First half of verify(): form, matching of transfers and receives, and freedom from deadlock.
#pragma once

#include "model/schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::collective {

/// "rank 3, operation 17 (RS step 2)".
std::string place(const model::Schedule& schedule, int rank, std::uint32_t op);

/// Operation `op` of rank r is node offsets[r] + op.
struct GlobalOrder {
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> order;  ///< all nodes, each after everything that it waits for
  std::vector<std::uint32_t> sender; ///< per node: of a receive, the node of its transfer; else the node itself
  [[nodiscard]] int rank_of(std::uint32_t node) const;
};

/// Empty and `result` filled when the schedule is well formed and cannot deadlock; else what is wrong.
std::string check_structure(const model::Schedule& schedule, GlobalOrder& result);

} // namespace tandem::collective
