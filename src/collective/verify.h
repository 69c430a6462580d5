// The data-flow proof of a schedule: it is right whatever the timing, or it is refused.
#pragma once

#include "model/schedule.h"

#include <cstdint>
#include <string>

namespace tandem::collective {

/// Empty when the schedule is proven, else one sentence that says what is wrong and where.
///
/// Proven is that
///  - indices, spans, costs, channels and resources are well formed, and the k-th transfer of a channel meets the k-th
///    receive, of the same pieces;
///  - operations, channels (in order, one transfer at a time, each once its receive is posted) and blocking resources
///    (granted and given back in program order) wait for each other without a cycle, so that no order of events can
///    exhaust a resource or stop the schedule;
///  - accesses to the same data on a rank are ordered by the rank's own dependencies unless both read or both update,
///    so that no timing changes the result;
///  - nothing is read or added to before it is written (LOCAL of a schedule that `produces` starts empty), only parts
///  of
///    one piece are added up, no contribution is added twice, an operation moves as many bytes as it says, and at the
///    end each rank holds exactly what the goal promises, where it belongs.
/// Where all ranks run one program and no rank is special, what is proven for rank 0 is proven for all.
/// Data only: times are the engine's.
std::string verify(const model::Schedule& schedule);

/// What a proof has to follow, known before it begins.
struct ProofSize {
  std::uint64_t places = 0; ///< of pieces, in the buffers of all ranks that are followed
  std::uint64_t operations = 0;
};
/// Linear in the ranks where one of each program stands for all, else in their square.
ProofSize proof_size(const model::Schedule& schedule);

/// Throws Bug, "WHO: the schedule is not proven: ...", unless verify() agrees.
void require_proof(const model::Schedule& schedule, const std::string& who);

} // namespace tandem::collective
