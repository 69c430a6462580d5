// Which operations of a program come before which, whatever the timing.
#pragma once

#include "model/dag.h"

#include <cstdint>
#include <vector>

namespace tandem::collective {

/// Where operations wait for few others, as the steps of a ring, those are listed; else there is a bit for each pair.
class Ancestors {
public:
  /// Precondition: acyclic.
  explicit Ancestors(const model::Dag& dag);
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const;
  [[nodiscard]] bool ordered(std::uint32_t a, std::uint32_t b) const { return a == b || before(a, b) || before(b, a); }

private:
  /// False when the lists get long.
  bool make_lists(const model::Dag& dag, const std::vector<std::uint32_t>& order);
  void make_bits(const model::Dag& dag, const std::vector<std::uint32_t>& order);

  std::vector<std::vector<std::uint32_t>> lists_; ///< by operation, ascending; empty: there are bits
  std::size_t words_ = 0;                         ///< of an operation
  std::vector<std::uint64_t> bits_;
};

} // namespace tandem::collective
