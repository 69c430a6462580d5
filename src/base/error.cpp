// Messages of the user's faults: the place, what was found, what is allowed, and the word that was probably meant.
#include "base/error.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace tandem::base {

namespace {

constexpr std::size_t CLIP_BYTES = 80;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// Control characters as \xNN: names in a user's file may hold any.
std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20U || byte == 0x7FU)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  return result;
}

/// Edit distance of two words, where swapping two neighbours counts as one edit (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, substituted});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

} // namespace

std::string Location::text() const {
  if (file.empty())
    return "";
  if (line <= 0)
    return file;
  if (column <= 0)
    return fmt::format("{}:{}", file, line);
  return fmt::format("{}:{}:{}", file, line, column);
}

UserError::UserError(const std::string& message) : std::runtime_error(printable(message)) {}

UserError::UserError(const Location& where, const std::string& message)
    : UserError(where.file.empty() ? message : where.text() + ": " + message) {}

std::string in_quotes(std::string_view found) {
  const bool clipped = found.size() > CLIP_BYTES;
  if (clipped) {
    found = found.substr(0, CLIP_BYTES);
    while (!found.empty() && (static_cast<unsigned char>(found.back()) & 0xC0U) == 0x80U)
      found.remove_suffix(1); // the tail of a UTF-8 character
    if (!found.empty() && static_cast<unsigned char>(found.back()) >= 0xC0U)
      found.remove_suffix(1);
  }
  return fmt::format("'{}{}'", printable(found), clipped ? "..." : "");
}

std::string nearest(std::string_view found, const std::vector<std::string>& allowed) {
  // A third of the letters may be wrong, and one of two; a single letter must agree but for its case.
  if (found.size() > CLIP_BYTES)
    return "";
  std::size_t best_distance = found.size() == 2 ? 2 : found.size() / 3 + 1;
  std::string best;
  const std::string wanted = lower(found);
  for (const std::string& word : allowed) {
    const std::size_t distance = edit_distance(wanted, lower(word));
    if (distance < best_distance) {
      best_distance = distance;
      best = word;
    }
  }
  return best;
}

std::string unknown_word(std::string_view kind, std::string_view found, const std::vector<std::string>& allowed) {
  const std::string meant = nearest(found, allowed);
  const std::string hint = meant.empty() ? "" : fmt::format(" (did you mean '{}'?)", meant);
  const std::string list = allowed.empty() ? "none" : fmt::format("{}", fmt::join(allowed, ", "));
  return fmt::format("unknown {} {}{}; allowed: {}", kind, in_quotes(found), hint, list);
}

} // namespace tandem::base
