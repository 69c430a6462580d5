// Markdown as GitHub reads it.
#include "app/markdown.h"

namespace tandem::app {

namespace {

std::string row_text(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const auto& cell : cells) {
    text += ' ';
    bool in_code = false;
    for (const char c : cell) {
      in_code = in_code != (c == '`');
      if (c == '<' && !in_code) {
        text += "&lt;"; // else it would be read as HTML
        continue;
      }
      if (c == '|')
        text += '\\';
      text += c == '\n' ? ' ' : c;
    }
    text += " |";
  }
  return text + '\n';
}

} // namespace

std::string markdown_table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows) {
  std::string text = row_text(header) + "|";
  for (std::size_t i = 0; i < header.size(); ++i)
    text += "---|";
  text += '\n';
  for (const auto& row : rows)
    text += row_text(row);
  return text;
}

std::string code(const std::string& text) {
  return text.empty() ? "" : "`" + text + "`";
}

std::string code_list(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words)
    text += (text.empty() ? "" : ", ") + code(word);
  return text;
}

} // namespace tandem::app
