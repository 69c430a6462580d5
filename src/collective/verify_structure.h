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
///
/// Where programs repeat after some ranks and the goal knows no root, those ranks may stand for all: rank r for r +
/// ranks, r + 2 ranks, ... The order is then one in which all that a rank stands for can do each operation before any
/// does the next, so that what holds for these ranks holds for all. A receive's sender is the operation that the peer
/// does.
struct GlobalOrder {
  int ranks = 0; ///< that are here, a divisor of the schedule's
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> order;  ///< all nodes, each after everything that it waits for
  std::vector<std::uint32_t> sender; ///< per node: of a receive, the node of its transfer; else the node itself
  [[nodiscard]] int rank_of(std::uint32_t node) const;
};

/// Empty when indices, spans, costs and resources are well formed; else what is wrong.
std::string check_form(const model::Schedule& schedule);

/// Ranks of the order that find_order_for_all() looks for; all: there is none to be found.
int ranks_that_stand_for_all(const model::Schedule& schedule);

/// True and `result` filled when one order for all ranks is found. Precondition: check_form() is empty.
bool find_order_for_all(const model::Schedule& schedule, GlobalOrder& result);

/// Empty and `result` filled when the ranks cannot deadlock; else what is wrong. Precondition: check_form() is empty.
std::string find_order(const model::Schedule& schedule, GlobalOrder& result);

} // namespace tandem::collective
