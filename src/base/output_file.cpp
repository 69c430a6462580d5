// Temporary name, then rename.
#include "base/output_file.h"

#include "base/error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace tandem::base {

namespace fs = std::filesystem;

OutputFile::OutputFile(const std::string& path)
    : path_(path), temporary_(path + ".partial-" + std::to_string(getpid())) {
  std::error_code error;
  if (fs::is_directory(path, error))
    throw UserError({.file = path}, "is a folder, a file is needed");
  // Devices and pipes (/dev/stdout, /dev/null) are written to directly: there is nothing to put in place.
  if (fs::exists(path, error) && !fs::is_regular_file(path, error))
    temporary_ = path;
  stream_.open(temporary_, std::ios::binary);
  if (!stream_)
    throw UserError({.file = path}, std::string("cannot be written: ") + std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (committed_ || temporary_ == path_)
    return;
  stream_.close();
  std::remove(temporary_.c_str());
}

void OutputFile::commit() {
  stream_.flush();
  if (!stream_)
    throw UserError({.file = path_}, std::string("cannot be written to its end: ") + std::strerror(errno));
  stream_.close();
  if (temporary_ != path_ && std::rename(temporary_.c_str(), path_.c_str()) != 0)
    throw UserError({.file = path_}, std::string("cannot be put in place: ") + std::strerror(errno));
  committed_ = true;
}

void check_writable(const std::string& path) {
  const OutputFile probe(path);
}

} // namespace tandem::base
