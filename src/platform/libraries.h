// The catalogue of communication libraries: what collectives cost beyond the bytes on the links.
#pragma once

#include "model/library.h"

#include <memory>
#include <string>
#include <vector>

namespace tandem::platform {

/// Reads a library file. Throws UserError with the place.
std::shared_ptr<const model::Library> read_library(const std::string& path);

/// `name`.yaml in the first of `folders` that has it. Throws UserError with the nearest name.
std::shared_ptr<const model::Library> find_library(const std::string& name, const std::vector<std::string>& folders);

/// The file of a library, which read_library() reads back to the same values.
std::string library_text(const model::Library& library);

/// What a library file may say: key, unit, meaning. Also the source of docs/inputs.md.
struct LibraryKey {
  const char* name;
  const char* unit;
  const char* help;
};
const std::vector<LibraryKey>& library_keys();
/// Keys of a protocol, and of a protocol over one medium.
const std::vector<LibraryKey>& protocol_keys();
const std::vector<LibraryKey>& hop_keys();

} // namespace tandem::platform
