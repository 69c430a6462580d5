// FNV-1a as published by Fowler, Noll and Vo: offset basis and prime of the 64-bit variant.
#include "base/digest.h"

#include "base/file.h"

#include <cstdint>
#include <fmt/format.h>

namespace tandem::base {

std::string digest(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return fmt::format("{:016x}", hash);
}

std::string digest_file(const std::string& path) {
  return digest(read_text_file(path));
}

} // namespace tandem::base
