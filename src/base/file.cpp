// Reads through stdio, whose errno says why a file cannot be read.
#include "base/file.h"

#include "base/error.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

namespace tandem::base {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw UserError("cannot read " + in_quotes(path) + ": " + reason);
}

struct CloseFile {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};

} // namespace

std::string read_text_file(const std::string& path, std::size_t most) {
  std::error_code ignored; // a path that cannot be examined fails to open below, with its own reason
  if (std::filesystem::is_directory(path, ignored))
    fail(path, "it is a directory");
  errno = 0;
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file)
    fail(path, std::generic_category().message(errno));
  std::string text;
  std::array<char, 65536> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), got);
    if (text.size() > most)
      throw UserError({.file = path}, "is too large; allowed: " + std::to_string(most) + " bytes");
  }
  if (std::ferror(file.get()) != 0)
    fail(path, std::generic_category().message(errno));
  return text;
}

} // namespace tandem::base
