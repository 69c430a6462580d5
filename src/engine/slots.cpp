// Grants, spills and their count.
#include "engine/slots.h"

#include <algorithm>

namespace tandem::engine {

bool Slots::grant(std::uint32_t& op) {
  if (next_ == acquirers_.size() || in_use_ >= resource_.capacity)
    return false;
  const auto found = std::find(wanting_.begin(), wanting_.end(), acquirers_[next_]);
  if (found == wanting_.end())
    return false;
  op = *found;
  wanting_.erase(found);
  ++next_;
  peak_ = std::max(peak_, ++in_use_);
  return true;
}

bool Slots::take() {
  const bool fits = in_use_ < resource_.capacity;
  if (!fits)
    ++spills_;
  ++in_use_;
  peak_ = std::max(peak_, in_use_);
  return fits;
}

void Slots::release() {
  --in_use_;
}

} // namespace tandem::engine
