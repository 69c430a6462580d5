// A JSON file of the user's, and which command wrote it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tandem::report {

/// The whole document. Throws UserError with the file (and line): not readable, not JSON, a number beyond a double.
nlohmann::ordered_json read_json_file(const std::string& file);

/// The same of a text that `file` held.
nlohmann::ordered_json parse_json_file(const std::string& text, const std::string& file);

/// "train", "compare" or "collective" by what the document holds; empty: it is no result of these.
std::string result_kind(const nlohmann::ordered_json& document);

} // namespace tandem::report
