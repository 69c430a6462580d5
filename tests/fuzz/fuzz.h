// What all fuzzers share: an input as a file, and the two ways in which a reader may end.
#pragma once

#include "base/error.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace tandem::fuzz {

/// Ends the process so that libFuzzer keeps the input.
[[noreturn]] inline void fail(std::string_view what) {
  std::fprintf(stderr, "fuzz: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

inline void expect(bool holds, std::string_view what) {
  if (!holds)
    fail(what);
}

/// Runs `read`. It returns, or says in one printable line what is the user's fault; any other exception ends the
/// process.
template <class Read> void expect_answer_or_user_error(Read read) {
  std::string message;
  try {
    read();
    return;
  } catch (const base::UserError& error) {
    message = error.what();
  } catch (const base::Infeasible& error) {
    message = error.what();
  }
  expect(!message.empty(), "an error without a message");
  for (const char c : message)
    expect(static_cast<unsigned char>(c) >= 0x20U, "a control character in this message: " + message);
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A file in memory for readers that take a path. Each write replaces the contents.
class MemoryFile {
public:
  MemoryFile() : descriptor_(memfd_create("fuzz", 0)) { expect(descriptor_ >= 0, "no memory file"); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }
  void write(const std::uint8_t* data, std::size_t size) const {
    const bool done =
        ftruncate(descriptor_, 0) == 0 && pwrite(descriptor_, data, size, 0) == static_cast<ssize_t>(size);
    expect(done, "the memory file cannot be written");
  }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
  int descriptor_;
};

} // namespace tandem::fuzz
