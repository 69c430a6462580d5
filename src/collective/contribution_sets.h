// Sets of contributions by number: a proof names the same few again and again.
#pragma once

#include "collective/contributions.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

namespace tandem::collective {

class ContributionSets {
public:
  using Id = std::uint32_t;
  static constexpr Id EMPTY = 0;

  ContributionSets() { (void)id_of({}); }
  [[nodiscard]] Id id_of(const Contributions& set);
  [[nodiscard]] const Contributions& operator[](Id id) const { return sets_[id]; }
  /// Empty when the two have a rank in common.
  [[nodiscard]] std::optional<Id> united(Id a, Id b);

private:
  struct Hash {
    std::size_t operator()(const Contributions& set) const { return set.hash(); }
  };
  std::deque<Contributions> sets_;
  std::unordered_map<Contributions, Id, Hash> ids_;
  std::unordered_map<std::uint64_t, Id> unions_; ///< by both ids
};

} // namespace tandem::collective
