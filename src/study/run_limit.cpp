// The estimate, and the refusal in words.
#include "study/run_limit.h"

#include "base/error.h"
#include "base/log.h"
#include "base/units.h"
#include "collective/verify.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tandem::study {

namespace {

// Fitted to the runs of docs/models.md, "What a simulation costs".

// One send, receive or piece of work with its activities: twice as much where so many ranks are played, as less of them
// is in the processor's cache.
constexpr double SECONDS_PER_OPERATION = 5.5e-6, CLASSES_OF_TWICE = 250.0;
// Of a proof.
constexpr double SECONDS_PER_PLACE = 8e-8, SECONDS_PER_PROVEN_OPERATION = 2e-6, BYTES_PER_PLACE = 30.0;
// Of a rank's routes, when they are sorted and looked at.
constexpr double SECONDS_PER_RANK = 2e-5;
// The program with its libraries; a rank of the cluster with its routes; a class of ranks with its actor.
constexpr double BYTES_OF_PROGRAM = 40e6, BYTES_PER_RANK = 1.3e3, BYTES_PER_CLASS = 30e3;

} // namespace

RunCost one_after_the_other(const RunCost& first, const RunCost& second) {
  return {first.seconds + second.seconds, std::max(first.bytes, second.bytes)};
}

RunCost proof_cost(const model::Schedule& schedule) {
  const auto size = collective::proof_size(schedule);
  return {.seconds = SECONDS_PER_PLACE * static_cast<double>(size.places) +
                     SECONDS_PER_PROVEN_OPERATION * static_cast<double>(size.operations),
          .bytes = BYTES_OF_PROGRAM + BYTES_PER_PLACE * static_cast<double>(size.places)};
}

RunCost proof_cost(const model::Job& job) {
  RunCost sum;
  for (const auto& schedule : job.schedules)
    sum = one_after_the_other(sum, proof_cost(*schedule));
  return sum;
}

RunCost play_cost(const engine::Load& load) {
  const double each = SECONDS_PER_OPERATION * (1.0 + load.classes / CLASSES_OF_TWICE);
  return {.seconds = each * static_cast<double>(load.operations) + SECONDS_PER_RANK * load.ranks,
          .bytes = BYTES_OF_PROGRAM + BYTES_PER_RANK * load.ranks + BYTES_PER_CLASS * load.classes};
}

RunLimit::RunLimit(CostLimits limits, std::string what, std::string advice)
    : limits_(limits), what_(std::move(what)), advice_(std::move(advice)) {}

void RunLimit::check_proof(const RunCost& proof) const {
  check(proof, "its proof follows every rank: a strategy whose ranks all do the same is cheaper");
}

std::function<void(const engine::Load&)> RunLimit::before_playing(const RunCost& proofs) const {
  return [limit = *this, proofs](const engine::Load& load) {
    const auto all = one_after_the_other(proofs, play_cost(load));
    base::log_info(fmt::format("{}: {} classes of ranks, {} operations, about {:.2g} s and {}", limit.what_,
                               load.classes, load.operations, all.seconds, base::format_bytes(base::Bytes(all.bytes))));
    limit.check(all, fmt::format("{} operations of {} classes of ranks are to be played: {}", load.operations,
                                 load.classes, limit.advice_));
  };
}

void RunLimit::check(const RunCost& cost, const std::string& advice) const {
  if (limits_.most_s > 0.0 && cost.seconds > limits_.most_s)
    throw base::Infeasible(fmt::format("{}: it would take about {:.2g} s, longer than {:.2g} s; {} (--max-time 0s "
                                       "to wait for it)",
                                       what_, cost.seconds, limits_.most_s, advice));
  if (limits_.most_bytes > 0.0 && cost.bytes > limits_.most_bytes)
    throw base::Infeasible(fmt::format(
        "{}: it would take about {} of memory, more than {}; {} (--max-memory 0B to try it)", what_,
        base::format_bytes(base::Bytes(cost.bytes)), base::format_bytes(base::Bytes(limits_.most_bytes)), advice));
}

} // namespace tandem::study
