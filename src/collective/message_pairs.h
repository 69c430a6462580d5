// Which receive of which program meets which transfer, over all ranks.
#pragma once

#include "model/schedule.h"

#include <cstdint>
#include <vector>

namespace tandem::collective {

/// An operation of a program, whatever rank runs it.
struct ProgramOp {
  std::uint32_t program = 0, op = 0;
  bool operator==(const ProgramOp&) const = default;
};

class MessagePairs {
public:
  /// Precondition: the schedule is proven.
  explicit MessagePairs(const model::Schedule& schedule);

  /// Ranks that share a program receive from the same operation: what is true of one message is true of its copies.
  [[nodiscard]] bool uniform() const { return uniform_; }
  /// The transfer that a receive meets. Precondition: uniform().
  [[nodiscard]] ProgramOp sender(ProgramOp receive) const { return senders_[receive.program][receive.op]; }
  /// The largest message, in bytes, of those that a transfer or a receive stands for on any rank, with all that share
  /// an operation with them.
  [[nodiscard]] double largest(ProgramOp op) const;

private:
  [[nodiscard]] std::uint32_t node(ProgramOp op) const { return offsets_[op.program] + op.op; }
  [[nodiscard]] std::uint32_t root(std::uint32_t node) const;
  void pair(ProgramOp send, ProgramOp receive, double bytes);

  std::vector<std::uint32_t> offsets_; ///< per program, of its first operation
  std::vector<std::uint32_t> parents_; ///< union-find over all operations
  std::vector<double> largest_;        ///< of a root
  std::vector<std::vector<ProgramOp>> senders_;
  std::vector<std::vector<bool>> paired_;
  bool uniform_ = true;
};

} // namespace tandem::collective
