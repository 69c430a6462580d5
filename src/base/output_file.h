// A file that is written whole or not at all.
#pragma once

#include <fstream>
#include <string>

namespace tandem::base {

/// Writes beside `path` under a temporary name; commit() puts it in place. Without commit() nothing is left behind and
/// an old file stays.
class OutputFile {
public:
  /// Throws UserError when the folder does not exist or cannot be written to, or `path` is a folder.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream() { return stream_; }
  /// Throws UserError when something could not be written (disk full, say).
  void commit();

private:
  std::string path_, temporary_;
  std::ofstream stream_;
  bool committed_ = false;
};

/// Throws UserError when `path` could not be written, before a long run. Leaves nothing behind.
void check_writable(const std::string& path);

} // namespace tandem::base
