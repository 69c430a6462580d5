// Reserves addresses once, and cuts new blocks. Runs inside operator new, before main() too: it allocates nothing.
#include "base/block_pool.h"

#include <sys/mman.h>

namespace tandem::base::block_pool::detail {

constinit thread_local std::array<Blocks, SIZES> blocks{};
constinit std::atomic<std::uintptr_t> begin{0};
constinit std::atomic<std::size_t> extent{0};

namespace {

constexpr std::size_t PIECE = std::size_t{1} << 16U; ///< bytes that a thread takes at a time

constinit std::array<std::atomic<std::size_t>, SIZES> taken{}; ///< bytes of each size's span

/// Addresses without memory behind them, which comes as they are touched.
char* reserve() noexcept {
  void* const start =
      mmap(nullptr, SIZES * SPAN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED)
    return nullptr;
  madvise(start, SIZES * SPAN, MADV_NOHUGEPAGE); // of most sizes there are few
  begin.store(reinterpret_cast<std::uintptr_t>(start), std::memory_order_relaxed);
  extent.store(SIZES * SPAN, std::memory_order_relaxed);
  return static_cast<char*>(start);
}

} // namespace

void* new_block(std::size_t size) noexcept {
  static char* const start = reserve();
  auto& own = blocks[size];
  const auto bytes = (size + 1) * STEP;
  if (own.unused == nullptr || own.unused + bytes > own.end) {
    if (start == nullptr)
      return nullptr;
    const auto at = taken[size].fetch_add(PIECE, std::memory_order_relaxed);
    if (at >= SPAN)
      return nullptr;
    own.unused = start + size * SPAN + at;
    own.end = own.unused + PIECE;
  }
  auto* const block = own.unused;
  own.unused += bytes;
  return block;
}

} // namespace tandem::base::block_pool::detail
