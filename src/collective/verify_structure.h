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
/// Where all ranks run one program and the goal knows no root, `one_for_all` may hold: an order of the program's
/// operations in which every rank can do each before any does the next, so that what holds for rank 0, the only one
/// here, holds for all. A receive's sender is then the operation that the peer does.
struct GlobalOrder {
  bool one_for_all = false;
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> order;  ///< all nodes, each after everything that it waits for
  std::vector<std::uint32_t> sender; ///< per node: of a receive, the node of its transfer; else the node itself
  [[nodiscard]] int rank_of(std::uint32_t node) const;
};

/// Empty when indices, spans, costs and resources are well formed; else what is wrong.
std::string check_form(const model::Schedule& schedule);

/// True and `result` filled when one order for all ranks is found. Precondition: check_form() is empty.
bool find_order_for_all(const model::Schedule& schedule, GlobalOrder& result);

/// Empty and `result` filled when the ranks cannot deadlock; else what is wrong. Precondition: check_form() is empty.
std::string find_order(const model::Schedule& schedule, GlobalOrder& result);

} // namespace tandem::collective
