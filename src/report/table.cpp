// Column widths, alignment, shortening of the last column, wrapping.
#include "report/table.h"

#include "base/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::report {

namespace {

constexpr std::size_t GAP = 2; ///< spaces between columns

bool starts_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

/// The first `count` characters.
std::string_view head(std::string_view text, std::size_t count) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (starts_character(text[i]) && seen++ == count)
      return text.substr(0, i);
  return text;
}

std::string shortened(const std::string& text, std::size_t limit) {
  static constexpr std::string_view DOTS = "...";
  if (characters(text) <= limit)
    return text;
  if (limit <= DOTS.size())
    return std::string(DOTS.substr(0, limit));
  return std::string(head(text, limit - DOTS.size())) + std::string(DOTS);
}

/// Padding stays outside of the colour, so that it can be trimmed.
std::string padded(const Cell& cell, Align align, std::size_t width, bool colour) {
  const std::string padding(width - std::min(width, characters(cell.text)), ' ');
  const std::string text = tinted(cell.text, cell.tint, colour);
  return align == Align::LEFT ? text + padding : padding + text;
}

void trim_end(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
}

} // namespace

void Table::add(std::vector<Cell> row) {
  if (row.size() != columns_.size())
    throw base::Bug(fmt::format("a row of {} cells in a table of {} columns", row.size(), columns_.size()));
  rows_.push_back(std::move(row));
}

std::vector<std::size_t> Table::column_widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = characters(columns_[c].header);
    for (const auto& row : rows_)
      width = std::max(width, characters(row[c].text));
    widths.push_back(width);
  }
  return widths;
}

std::size_t Table::width(std::size_t indent) const {
  std::size_t total = indent;
  for (const std::size_t width : column_widths())
    total += width + GAP;
  return columns_.empty() ? total : total - GAP;
}

std::string Table::text(const Layout& layout) const {
  if (columns_.empty())
    return {};
  std::vector<std::size_t> widths = column_widths();
  if (const std::size_t natural = width(layout.indent); layout.width > 0 && natural > layout.width) {
    const std::size_t excess = natural - layout.width;
    const std::size_t least = characters(columns_.back().header);
    widths.back() = std::max(least, widths.back() - std::min(widths.back(), excess));
  }

  const std::string margin(layout.indent, ' ');
  std::string out, line;
  const auto add_line = [&](const std::vector<Cell>& cells) {
    line = margin;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0)
        line.append(GAP, ' ');
      const bool last = c + 1 == cells.size();
      const Cell cell(last ? shortened(cells[c].text, widths[c]) : cells[c].text, cells[c].tint);
      line += padded(cell, columns_[c].align, widths[c], layout.colour);
    }
    trim_end(line);
    out += line + '\n';
  };

  std::vector<Cell> headers, rules;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    headers.emplace_back(columns_[c].header, Tint::BOLD);
    rules.emplace_back(std::string(widths[c], '-'), Tint::DIM);
  }
  add_line(headers);
  add_line(rules);
  for (const auto& row : rows_)
    add_line(row);
  return out;
}

std::string tinted(std::string_view text, Tint tint, bool colour) {
  if (!colour || tint == Tint::NONE || text.empty())
    return std::string(text);
  const char* code = "1";
  switch (tint) {
  case Tint::NONE:
  case Tint::BOLD:
    break;
  case Tint::DIM:
    code = "2";
    break;
  case Tint::GREEN:
    code = "32";
    break;
  case Tint::RED:
    code = "31";
    break;
  }
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string wrapped(std::string_view text, const Layout& layout, std::size_t hanging) {
  std::string out, line(layout.indent, ' ');
  bool empty = true;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (!empty && layout.width > 0 && characters(line) + 1 + characters(word) > layout.width) {
      out += line + '\n';
      line.assign(layout.indent + hanging, ' ');
      empty = true;
    }
    if (!empty)
      line += ' ';
    line += word;
    empty = false;
  }
  return out + line + '\n';
}

} // namespace tandem::report
