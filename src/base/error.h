// The two kinds of failure: the user's fault (exit 2, says where and what is allowed) and our bug (exit 70).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::base {

/// Exit codes of the program (docs/inputs.md).
enum class Exit { OK = 0, INFEASIBLE = 1, BAD_INPUT = 2, OUT_OF_TOLERANCE = 3, BUG = 70, INTERRUPTED = 130 };

/// A place in a file of the user's: line and column count from 1; 0 means not known.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
  /// "file:line:column", without the parts that are not known; empty when there is no file.
  [[nodiscard]] std::string text() const;
};

/// The user's fault: what was found and what is allowed. Ends the program with exit 2.
class UserError : public std::runtime_error {
public:
  /// One line: control characters become \xNN.
  explicit UserError(const std::string& message);
  UserError(const Location& where, const std::string& message);
};

/// Valid input, but no answer exists (does not fit in memory, a strategy that cannot run here). Ends the program with
/// exit 1.
class Infeasible : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Our bug: an internal check failed. Ends the program with exit 70 and asks for a report.
class Bug : public std::logic_error {
public:
  using std::logic_error::logic_error;
};

/// What the user wrote, fit for a message: in single quotes, control characters as \xNN, clipped after 80 bytes.
std::string in_quotes(std::string_view found);

/// Of `allowed`, the word nearest to `found` by edit distance; empty when none is near enough to be meant.
std::string nearest(std::string_view found, const std::vector<std::string>& allowed);

/// "unknown KIND 'found' (did you mean 'x'?); allowed: a, b, c".
std::string unknown_word(std::string_view kind, std::string_view found, const std::vector<std::string>& allowed);

} // namespace tandem::base
