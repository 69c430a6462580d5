// Puts a schedule together: one shared program, its labels, and the spans of chunks and slices.
#pragma once

#include "collective/strategy.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tandem::collective {

using model::Op;
using model::OpId;
using model::Span;

/// Pieces [first, first + count) of every chunk. An algorithm that works on a slice leaves the other pieces alone.
struct Slice {
  std::uint32_t first = 0, count = 1;
};

/// A schedule in the making, for ranks that are all alike.
class Composer {
public:
  /// The payload is request.op.bytes cut into ranks x pieces_per_chunk pieces of whole bytes, as even as they come.
  Composer(const std::string& strategy, const Request& request, const model::Cluster& cluster,
           std::uint32_t pieces_per_chunk = 1);
  /// The payload is cut as `piece_bytes` says.
  Composer(const std::string& strategy, const Request& request, const model::Cluster& cluster,
           std::uint32_t pieces_per_chunk, std::vector<double> piece_bytes);

  [[nodiscard]] int ranks() const { return schedule_.ranks; }
  [[nodiscard]] const model::Device& device() const { return device_; }
  [[nodiscard]] model::Schedule& schedule() { return schedule_; }
  [[nodiscard]] Slice whole() const { return {0, schedule_.pieces_per_chunk}; }
  /// The slice of the chunk of rank + offset.
  [[nodiscard]] Span chunk(int offset, Slice slice) const;
  [[nodiscard]] Span all() const { return {0, schedule_.pieces()}; }
  /// Pieces [first, first + count) of the payload as a program that only `rank` runs names them.
  [[nodiscard]] Span pieces_at(int rank, std::uint32_t first, std::uint32_t count) const;

  std::uint16_t label(const std::string& text);
  OpId add(Op op, const std::vector<OpId>& after = {}) { return program_.add(std::move(op), after); }
  void depend(OpId op, OpId on) { program_.depend(op, on); }
  /// Does nothing but wait for all of `after`.
  OpId join(const std::string& text, model::Phase phase, const std::vector<OpId>& after);
  /// From now on transfers follow `protocol`, and a launch costs its base latency.
  void follow(const model::Protocol& protocol);
  /// From now on all is one kernel: a launch that waits for something costs nothing.
  void be_one_kernel() { one_kernel_ = true; }
  /// Launch of a communication kernel: costs the device's launch time.
  OpId launch(const std::string& text, model::Phase phase, const std::vector<OpId>& after);
  /// Ends a program: what is added from now on belongs to the next one. Where ranks are not alike, this is called rank
  /// by rank; else there is one, which finish() ends.
  void end_program();
  /// The next rank runs the program of `rank`, which has ended.
  void run_program_of(int rank);
  /// Ends the making. `goal` is what verify() will prove.
  model::Schedule finish(model::CollectiveKind goal);

private:
  const model::Device& device_;
  model::Seconds launch_cost_;
  bool one_kernel_ = false;
  model::Schedule schedule_;
  model::ProgramBuilder program_;
  std::map<std::string, std::uint16_t> labels_; ///< of schedule_, by text
};

/// `bytes` (a whole number) in `parts` pieces of whole bytes that differ by at most one.
std::vector<double> split_bytes(model::Bytes bytes, std::size_t parts);

/// Empty when the operation is one of `kinds`.
std::string needs_one_of(const std::vector<model::CollectiveKind>& kinds, const Request& request);
/// Empty when all GPUs that the request needs exist and are of one type; else the reason.
std::string needs_uniform_gpus(const Request& request, const model::Cluster& cluster);
/// Empty when, besides, there is a producer GEMM to fuse with and the operation, one of `kinds`, works on its output.
std::string needs_producer(const Request& request, const model::Cluster& cluster,
                           const std::vector<model::CollectiveKind>& kinds = {model::CollectiveKind::ALL_REDUCE,
                                                                              model::CollectiveKind::REDUCE_SCATTER});
/// What a GEMM's output may go through: the reductions and the all-to-all.
std::vector<model::CollectiveKind> kinds_after_gemm();
/// Empty when there is a GEMM that works on what an all-gather brings, besides what needs_uniform_gpus() asks for.
std::string needs_consumer(const Request& request, const model::Cluster& cluster);
/// Empty when the device can reduce in memory.
std::string needs_near_memory(const model::Cluster& cluster);

} // namespace tandem::collective
