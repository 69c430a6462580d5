// A schedule whose repeated steps are played as one: a ring's N - 1 messages to the same neighbour become one long
// flow, with their latencies summed.
#pragma once

#include "model/cluster.h"
#include "model/schedule.h"

#include <optional>

namespace tandem::collective {

/// The same schedule with Op::repeats in place of repeated steps; empty when its structure does not allow it: a message
/// that waits for the one just before it in another chain (a pipeline of chunks, a copy engine behind an addition)
/// would start too early. Where nothing else is on the links and every step has the same bottleneck, the time is that
/// of the steps; docs/models.md, "Granularity", has the bound for the rest. Pieces become alike, of the mean size, and
/// the latency of a message the mean of those that the ranks receive over the routes of `group`: a part of a payload
/// goes all the way round. Operations touch no data any more: prove the schedule before. Precondition: it has passed
/// verify().
std::optional<model::Schedule> as_flows(const model::Schedule& schedule, const model::Cluster& group);

} // namespace tandem::collective
