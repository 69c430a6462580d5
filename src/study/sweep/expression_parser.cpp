// Recursive descent, a level of precedence per step, as Python's.
#include "study/sweep/expression_node.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace tandem::study {

namespace {

using Node = Expression::Node;
using Tree = std::unique_ptr<const Node>;

constexpr std::size_t LONGEST = 1000; ///< characters; a chain of operators is a tree as deep as it is long
constexpr int DEEPEST = 100; ///< parentheses within parentheses: nobody writes more, and the stack ends somewhere

/// Binary operators from the loosest to the tightest; comparisons do not chain.
const std::vector<std::vector<std::string>>& levels() {
  static const std::vector<std::vector<std::string>> table = {
      {"or"}, {"and"}, {"not"}, {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "//", "/", "%"}};
  return table;
}

constexpr std::size_t NOT_LEVEL = 2, COMPARISONS = 3;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

Tree call(const std::string& name, std::vector<Tree> sub) {
  auto node = std::make_unique<Node>();
  node->kind = Node::Kind::CALL;
  node->name = name;
  node->sub = std::move(sub);
  return node;
}

Tree call(const std::string& name, Tree first, Tree second) {
  std::vector<Tree> sub;
  sub.push_back(std::move(first));
  sub.push_back(std::move(second));
  return call(name, std::move(sub));
}

class Parser {
public:
  Parser(const std::string& text, const base::Location& where) : text_(text), where_(where) {
    if (text.size() > LONGEST)
      throw base::UserError(where, fmt::format("an expression of {} characters; allowed: {}", text.size(), LONGEST));
    next();
  }

  Tree whole() {
    auto tree = level(0);
    if (!word_.empty())
      fail("an operator");
    return tree;
  }

private:
  [[noreturn]] void fail(const std::string& expected) const {
    throw base::UserError(where_, fmt::format("{}: found {} where {} is expected", base::in_quotes(text_),
                                              word_.empty() ? "the end" : base::in_quotes(word_), expected));
  }

  /// The next word into word_; empty at the end.
  void next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
    const auto begin = at_;
    if (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) {
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.'))
        ++at_;
    } else if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) {
      const auto end = text_.find(text_[at_], at_ + 1);
      if (end == std::string::npos)
        throw base::UserError(where_, fmt::format("{}: a quote without its end", base::in_quotes(text_)));
      at_ = end + 1;
    } else if (at_ < text_.size()) {
      static const std::vector<std::string> pairs = {"==", "!=", "<=", ">=", "//"};
      const auto two = text_.substr(at_, 2);
      at_ += std::find(pairs.begin(), pairs.end(), two) != pairs.end() ? 2 : 1;
    }
    word_ = text_.substr(begin, at_ - begin);
  }

  [[nodiscard]] bool is_of(std::size_t depth) const {
    const auto& words = levels()[depth];
    return std::find(words.begin(), words.end(), word_) != words.end();
  }

  std::string take() {
    auto word = word_;
    next();
    return word;
  }

  Tree level(std::size_t depth) {
    if (depth == levels().size())
      return unary();
    if (depth == NOT_LEVEL)
      return negation();
    auto left = level(depth + 1);
    while (is_of(depth)) {
      const auto name = take();
      left = call(name, std::move(left), level(depth + 1));
      if (depth == COMPARISONS && is_of(depth))
        fail("'and' between two comparisons");
    }
    return left;
  }

  Tree negation() {
    if (word_ != "not")
      return level(NOT_LEVEL + 1);
    next();
    std::vector<Tree> sub;
    sub.push_back(deeper([this] { return negation(); }));
    return call("not", std::move(sub));
  }

  Tree unary() {
    if (word_ != "-")
      return primary();
    next();
    std::vector<Tree> sub;
    sub.push_back(deeper([this] { return unary(); }));
    return call("neg", std::move(sub));
  }

  template <class Rule> Tree deeper(Rule rule) {
    if (++depth_ > DEEPEST)
      throw base::UserError(where_, fmt::format("an expression is nested more than {} deep", DEEPEST));
    auto tree = rule();
    --depth_;
    return tree;
  }

  void close() {
    if (word_ != ")")
      fail("')'");
    next();
  }

  Tree primary() {
    if (word_ == "(") {
      next();
      auto inner = deeper([this] { return level(0); });
      close();
      return inner;
    }
    const bool is_word = !word_.empty() && (is_letter(word_.front()) || is_digit(word_.front()) ||
                                            word_.front() == '\'' || word_.front() == '"');
    if (!is_word || word_ == "or" || word_ == "and" || word_ == "not")
      fail("a number, a name or '('");
    if (is_digit(word_.front()))
      return number();
    auto node = std::make_unique<Node>();
    const auto word = take();
    if (word.front() == '\'' || word.front() == '"') {
      node->value = word.substr(1, word.size() - 2);
      return node;
    }
    if (word_ == "(")
      return function(word);
    node->kind = Node::Kind::NAME;
    node->name = word;
    return node;
  }

  Tree number() {
    long long value = 0;
    const auto* end = word_.data() + word_.size();
    const auto [at, error] = std::from_chars(word_.data(), end, value);
    if (at != end || error != std::errc())
      fail("a whole number of at most 64 bits");
    next();
    auto node = std::make_unique<Node>();
    node->value = value;
    return node;
  }

  Tree function(const std::string& name) {
    static const std::vector<std::string> names = {"min", "max", "if"};
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw base::UserError(where_, base::unknown_word("function", name, names));
    std::vector<Tree> sub;
    do {
      next(); // the parenthesis, or a comma
      sub.push_back(deeper([this] { return level(0); }));
    } while (word_ == ",");
    close();
    if (name == "if" && sub.size() != 3)
      throw base::UserError(where_, fmt::format("if() has {} arguments; it takes three: a condition, the value where "
                                                "it holds, and the value where not",
                                                sub.size()));
    return call(name, std::move(sub));
  }

  const std::string& text_;
  const base::Location& where_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string word_;
};

} // namespace

Tree parse_expression(const std::string& text, const base::Location& where) {
  return Parser(text, where).whole();
}

} // namespace tandem::study
