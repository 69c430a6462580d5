// Reading YAML: one document per file, and the places of what it holds.
#pragma once

#include "base/error.h"

#include <cstddef>
#include <string>
#include <yaml-cpp/yaml.h>

namespace tandem::base {

/// No YAML file that a person wrote is larger.
constexpr std::size_t MOST_YAML_BYTES = std::size_t{4} << 20;

/// The one document of `text`; null when there is none. Throws UserError with the place in `file`: not valid YAML, more
/// than the document, or a text that is too large.
YAML::Node load_yaml(const std::string& text, const std::string& file);

/// The place of a mark in `file`, as far as it is known.
Location yaml_location(const YAML::Mark& mark, const std::string& file);

} // namespace tandem::base
