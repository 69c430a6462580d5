// The arithmetic of study files: whole numbers and texts, by the names of a point's values.
#pragma once

#include "base/error.h"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace tandem::study {

/// A whole number, or a text. Truth is 1 and 0.
using ExpressionValue = std::variant<long long, std::string>;

/// The value of a name. Throws UserError when nobody has it.
using Lookup = std::function<ExpressionValue(const std::string& name)>;

/// A point has no value here: a division that leaves a rest, or by zero. Not the author's fault, as a wrong name is.
class NoValue : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// What parses `or and not == != < <= > >= + - * / // % ( )`, unary -, min(a, b, ...), max(a, b, ...), if(condition,
/// then, else), whole numbers, 'texts' and names, binding as in Python. `/` must leave no rest; `//` and `%` round
/// down. Texts can be compared by == and !=, and chosen.
class Expression {
public:
  /// Throws UserError with `where`: what was found and what is expected.
  Expression(const std::string& text, const base::Location& where);
  ~Expression();
  Expression(Expression&& other) noexcept;
  Expression& operator=(Expression&& other) noexcept;

  /// Throws NoValue; UserError with the expression's place for a name without a value, arithmetic on a text, a number
  /// beyond 64 bits.
  [[nodiscard]] ExpressionValue evaluate(const Lookup& lookup) const;
  /// Whether it holds. Throws as evaluate(), and UserError when the value is a text.
  [[nodiscard]] bool holds(const Lookup& lookup) const;
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const base::Location& where() const { return where_; }

  struct Node;

private:
  std::string text_;
  base::Location where_;
  std::unique_ptr<const Node> root_;
};

/// Text with expressions in braces: "platforms/t3-ring-{tp}.xml". A text without braces is one expression.
class Template {
public:
  /// Throws as Expression(), and UserError for a brace without its partner.
  Template(const std::string& text, const base::Location& where);
  /// The text, or the number of a single expression in plain digits. Throws as Expression::evaluate().
  [[nodiscard]] std::string fill(const Lookup& lookup) const;
  [[nodiscard]] const std::string& text() const { return text_; }

private:
  std::string text_;
  std::vector<std::string> between_; ///< one more than there are expressions
  std::vector<Expression> expressions_;
};

/// The value that a text in a study stands for: a number where it is one in plain digits, with an optional sign.
ExpressionValue value_of_text(const std::string& text);

/// A number in plain digits; a text as it is.
std::string to_string(const ExpressionValue& value);

} // namespace tandem::study
