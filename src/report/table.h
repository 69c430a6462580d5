// Text tables for terminals and files: aligned columns, an optional width that only the last column gives way to, and
// optional colour.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::report {

enum class Align { LEFT, RIGHT };
enum class Tint { NONE, BOLD, DIM, GREEN, RED };

/// How text is laid out. Width counts characters, 0 means no limit; colour is for terminals only.
struct Layout {
  std::size_t width = 0;
  std::size_t indent = 2;
  bool colour = false;
};

struct Column {
  std::string header;
  Align align = Align::LEFT;
};

struct Cell {
  std::string text;
  Tint tint = Tint::NONE;
  Cell(std::string words, Tint colour = Tint::NONE) : text(std::move(words)), tint(colour) {}
  Cell(const char* words) : text(words) {}
};

class Table {
public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Precondition (else Bug): one cell per column.
  void add(std::vector<Cell> row);

  /// Characters of the longest line, before any shortening, with the indent.
  [[nodiscard]] std::size_t width(std::size_t indent) const;

  /// Header, rule and rows, each line ended by a newline and without spaces at its end. A line longer than the layout's
  /// width loses the end of its last cell, marked "...", but never more than the column's header; the other columns are
  /// never shortened.
  [[nodiscard]] std::string text(const Layout& layout) const;

private:
  [[nodiscard]] std::vector<std::size_t> column_widths() const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// The text in a colour, unchanged when colour is off.
std::string tinted(std::string_view text, Tint tint, bool colour);

/// Characters (code points) of UTF-8 text.
std::size_t characters(std::string_view text);

/// The text broken at spaces into lines of the layout's width, each with its indent and a newline; later lines start
/// `hanging` characters further right.
std::string wrapped(std::string_view text, const Layout& layout, std::size_t hanging = 2);

} // namespace tandem::report
