// JSON as text: quoted strings, and documents printed with the numbers of report/numbers.h.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tandem::report {

/// The text as a JSON string, with its quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_quoted(std::string_view text);

/// The document with an indent of two spaces, keys in their order, numbers of at most 12 digits and a newline at the
/// end. Throws Bug on a number that is not finite.
std::string json_text(const nlohmann::ordered_json& document);

} // namespace tandem::report
