// Files that live as long as a test. Each in a folder of its own: tests run side by side.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace tandem::tests {

using Files = std::map<std::string, std::string>; ///< name -> text

/// Whole text of a file; empty when it cannot be read.
inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A folder of its own below the system's temporary folder; gone at the end.
class Folder {
public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tandem-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw std::runtime_error("mkdtemp " + name);
    path_ = name;
    std::filesystem::permissions(path_, std::filesystem::perms::all);
  }
  explicit Folder(const Files& files) : Folder() {
    for (const auto& [name, text] : files)
      write(name, text);
  }
  ~Folder() {
    std::error_code ignored; // what is left in the temporary folder harms nobody
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  /// Empty when there is no such file.
  [[nodiscard]] std::string read(const std::string& name) const { return text_of(file(name)); }
  /// Names of all that is inside, sorted.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_))
      names.push_back(std::filesystem::relative(entry.path(), path_).string());
    std::sort(names.begin(), names.end());
    return names;
  }

private:
  std::filesystem::path path_;
};

/// One file in a folder of its own.
class TextFile {
public:
  TextFile(const std::string& name, const std::string& text)
      : folder_(Files{{name, text}}), path_(folder_.file(name)) {}
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string directory() const { return folder_.path().string(); }

private:
  Folder folder_;
  std::string path_;
};

} // namespace tandem::tests
