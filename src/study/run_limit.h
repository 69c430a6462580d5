// What a simulation will cost, told before it begins, and refused where nobody would wait for it or memory would not
// do.
#pragma once

#include "engine/play.h"
#include "model/job.h"

#include <functional>
#include <string>

namespace tandem::study {

/// An estimate; docs/models.md, "What a simulation costs", has its measurements and errors.
struct RunCost {
  double seconds = 0.0; ///< of one core of the machine that the document tells of
  double bytes = 0.0;   ///< of memory at the peak
};

/// The times of both, and the memory of the larger.
RunCost one_after_the_other(const RunCost& first, const RunCost& second);
/// Of the proof of a schedule that has been planned, and of those of a job, one after the other.
RunCost proof_cost(const model::Schedule& schedule);
RunCost proof_cost(const model::Job& job);
/// Of playing.
RunCost play_cost(const engine::Load& load);

/// What a user bears; 0: anything.
struct CostLimits {
  double most_s = 0.0;
  double most_bytes = 0.0;
};

/// The limits for one simulation.
class RunLimit {
public:
  /// None.
  RunLimit() = default;
  /// `what` is simulated, in words; `advice`: what makes it cheaper to play.
  RunLimit(CostLimits limits, std::string what, std::string advice);
  /// Before a schedule is proven. Throws Infeasible.
  void check_proof(const RunCost& proof) const;
  /// For engine::PlayOptions, with what proofs have cost before: logs the estimate, and throws Infeasible where it is
  /// too much.
  [[nodiscard]] std::function<void(const engine::Load&)> before_playing(const RunCost& proofs) const;

private:
  void check(const RunCost& cost, const std::string& advice) const;

  CostLimits limits_;
  std::string what_, advice_;
};

} // namespace tandem::study
