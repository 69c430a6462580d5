// Memory for small objects from lists of free blocks, one for each size. SimGrid makes and frees some eighty objects
// for each message: malloc and free were a fifth of a long simulation.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tandem::base::block_pool {

constexpr std::size_t STEP = 16;  ///< bytes between sizes, and how blocks are aligned
constexpr std::size_t SIZES = 24; ///< STEP, 2 STEP, ...
constexpr std::size_t LARGEST = SIZES * STEP;

namespace detail {

/// Addresses of blocks of one size. All of them are reserved at once, so that an address tells the size.
constexpr std::size_t SPAN = std::size_t{1} << 32U;

struct FreeBlock {
  FreeBlock* next;
};
/// Of one size and thread; what a thread leaves when it ends is lost.
struct Blocks {
  FreeBlock* freed;   ///< the last one first
  char *unused, *end; ///< of the piece that new ones are cut from
};
extern constinit thread_local std::array<Blocks, SIZES> blocks;
extern constinit std::atomic<std::uintptr_t> begin; ///< of all addresses
extern constinit std::atomic<std::size_t> extent;   ///< 0: none are reserved yet, or the system had none

void* new_block(std::size_t size) noexcept;

} // namespace detail

/// A block of at least `bytes`, of any content. Null: it is to be had elsewhere. Precondition: 1 to LARGEST bytes.
inline void* take(std::size_t bytes) noexcept {
  const auto size = (bytes - 1) / STEP;
  auto& blocks = detail::blocks[size];
  auto* const block = blocks.freed;
  if (block == nullptr)
    return detail::new_block(size);
  blocks.freed = block->next;
  return block;
}

/// Takes back a block; false where it is not from here.
inline bool give_back(void* block) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(block) - detail::begin.load(std::memory_order_relaxed);
  if (at >= detail::extent.load(std::memory_order_relaxed))
    return false;
  auto& blocks = detail::blocks[at / detail::SPAN];
  auto* const freed = static_cast<detail::FreeBlock*>(block);
  freed->next = blocks.freed;
  blocks.freed = freed;
  return true;
}

} // namespace tandem::base::block_pool
