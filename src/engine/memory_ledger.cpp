// Sums of what is held, by account.
#include "engine/memory_ledger.h"

namespace tandem::engine {

MemoryLedger::MemoryLedger(std::size_t accounts, const std::vector<model::Bytes>& at_start) : held_(accounts, 0.0) {
  for (std::size_t account = 0; account < at_start.size(); ++account) {
    held_[account] = at_start[account].value();
    sum_ += held_[account];
  }
  use_.peak_bytes = sum_;
  use_.at_peak = held_;
}

void MemoryLedger::change(const std::vector<model::MemoryChange>& changes, double now) {
  for (const auto& change : changes) {
    held_[change.account] += change.bytes.value();
    sum_ += change.bytes.value();
  }
  if (sum_ <= use_.peak_bytes)
    return;
  use_.peak_bytes = sum_;
  use_.peak_at_s = now;
  use_.at_peak = held_;
}

model::MemoryUse MemoryLedger::use() const {
  auto use = use_;
  use.at_end = held_;
  return use;
}

} // namespace tandem::engine
