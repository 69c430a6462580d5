// Errors say the line, which nlohmann counts in bytes.
#include "report/json_file.h"

#include "base/error.h"
#include "base/file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tandem::report {

using base::UserError;
using Document = nlohmann::ordered_json;

Document read_json_file(const std::string& file) {
  return parse_json_file(base::read_text_file(file), file);
}

Document parse_json_file(const std::string& text, const std::string& file) {
  try {
    return Document::parse(text);
  } catch (const Document::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    throw UserError({.file = file, .line = 1 + static_cast<int>(std::count(text.begin(), end, '\n'))},
                    "is not valid JSON; allowed: what --format json writes");
  } catch (const Document::out_of_range&) {
    throw UserError({.file = file}, "has a number that is too large; allowed: what --format json writes");
  }
}

std::string result_kind(const Document& document) {
  if (!document.is_object())
    return "";
  const auto first_case_has = [&document](const char* key) {
    const auto cases = document.find("cases");
    return cases != document.end() && cases->is_array() && !cases->empty() && cases->front().contains(key);
  };
  if (first_case_has("iteration_s"))
    return "train";
  if (first_case_has("sublayer"))
    return "compare";
  return document.contains("rows") && document.contains("operation") ? "collective" : "";
}

} // namespace tandem::report
