// What the strategies for a collective on its own have in common: no GEMM to fuse with, and a list of operations.
#pragma once

#include "collective/blocks.h"
#include "collective/parameters.h"

#include <string>
#include <vector>

namespace tandem::collective {

class PlainStrategy : public Strategy {
public:
  /// `parameters` has `sms`, and `kinds` is what the strategy does.
  PlainStrategy(std::string name, std::vector<model::CollectiveKind> kinds, const Parameters& parameters);
  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override;

protected:
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The communication kernel's SMs, shared evenly by `flows` that run side by side.
  [[nodiscard]] Mover mover(const Composer& composer, int flows = 1, std::uint16_t channel = 0) const;

private:
  std::string name_;
  std::vector<model::CollectiveKind> kinds_;
  int sms_;
};

/// The parameter `sms`, which all of them have.
Parameter sms_of_collective();
/// The parameter `chunks`, of those that pipeline.
Parameter chunks_of_pipeline();
constexpr int MOST_CHUNKS = 4096;

/// A payload that goes through a pipeline in even parts, for operations that do not ask which rank owns a chunk: a part
/// is one piece, and what is left of ranks x pieces_per_chunk pieces is empty and goes with the last.
class PipelineParts {
public:
  PipelineParts(const model::CollectiveOp& op, int parts);
  [[nodiscard]] std::uint32_t pieces_per_chunk() const { return pieces_per_chunk_; }
  [[nodiscard]] std::vector<double> piece_bytes() const;
  /// Part `index` in the program of `rank`.
  [[nodiscard]] Span span(const Composer& composer, int rank, int index) const;

private:
  model::CollectiveOp op_;
  int parts_;
  std::uint32_t pieces_per_chunk_;
};

/// Makes a finished own part of LOCAL part of the RESULT: the same memory, so that it costs nothing.
OpId append_in_place(Composer& composer, Span span, const std::vector<OpId>& after);

} // namespace tandem::collective
