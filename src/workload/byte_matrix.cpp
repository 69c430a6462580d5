// A square table of sizes, line by line.
#include "workload/byte_matrix.h"

#include "base/error.h"
#include "base/file.h"
#include "base/payload.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <sstream>

namespace tandem::workload {

namespace {

constexpr std::size_t MOST_RANKS = 4096;

std::vector<double> row_of(std::string line) {
  line = line.substr(0, line.find('#'));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == ',' || c == ';' || c == '\r'; }, ' ');
  std::vector<double> row;
  std::istringstream words(line);
  for (std::string word; words >> word;)
    row.push_back(static_cast<double>(base::parse_payload(word)));
  return row;
}

} // namespace

double ByteMatrix::total() const {
  return std::accumulate(bytes.begin(), bytes.end(), 0.0);
}

ByteMatrix read_byte_matrix(const std::string& path) {
  std::istringstream text(base::read_text_file(path));
  ByteMatrix matrix;
  std::size_t columns = 0, rows = 0;
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    const base::Location where{.file = path, .line = ++number};
    std::vector<double> row;
    try {
      row = row_of(line);
    } catch (const base::UserError& error) {
      throw base::UserError(where, error.what());
    }
    if (row.empty())
      continue;
    if (rows == 0)
      columns = row.size();
    if (columns > MOST_RANKS)
      throw base::UserError(where, fmt::format("{} sizes; allowed: up to {}", columns, MOST_RANKS));
    if (row.size() != columns)
      throw base::UserError(where, fmt::format("{} sizes, where the first line has {}", row.size(), columns));
    if (++rows > columns)
      throw base::UserError(where, fmt::format("a line too many: {} ranks have a line each", columns));
    matrix.bytes.insert(matrix.bytes.end(), row.begin(), row.end());
  }
  if (rows == 0 || rows < columns)
    throw base::UserError({.file = path},
                          fmt::format("{} lines of sizes for {} ranks; a line for each is needed", rows, columns));
  matrix.ranks = static_cast<int>(columns);
  return matrix;
}

} // namespace tandem::workload
