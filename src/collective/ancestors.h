// Which operations of a program come before which, whatever the timing.
#pragma once

#include "model/dag.h"

#include <cstdint>
#include <vector>

namespace tandem::collective {

/// Programs of many steps are a few chains long and narrow, and a position in each chain says all; wide ones need a bit
/// per pair. Whichever is smaller is kept.
class Ancestors {
public:
  /// Precondition: acyclic.
  explicit Ancestors(const model::Dag& dag);
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const {
    if (!bits_.empty())
      return (bits_[b * words_ + a / 64] >> (a % 64) & 1) != 0;
    return reached_[std::size_t{b} * chains_ + chain_[a]] > place_[a];
  }
  [[nodiscard]] bool ordered(std::uint32_t a, std::uint32_t b) const { return a == b || before(a, b) || before(b, a); }

private:
  void make_chains(const model::Dag& dag, const std::vector<std::uint32_t>& order);
  void reach_by_chains(const model::Dag& dag, const std::vector<std::uint32_t>& order);
  void reach_by_bits(const model::Dag& dag, const std::vector<std::uint32_t>& order);

  std::uint32_t chains_ = 0;
  std::vector<std::uint32_t> chain_, place_; ///< by operation: its chain, and how many are before it there
  std::vector<std::uint32_t> reached_;       ///< by operation and chain: how many of the chain come before it
  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
};

} // namespace tandem::collective
