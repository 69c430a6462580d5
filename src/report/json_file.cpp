// The first keys tell what a document is.
#include "report/json_file.h"

#include "base/file.h"
#include "base/json.h"

#include <nlohmann/json.hpp>

namespace tandem::report {

using Document = nlohmann::ordered_json;

Document read_json_file(const std::string& file) {
  return parse_json_file(base::read_text_file(file), file);
}

Document parse_json_file(const std::string& text, const std::string& file) {
  try {
    return Document::parse(text);
  } catch (const Document::exception& error) {
    throw base::json_error(error, text, file);
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
