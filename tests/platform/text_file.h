// A file of a test's, removed at the end of it.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace tandem::platform {

class TextFile {
public:
  TextFile(const std::string& name, const std::string& text)
      : path_(testing::TempDir() + std::to_string(getpid()) + "_" + name) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TextFile() { std::filesystem::remove(path_); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

private:
  std::string path_;
};

} // namespace tandem::platform
