// Interned sets, and unions that were asked for before.
#include "collective/contribution_sets.h"

namespace tandem::collective {

ContributionSets::Id ContributionSets::id_of(const Contributions& set) {
  const auto [entry, added] = ids_.try_emplace(set, static_cast<Id>(sets_.size()));
  if (added)
    sets_.push_back(set);
  return entry->second;
}

std::optional<ContributionSets::Id> ContributionSets::united(Id a, Id b) {
  const auto key = std::uint64_t{a} << 32 | b;
  if (const auto known = unions_.find(key); known != unions_.end())
    return known->second;
  auto sum = sets_[a];
  if (!sum.add(sets_[b]))
    return std::nullopt;
  return unions_[key] = id_of(sum);
}

} // namespace tandem::collective
