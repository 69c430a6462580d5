// Bounded resources of one rank: slots granted in program order, or spilled.
#pragma once

#include "engine/program_index.h"
#include "model/recording.h"

#include <cstdint>
#include <vector>

namespace tandem::engine {

/// The slots of one resource on one rank.
class Slots {
public:
  Slots(const model::Resource& resource, const std::vector<std::uint32_t>& acquirers)
      : resource_(resource), acquirers_(acquirers) {}

  /// BLOCK: the operation wants a slot.
  void request(std::uint32_t op) { wanting_.push_back(op); }
  /// BLOCK: the next operation in program order that can have one now; takes the slot. False when there is none.
  bool grant(std::uint32_t& op);
  /// SPILL: takes a slot; false when none was free and the caller pays the spill.
  bool take();
  void release();

  [[nodiscard]] int peak() const { return peak_; }
  [[nodiscard]] std::uint64_t spills() const { return spills_; }

private:
  const model::Resource& resource_;
  const std::vector<std::uint32_t>& acquirers_;
  std::vector<std::uint32_t> wanting_;
  std::size_t next_ = 0;
  int in_use_ = 0, peak_ = 0;
  std::uint64_t spills_ = 0;
};

} // namespace tandem::engine
