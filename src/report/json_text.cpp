// The JSON printer: nlohmann holds the document, numbers go through number(), because its own printer may use 17
// digits.
#include "report/json_text.h"

#include "report/numbers.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tandem::report {

namespace {

using Json = nlohmann::ordered_json;

void append(std::string& out, const Json& value, std::size_t depth);

void new_line(std::string& out, std::size_t depth) {
  out += '\n';
  out.append(2 * depth, ' ');
}

void append_array(std::string& out, const Json& array, std::size_t depth) {
  if (array.empty()) {
    out += "[]";
    return;
  }
  out += '[';
  bool first = true;
  for (const Json& element : array) {
    if (!first)
      out += ',';
    first = false;
    new_line(out, depth + 1);
    append(out, element, depth + 1);
  }
  new_line(out, depth);
  out += ']';
}

void append_object(std::string& out, const Json& object, std::size_t depth) {
  if (object.empty()) {
    out += "{}";
    return;
  }
  out += '{';
  bool first = true;
  for (const auto& [key, value] : object.items()) {
    if (!first)
      out += ',';
    first = false;
    new_line(out, depth + 1);
    out += json_quoted(key) + ": ";
    append(out, value, depth + 1);
  }
  new_line(out, depth);
  out += '}';
}

void append(std::string& out, const Json& value, std::size_t depth) {
  if (value.is_object())
    append_object(out, value, depth);
  else if (value.is_array())
    append_array(out, value, depth);
  else if (value.is_number_float())
    out += number(value.get<double>());
  else if (value.is_string())
    out += json_quoted(value.get_ref<const std::string&>());
  else
    out += value.dump();
}

} // namespace

std::string json_quoted(std::string_view text) {
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  if (plain) // most of a timeline
    return '"' + std::string(text) + '"';
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_text(const nlohmann::ordered_json& document) {
  std::string out;
  append(out, document, 0);
  out += '\n';
  return out;
}

} // namespace tandem::report
