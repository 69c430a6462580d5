// What nlohmann's parser refuses, as the user's error.
#pragma once

#include "base/error.h"

#include <nlohmann/json.hpp>
#include <string>

namespace tandem::base {

/// The error to throw where parsing `text` of `file` threw `error`: not JSON (with the line), or a number beyond a
/// double.
UserError json_error(const nlohmann::json::exception& error, const std::string& text, const std::string& file);

} // namespace tandem::base
