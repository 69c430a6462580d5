// Schedules in the making, and the conditions that strategies share.
#include "collective/composer.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tandem::collective {

namespace {

std::vector<double> even_pieces(const Request& request, std::uint32_t pieces_per_chunk) {
  std::vector<double> pieces;
  for (const double chunk : split_bytes(request.op.bytes, static_cast<std::size_t>(request.op.ranks)))
    for (const double piece : split_bytes(model::Bytes(chunk), pieces_per_chunk))
      pieces.push_back(piece);
  return pieces;
}

} // namespace

Composer::Composer(const std::string& strategy, const Request& request, const model::Cluster& cluster,
                   std::uint32_t pieces_per_chunk)
    : Composer(strategy, request, cluster, pieces_per_chunk, even_pieces(request, pieces_per_chunk)) {}

Composer::Composer(const std::string& strategy, const Request& request, const model::Cluster& cluster,
                   std::uint32_t pieces_per_chunk, std::vector<double> piece_bytes)
    : device_(*cluster.gpus.front().device), launch_cost_(device_.kernel_launch) {
  schedule_.strategy = strategy;
  schedule_.ranks = request.op.ranks;
  schedule_.pieces_per_chunk = pieces_per_chunk;
  schedule_.piece_bytes = std::move(piece_bytes);
  schedule_.root = request.op.root;
  schedule_.produces = request.producer.has_value();
}

Span Composer::chunk(int offset, Slice slice) const {
  const auto owner = static_cast<std::uint32_t>(schedule_.peer(0, offset));
  return {owner * schedule_.pieces_per_chunk + slice.first, slice.count};
}

Span Composer::pieces_at(int rank, std::uint32_t first, std::uint32_t count) const {
  const auto own = static_cast<std::uint32_t>(rank) * schedule_.pieces_per_chunk;
  return {(first + schedule_.pieces() - own) % schedule_.pieces(), count};
}

std::uint16_t Composer::label(const std::string& text) {
  constexpr std::size_t MOST = 1U << 16U; // as Op::label can number
  if (const auto known = labels_.find(text); known != labels_.end())
    return known->second;
  if (schedule_.labels.size() == MOST)
    return MOST - 1;
  const auto number = static_cast<std::uint16_t>(schedule_.labels.size());
  schedule_.labels.push_back(number + std::size_t{1} < MOST ? text : "later step");
  labels_[text] = number;
  return number;
}

OpId Composer::join(const std::string& text, model::Phase phase, const std::vector<OpId>& after) {
  return add({.phase = phase, .stream = model::Stream::COMMUNICATION, .label = label(text)}, after);
}

OpId Composer::launch(const std::string& text, model::Phase phase, const std::vector<OpId>& after) {
  const bool costs = ranks() > 1 && !(one_kernel_ && !after.empty()); // nothing to say to oneself: no kernel
  const auto cost = costs ? launch_cost_ : model::Seconds(0.0);
  return add({.phase = phase, .stream = model::Stream::COMMUNICATION, .label = label(text), .delay = cost}, after);
}

void Composer::follow(const model::Protocol& protocol) {
  schedule_.protocol = protocol;
  launch_cost_ = protocol.base;
}

void Composer::end_program() {
  schedule_.program_of.push_back(static_cast<std::uint32_t>(schedule_.programs.size()));
  schedule_.programs.push_back(program_.build());
  program_ = {};
}

void Composer::run_program_of(int rank) {
  schedule_.program_of.push_back(schedule_.program_of[static_cast<std::size_t>(rank)]);
}

model::Schedule Composer::finish(model::CollectiveKind goal) {
  schedule_.goal = goal;
  if (schedule_.programs.empty())
    end_program();
  if (schedule_.programs.size() == 1)
    schedule_.program_of.clear();
  return std::move(schedule_);
}

std::vector<double> split_bytes(model::Bytes bytes, std::size_t parts) {
  std::vector<double> pieces(parts);
  double before = 0.0;
  for (std::size_t part = 0; part < parts; ++part) {
    const double end = std::floor(bytes.value() * static_cast<double>(part + 1) / static_cast<double>(parts));
    pieces[part] = end - before;
    before = end;
  }
  return pieces;
}

std::string needs_one_of(const std::vector<model::CollectiveKind>& kinds, const Request& request) {
  if (std::find(kinds.begin(), kinds.end(), request.op.kind) != kinds.end())
    return {};
  std::vector<std::string> names;
  for (const auto kind : kinds)
    names.push_back(model::to_string(kind));
  return fmt::format("it does no {}, only {}", model::to_string(request.op.kind), fmt::join(names, ", "));
}

std::string needs_uniform_gpus(const Request& request, const model::Cluster& cluster) {
  const auto ranks = static_cast<std::size_t>(request.op.ranks);
  if (cluster.gpus.size() < ranks)
    return fmt::format("platform {} has {} GPUs, {} are needed", cluster.name, cluster.gpus.size(), ranks);
  for (std::size_t rank = 1; rank < ranks; ++rank)
    if (const auto& device = cluster.gpus[rank].device;
        !device.is(cluster.gpus[0].device) && device->name != cluster.gpus[0].device->name)
      return fmt::format("GPUs of different types ({} and {}) are not supported yet", cluster.gpus[0].device->name,
                         device->name);
  return {};
}

std::string needs_producer(const Request& request, const model::Cluster& cluster,
                           const std::vector<model::CollectiveKind>& kinds) {
  if (request.consumer)
    return "it works on the output of a GEMM, and this one works on what is gathered";
  if (!request.producer)
    return "it works on the output of a GEMM, and there is none";
  if (auto reason = needs_one_of(kinds, request); !reason.empty())
    return reason;
  return needs_uniform_gpus(request, cluster);
}

std::vector<model::CollectiveKind> kinds_after_gemm() {
  return {model::CollectiveKind::ALL_REDUCE, model::CollectiveKind::REDUCE_SCATTER, model::CollectiveKind::ALL_TO_ALL};
}

std::string needs_consumer(const Request& request, const model::Cluster& cluster) {
  if (!request.consumer)
    return "it gathers for a GEMM, and there is none";
  if (auto reason = needs_one_of({model::CollectiveKind::ALL_GATHER}, request); !reason.empty())
    return reason;
  return needs_uniform_gpus(request, cluster);
}

std::string needs_near_memory(const model::Cluster& cluster) {
  const auto& device = *cluster.gpus.front().device;
  if (device.near_memory.available)
    return {};
  return fmt::format("device {} has no near-memory reduction (near_memory.available: false)", device.name);
}

} // namespace tandem::collective
