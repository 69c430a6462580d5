// Works expressions out, in 64-bit whole numbers that never wrap.
#include "study/sweep/expression.h"

#include "study/sweep/expression_node.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace tandem::study {

namespace {

using Node = Expression::Node;

long long number_of(const ExpressionValue& value, const std::string& operation) {
  if (const auto* number = std::get_if<long long>(&value))
    return *number;
  throw base::UserError(fmt::format("{} is a text, and {} takes whole numbers",
                                    base::in_quotes(std::get<std::string>(value)), operation));
}

[[noreturn]] void too_large(const std::string& operation) {
  throw base::UserError(fmt::format("the result of {} has more than 64 bits", operation));
}

/// Rounded down, as Python's.
long long floor_divide(long long a, long long b) {
  const long long quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

long long divide(const std::string& name, long long a, long long b) {
  if (b == 0)
    throw NoValue(fmt::format("{} {} 0", a, name));
  if (b == -1) { // the one quotient that can be too large
    long long negative = 0;
    if (__builtin_sub_overflow(0LL, a, &negative))
      too_large(name);
    return name == "%" ? 0 : negative;
  }
  if (name == "/" && a % b != 0)
    throw NoValue(fmt::format("{} / {} is not a whole number", a, b));
  return name == "%" ? a - b * floor_divide(a, b) : floor_divide(a, b);
}

long long arithmetic(const std::string& name, long long a, long long b) {
  long long result = 0;
  const bool fails = name == "+"   ? __builtin_add_overflow(a, b, &result)
                     : name == "-" ? __builtin_sub_overflow(a, b, &result)
                                   : __builtin_mul_overflow(a, b, &result);
  if (fails)
    too_large(name);
  return result;
}

bool compares(const std::string& name, long long a, long long b) {
  return name == "<" ? a < b : name == "<=" ? a <= b : name == ">" ? a > b : a >= b;
}

ExpressionValue evaluate_call(const Node& node, const Lookup& lookup) {
  const auto& name = node.name;
  const auto value = [&](std::size_t i) { return evaluate_node(*node.sub[i], lookup); };
  const auto number = [&](std::size_t i) { return number_of(value(i), name == "neg" ? "-" : name); };
  if (name == "if") // only the branch that is taken: the other may have no value
    return number(0) != 0 ? value(1) : value(2);
  if (name == "and")
    return static_cast<long long>(number(0) != 0 && number(1) != 0);
  if (name == "or")
    return static_cast<long long>(number(0) != 0 || number(1) != 0);
  if (name == "not")
    return static_cast<long long>(number(0) == 0);
  if (name == "neg")
    return arithmetic("-", 0, number(0));
  if (name == "==" || name == "!=")
    return static_cast<long long>((value(0) == value(1)) == (name == "=="));
  if (name == "min" || name == "max") {
    long long best = number(0);
    for (std::size_t i = 1; i < node.sub.size(); ++i)
      best = name == "min" ? std::min(best, number(i)) : std::max(best, number(i));
    return best;
  }
  const long long a = number(0), b = number(1);
  if (name == "/" || name == "//" || name == "%")
    return divide(name, a, b);
  if (name == "+" || name == "-" || name == "*")
    return arithmetic(name, a, b);
  return static_cast<long long>(compares(name, a, b));
}

} // namespace

ExpressionValue evaluate_node(const Node& node, const Lookup& lookup) {
  switch (node.kind) {
  case Node::Kind::CONSTANT:
    return node.value;
  case Node::Kind::NAME:
    return lookup(node.name);
  case Node::Kind::CALL:
    break;
  }
  return evaluate_call(node, lookup);
}

Expression::Expression(const std::string& text, const base::Location& where)
    : text_(text), where_(where), root_(parse_expression(text, where)) {}
Expression::~Expression() = default;
Expression::Expression(Expression&& other) noexcept = default;
Expression& Expression::operator=(Expression&& other) noexcept = default;

ExpressionValue Expression::evaluate(const Lookup& lookup) const {
  try {
    return evaluate_node(*root_, lookup);
  } catch (const base::UserError& error) {
    throw base::UserError(where_, fmt::format("{}: {}", base::in_quotes(text_), error.what()));
  }
}

bool Expression::holds(const Lookup& lookup) const {
  const auto value = evaluate(lookup);
  if (const auto* number = std::get_if<long long>(&value))
    return *number != 0;
  throw base::UserError(where_, fmt::format("{}: is a text; a condition is needed", base::in_quotes(text_)));
}

Template::Template(const std::string& text, const base::Location& where) : text_(text), between_(1) {
  const bool has_braces = text.find_first_of("{}") != std::string::npos;
  if (!has_braces) {
    expressions_.emplace_back(text, where);
    between_.emplace_back();
    return;
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '}')
      throw base::UserError(where, fmt::format("{}: a '}}' without its '{{'", base::in_quotes(text)));
    if (text[at] != '{') {
      between_.back() += text[at];
      continue;
    }
    const auto end = text.find('}', at);
    if (end == std::string::npos)
      throw base::UserError(where, fmt::format("{}: a '{{' without its '}}'", base::in_quotes(text)));
    expressions_.emplace_back(text.substr(at + 1, end - at - 1), where);
    between_.emplace_back();
    at = end;
  }
}

std::string Template::fill(const Lookup& lookup) const {
  auto text = between_.front();
  for (std::size_t i = 0; i < expressions_.size(); ++i)
    text += to_string(expressions_[i].evaluate(lookup)) + between_[i + 1];
  return text;
}

ExpressionValue value_of_text(const std::string& text) {
  long long value = 0;
  const auto* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (at == end && error == std::errc())
    return value;
  return text;
}

std::string to_string(const ExpressionValue& value) {
  const auto* number = std::get_if<long long>(&value);
  return number != nullptr ? fmt::format("{}", *number) : std::get<std::string>(value);
}

} // namespace tandem::study
