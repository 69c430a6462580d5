// An algorithm of Microsoft's MSCCL as its XML files describe it: thread blocks that run steps one after the other.
#pragma once

#include "model/collective_op.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem::collective::msccl {

/// s send; r receive; rcs receive, copy, send; rrs receive, reduce, send; rrc receive, reduce, copy; rrcs all of that;
/// cpy copy; re reduce; nop only waits.
enum class StepType : std::uint8_t { S, R, RCS, RRS, RRC, RRCS, CPY, RE, NOP };

[[nodiscard]] std::string to_string(StepType type);
[[nodiscard]] bool receives(StepType type);
[[nodiscard]] bool sends(StepType type);
[[nodiscard]] bool reduces(StepType type);
/// What it does depends on the place that `src` (or `dst`) names.
[[nodiscard]] bool reads_source(StepType type);
[[nodiscard]] bool writes_target(StepType type);

/// INPUT i, OUTPUT o, SCRATCH s.
enum class Buffer : std::uint8_t { INPUT, OUTPUT, SCRATCH };

/// Chunks from `first` on.
struct Place {
  Buffer buffer = Buffer::INPUT;
  std::uint32_t first = 0;
};

/// Another step of the same GPU.
struct Dependency {
  std::uint32_t block = 0; ///< index into Gpu::blocks
  std::uint32_t step = 0;
};

struct Step {
  StepType type = StepType::NOP;
  Place source{}, target{};
  std::uint32_t count = 1; ///< chunks
  std::optional<Dependency> after{};
  int line = 0; ///< in the file; 0: not from a file
};

struct Block {
  std::optional<int> send, receive; ///< peers
  int channel = 0;
  std::vector<Step> steps{};
};

struct Gpu {
  std::uint32_t scratch = 0; ///< chunks
  std::vector<Block> blocks;
};

struct Algorithm {
  std::string name, protocol = "Simple";
  model::CollectiveKind kind = model::CollectiveKind::ALL_REDUCE;
  std::uint32_t chunks = 1; ///< that the operation's bytes are cut into
  bool in_place = false;    ///< input and output are one memory
  double least_bytes = 0.0;
  std::optional<double> most_bytes; ///< exclusive
  std::vector<Gpu> gpus;

  [[nodiscard]] int ranks() const { return static_cast<int>(gpus.size()); }
  /// Of the input or output of one GPU.
  [[nodiscard]] std::uint32_t input_chunks() const { return of_all(model::CollectiveKind::ALL_GATHER); }
  [[nodiscard]] std::uint32_t output_chunks() const { return of_all(model::CollectiveKind::REDUCE_SCATTER); }

private:
  [[nodiscard]] std::uint32_t of_all(model::CollectiveKind part) const {
    return kind == part ? chunks / static_cast<std::uint32_t>(gpus.size()) : chunks;
  }
};

} // namespace tandem::collective::msccl
