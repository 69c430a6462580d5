// The program's operator new and delete, also for the libraries that it uses: small objects come from the block pool.
// Debug builds go without, so that sanitizers and valgrind see each object.
#ifdef NDEBUG

#include "base/block_pool.h"

#include <cstdlib>
#include <new>

namespace pool = tandem::base::block_pool;

namespace {

void* from_malloc(std::size_t bytes) {
  while (true) {
    if (void* const memory = std::malloc(bytes))
      return memory;
    const auto handler = std::get_new_handler();
    if (handler == nullptr)
      throw std::bad_alloc();
    handler();
  }
}

} // namespace

void* operator new(std::size_t bytes) {
  bytes += bytes == 0 ? 1 : 0;
  if (bytes <= pool::LARGEST)
    if (void* const block = pool::take(bytes))
      return block;
  return from_malloc(bytes);
}

void operator delete(void* memory) noexcept {
  if (!pool::give_back(memory))
    std::free(memory);
}

void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  operator delete(memory);
}

#endif
