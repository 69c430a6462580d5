// Pages that stay shared across fork().
#include "study/run_progress.h"

#include "base/error.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <sys/mman.h>
#include <utility>

namespace tandem::study {

struct ProgressBoard::Entry {
  std::atomic<double> simulated_s{0.0}, share{0.0};
};
static_assert(std::atomic<double>::is_always_lock_free); // a lock would not reach another process

ProgressBoard::ProgressBoard(std::size_t simulations, Show show) : simulations_(simulations), show_(std::move(show)) {
  if (!show_ || simulations == 0)
    return;
  void* pages = mmap(nullptr, simulations * sizeof(Entry), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    throw base::Bug(std::string("mmap: ") + std::strerror(errno));
  entries_ = static_cast<Entry*>(pages);
  for (std::size_t number = 0; number < simulations; ++number)
    new (entries_ + number) Entry;
}

ProgressBoard::~ProgressBoard() {
  if (entries_ != nullptr)
    munmap(entries_, simulations_ * sizeof(Entry));
}

ReportProgress ProgressBoard::reporter(std::size_t number) const {
  if (entries_ == nullptr)
    return {};
  return [entry = entries_ + number](const engine::Progress& progress) {
    entry->simulated_s = progress.simulated_s;
    entry->share = progress.share;
  };
}

std::function<void(std::size_t, std::size_t)> ProgressBoard::watcher() const {
  if (entries_ == nullptr)
    return {};
  return [this](std::size_t done, std::size_t all) { show_(so_far(done, all)); };
}

RunProgress ProgressBoard::so_far(std::size_t done, std::size_t all) const {
  RunProgress progress{.done = done, .all = all};
  for (std::size_t number = 0; number < simulations_; ++number) {
    const double share = entries_[number].share;
    progress.share += share / static_cast<double>(simulations_);
    if (share < 1.0)
      progress.simulated_s = std::max<double>(progress.simulated_s, entries_[number].simulated_s);
  }
  return progress;
}

} // namespace tandem::study
