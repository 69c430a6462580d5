// Paths are relative to the program, so that a build folder, an installation and a copy all find their own files.
#include "app/shipped_files.h"

#include "base/error.h"

#include <algorithm>
#include <filesystem>

namespace tandem::app {

namespace fs = std::filesystem;

namespace {

template <class Iterator> std::vector<std::string> listed(const std::string& folder, const std::string& suffix) {
  std::vector<std::string> files;
  std::error_code error;
  for (Iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == suffix)
      files.push_back(entry->path().string());
  if (error)
    throw base::UserError({.file = folder}, "cannot be listed: " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace

std::vector<std::string> shipped_places(const std::string& name) {
  std::vector<std::string> places;
  std::error_code error;
  const auto program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const auto beside = program.parent_path().parent_path();
    places.push_back((beside / name).string());
    places.push_back((beside / "share" / "tandem" / name).string());
  }
  places.push_back(name);
  return places;
}

std::string shipped_folder(const std::string& name) {
  std::error_code error;
  for (const auto& place : shipped_places(name)) {
    if (!fs::is_directory(place, error))
      continue;
    const auto near = fs::proximate(place, error); // shorter where the working directory is near
    return !error && near.string().size() < place.size() ? near.string() : place;
  }
  return "";
}

std::vector<std::string> files_in(const std::string& folder, const std::string& suffix, bool recursive) {
  return recursive ? listed<fs::recursive_directory_iterator>(folder, suffix)
                   : listed<fs::directory_iterator>(folder, suffix);
}

} // namespace tandem::app
