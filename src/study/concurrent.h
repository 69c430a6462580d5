// Several collectives at once: each on a stream and in a group of its own, as an NCCL communicator is, and all of them
// contending for links, memory and SMs.
#pragma once

#include "base/units.h"
#include "model/job.h"
#include "model/recording.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tandem::study {

/// One group's collectives. Groups may overlap in any way.
struct Party {
  std::shared_ptr<const model::Schedule> schedule; ///< of as many ranks as there are members
  std::vector<std::uint32_t> members;              ///< ranks of the cluster, each once
  base::Seconds start{};                           ///< no sooner than this
  int count = 1;                                   ///< of the collective, one after the other
};

/// The ranks of any party, ascending: GPU i of a concurrent_job() is the i-th of them.
std::vector<std::uint32_t> ranks_of(const std::vector<Party>& parties);

/// What cluster.part(ranks_of(parties)) plays: stream i is party i's. Throws Bug when a schedule is not of its party's
/// size.
model::Job concurrent_job(const std::vector<Party>& parties);

/// For each party, s: from its start until the last of its members is done. The recording has tasks.
std::vector<double> times_of(const std::vector<Party>& parties, const model::Job& job,
                             const model::Recording& recording);

} // namespace tandem::study
