// Lower bounds by work, by bytes across cuts, and by latency; docs/models.md, "Bounds".
#include "collective/bounds.h"

#include <algorithm>
#include <cmath>

namespace tandem::collective {

using model::CollectiveKind;

namespace {

/// Bytes that one rank has for others, summed over the pairs that cross the cut outwards.
double pairs_across(const model::CollectiveOp& op, const Cut& cut, bool outwards) {
  double sum = 0.0;
  for (int from = 0; from < op.ranks; ++from)
    for (int to = 0; to < op.ranks; ++to)
      if (cut.has(from) == outwards && cut.has(to) != outwards)
        sum += (*op.pairs)[static_cast<std::size_t>(from) * static_cast<std::size_t>(op.ranks) +
                           static_cast<std::size_t>(to)];
  return sum;
}

/// A chunk in whole bytes: none is smaller.
double chunk_of(const model::CollectiveOp& op) {
  return std::floor(op.bytes.value() / op.ranks);
}

/// Bytes that must cross from the ranks of the cut to the others, or back.
double demand(const model::CollectiveOp& op, const Cut& cut, bool outwards, bool adds_in_switch) {
  const int senders = outwards ? cut.inside() : op.ranks - cut.inside();
  const int receivers = op.ranks - senders;
  const double bytes = op.bytes.value(), chunk = chunk_of(op);
  const bool root_sends = cut.has(op.root) == outwards;
  switch (op.kind) {
  case CollectiveKind::REDUCE_SCATTER:
    return receivers * chunk; // sums of what the senders have for each receiver
  case CollectiveKind::ALL_GATHER:
    return senders * chunk;
  case CollectiveKind::ALL_TO_ALL:
    return chunk * senders * receivers;
  case CollectiveKind::ALL_REDUCE:
    // A switch that adds and copies takes each contribution once; no rank needs to send what it sums up itself.
    return adds_in_switch ? receivers * chunk : bytes;
  case CollectiveKind::BROADCAST:
    return root_sends ? bytes : 0.0;
  case CollectiveKind::REDUCE:
    return root_sends ? 0.0 : bytes;
  case CollectiveKind::SCATTER:
    return root_sends ? receivers * chunk : 0.0;
  case CollectiveKind::GATHER:
    return root_sends ? 0.0 : senders * chunk;
  case CollectiveKind::ALL_TO_ALL_V:
    return pairs_across(op, cut, outwards);
  case CollectiveKind::SEND_RECV: // the last of the senders has the first of the receivers for its next
    return bytes;
  case CollectiveKind::BARRIER:
    return 0.0;
  }
  return 0.0;
}

/// Whether something of `from` must reach `to`.
bool must_reach(const model::CollectiveOp& op, int from, int to) {
  switch (op.kind) {
  case CollectiveKind::BARRIER:
    return true;
  case CollectiveKind::ALL_REDUCE:
    return op.bytes.value() >= 1.0;
  case CollectiveKind::BROADCAST:
    return from == op.root && op.bytes.value() >= 1.0;
  case CollectiveKind::REDUCE:
    return to == op.root && op.bytes.value() >= 1.0;
  case CollectiveKind::SCATTER:
    return from == op.root && chunk_of(op) >= 1.0;
  case CollectiveKind::GATHER:
    return to == op.root && chunk_of(op) >= 1.0;
  case CollectiveKind::SEND_RECV:
    return to == (from + 1) % op.ranks && op.bytes.value() >= 1.0;
  case CollectiveKind::ALL_TO_ALL_V:
    return (*op.pairs)[static_cast<std::size_t>(from) * static_cast<std::size_t>(op.ranks) +
                       static_cast<std::size_t>(to)] >= 1.0;
  default:
    return chunk_of(op) >= 1.0;
  }
}

double latency_bound(const model::CollectiveOp& op, const Cuts& cuts) {
  if (op.kind == CollectiveKind::BARRIER || (op.kind == CollectiveKind::ALL_REDUCE && op.bytes.value() >= 1.0))
    return cuts.farthest();
  double longest = 0.0;
  for (int from = 0; from < op.ranks; ++from)
    for (int to = 0; to < op.ranks; ++to)
      if (const double latency = cuts.latency(from, to); latency > longest && must_reach(op, from, to))
        longest = latency;
  return longest;
}

} // namespace

base::Seconds communication_bound(const Request& request, const model::Cluster& cluster, const Cuts& cuts,
                                  double wire_factor) {
  const auto& op = request.op;
  if (op.ranks < 2)
    return base::Seconds(0.0);
  const bool adds_in_switch = cluster.node_reduces_in_switch || cluster.fabric_reduces_in_switch;
  // Chunks of whole tiles differ in size: some rank has an average one, but no larger set need have.
  const bool fused = request.producer || request.consumer;
  double longest = fused ? 0.0 : latency_bound(op, cuts);
  for (const auto& cut : cuts.all()) {
    if (fused && cut.inside() > 1)
      continue;
    if (const double out = demand(op, cut, true, adds_in_switch); out >= 1.0)
      longest = std::max(longest, out * wire_factor / cut.out + cut.out_latency);
    if (const double in = demand(op, cut, false, adds_in_switch); in >= 1.0)
      longest = std::max(longest, in * wire_factor / cut.in + cut.in_latency);
  }
  if (op.kind == CollectiveKind::ALL_REDUCE && !adds_in_switch) {
    const double bytes = 2.0 * op.bytes.value() * wire_factor;
    longest = std::max(longest, bytes * (op.ranks - 1) / cuts.out_of_ranks());
    if (cuts.nodes() > 1)
      longest = std::max(longest, bytes * (cuts.nodes() - 1) / cuts.out_of_nodes());
  }
  return base::Seconds(longest);
}

base::Seconds compute_bound(const model::Gemm& gemm, const model::Device& device) {
  return gemm.flops() / model::gemm_rate(gemm, device);
}

base::Seconds lower_bound(const Request& request, const model::Cluster& cluster, const Cuts& cuts, double wire_factor) {
  const auto communication = communication_bound(request, cluster, cuts, wire_factor);
  const auto& gemm = request.producer ? request.producer : request.consumer;
  if (!gemm)
    return communication;
  return std::max(communication, compute_bound(*gemm, *cluster.gpus.front().device));
}

base::Seconds lower_bound(const Request& request, const model::Cluster& cluster, double wire_factor) {
  return lower_bound(request, cluster, Cuts(cluster, request.op.ranks), wire_factor);
}

} // namespace tandem::collective
