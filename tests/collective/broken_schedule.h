// A real strategy's schedule, and small changes that break it.
#pragma once

#include "built_clusters.h"
#include "every_strategy.h"
#include "number_player.h"
#include "schedule_edit.h"

#include "collective/verify.h"

#include <functional>
#include <string>

namespace tandem::collective {

using model::CollectiveKind;
using model::Op;
using model::OpKind;
using model::Schedule;

constexpr auto SEND = OpKind::TRANSFER;
constexpr auto WORK = OpKind::WORK;
constexpr auto RECV = OpKind::RECV;

/// All-reduce of 4 x 1 KiB on 4 ranks, chunks of one piece: operation 0 is the RS's launch, 1 to 6 are its steps (send,
/// receive), 7 the final reduce, 8 the AG's launch, 9 to 14 its steps, 15 its end.
inline Schedule ring() {
  return select_strategy("sequential").strategy->plan(plain(CollectiveKind::ALL_REDUCE, 4, 4096), ring_of(4));
}
inline Schedule of(const std::string& strategy) {
  return select_strategy(strategy).strategy->plan(fused(4, {.m = 512, .n = 128, .k = 64}), ring_of(4));
}

inline Op& op(Schedule& schedule, const std::string& label, OpKind kind, int nth = -1) {
  return schedule.programs.front().ops[find_op(schedule, label, kind, nth)];
}
inline void edit(Schedule& schedule, const std::function<void(LooseProgram&)>& change) {
  LooseProgram loose(schedule.programs.front());
  change(loose);
  schedule.programs.front() = loose.tight();
}
inline void unlink(Schedule& schedule, std::uint32_t from, std::uint32_t to) {
  edit(schedule, [&](LooseProgram& program) { program.unlink(from, to); });
}
inline void link(Schedule& schedule, std::uint32_t from, std::uint32_t to) {
  edit(schedule, [&](LooseProgram& program) { program.edges.emplace_back(from, to); });
}
inline void erase(Schedule& schedule, const std::string& label, OpKind kind) {
  const auto which = find_op(schedule, label, kind);
  edit(schedule, [&](LooseProgram& program) { program.erase(which, true); });
}

inline std::string worst_order(const Schedule& schedule) {
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    if (auto wrong = play_numbers(schedule, seed); !wrong.empty())
      return wrong;
  return {};
}

} // namespace tandem::collective
