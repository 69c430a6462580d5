// What a rank's tasks hold of its memory, and when that was most.
#pragma once

#include "model/recording.h"

#include <vector>

namespace tandem::engine {

class MemoryLedger {
public:
  /// `at_start`: bytes by account; empty: none.
  MemoryLedger(std::size_t accounts, const std::vector<model::Bytes>& at_start);
  void change(const std::vector<model::MemoryChange>& changes, double now);
  [[nodiscard]] model::MemoryUse use() const;

private:
  std::vector<double> held_; ///< bytes by account
  double sum_ = 0.0;
  model::MemoryUse use_;
};

} // namespace tandem::engine
