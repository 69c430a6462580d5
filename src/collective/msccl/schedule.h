// An MSCCL algorithm as a schedule, and a schedule as an MSCCL algorithm.
#pragma once

#include "collective/msccl/algorithm.h"
#include "collective/strategy.h"

namespace tandem::collective::msccl {

/// A connection holds so many messages that have come in and have not been taken (NCCL_STEPS of NCCL).
constexpr std::uint32_t CONNECTION_SLOTS = 8;

/// Every step of `algorithm` as the operations of its GPU, a thread block on `sms` SMs; docs/models.md, "MSCCL".
/// Precondition: the request's operation, ranks and bytes are the algorithm's.
model::Schedule to_schedule(const Algorithm& algorithm, const Request& request, const model::Cluster& cluster, int sms);

/// Throws Infeasible when the format cannot say it: pieces that differ in size, kernels, bounded resources.
Algorithm from_schedule(const model::Schedule& schedule);

/// The text of its file.
std::string to_xml(const Algorithm& algorithm);

} // namespace tandem::collective::msccl
