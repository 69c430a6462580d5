// One pass over the characters; arrays are kept as lists of words.
#include "workload/plans/shell_words.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace tandem::workload {

using base::Location;
using base::UserError;

namespace {

constexpr std::size_t LONGEST =
    1'000'000; ///< characters of all variables where they are used: names that double each other grow fast

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Length of a name at the begin of `text`.
std::size_t name_length(const std::string& text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0)
    return 0;
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_name) - text.begin());
}

class Script {
public:
  Script(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  std::vector<ShellWord> words() {
    while (at_ < text_.size())
      next_word(words_);
    // An array that no command of this file takes still holds the arguments of one.
    for (const auto& [name, variable] : variables_)
      if (!used_.contains(name) && variable.is_array)
        words_.insert(words_.end(), variable.words.begin(), variable.words.end());
    return std::move(words_);
  }

private:
  struct Variable {
    std::vector<ShellWord> words;
    bool is_array = false;
  };

  [[nodiscard]] Location here() const { return {.file = file_, .line = line_}; }
  [[nodiscard]] char ahead(std::size_t by = 0) const { return at_ + by < text_.size() ? text_[at_ + by] : '\0'; }
  char take() {
    const char c = text_[at_++];
    line_ += c == '\n' ? 1 : 0;
    return c;
  }

  /// Reads one word, blanks and comments before it included, and adds what it stands for.
  void next_word(std::vector<ShellWord>& into) {
    skip_blanks();
    if (at_ >= text_.size())
      return;
    if (ahead() == '\n' || ahead() == ';' || ahead() == '&' || ahead() == '|' || ahead() == '(' || ahead() == ')') {
      take();
      return;
    }
    const Location where = here();
    if (assigns())
      return;
    std::vector<ShellWord> parts{{"", where}};
    while (at_ < text_.size() && !is_space(ahead()) && ahead() != ';' && ahead() != ')' && ahead() != '&' &&
           ahead() != '|')
      piece(parts, '\0');
    for (auto& part : parts)
      if (!part.text.empty())
        into.push_back(std::move(part));
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (ahead() == '\\' && (ahead(1) == '\n' || ahead(1) == '\r')) {
        take();
        take();
      } else if (is_space(ahead()) && ahead() != '\n') {
        take();
      } else if (ahead() == '#') {
        while (at_ < text_.size() && ahead() != '\n')
          take();
      } else {
        return;
      }
    }
  }

  /// NAME=... at the begin of a word.
  bool assigns() {
    const auto length = name_length(text_.substr(at_, 200));
    if (length == 0 || ahead(length) != '=')
      return false;
    const auto name = text_.substr(at_, length);
    at_ += length + 1;
    Variable variable;
    if (ahead() == '(') {
      const Location begin = here();
      take();
      variable.is_array = true;
      for (;;) {
        while (at_ < text_.size() && (is_space(ahead()) || ahead() == '#' || ahead() == '\\')) {
          const auto before = at_;
          if (ahead() != '\n')
            skip_blanks();
          if (at_ == before)
            take();
        }
        if (at_ >= text_.size())
          throw UserError(begin, "'(' without its ')'");
        if (ahead() == ')')
          break;
        next_word(variable.words);
      }
      take();
    } else {
      std::vector<ShellWord> parts{{"", here()}};
      while (at_ < text_.size() && !is_space(ahead()) && ahead() != ';')
        piece(parts, '\0');
      variable.words = split(parts);
    }
    variables_[name] = std::move(variable);
    return true;
  }

  /// A string that holds several arguments is the list of them where it is used.
  static std::vector<ShellWord> split(const std::vector<ShellWord>& parts) {
    std::vector<ShellWord> list;
    for (const auto& part : parts) {
      std::string word;
      for (const char c : part.text + " ") {
        if (!is_space(c)) {
          word += c;
        } else if (!word.empty()) {
          list.push_back({word, part.where});
          word.clear();
        }
      }
    }
    return list;
  }

  /// One character, quoted text or variable of a word.
  void piece(std::vector<ShellWord>& parts, char quote) {
    if (quote != '\'' && ahead() == '$') {
      variable(parts);
      return;
    }
    if (quote == '\0' && (ahead() == '"' || ahead() == '\'')) {
      const Location begin = here();
      const char end = take();
      while (ahead() != end) {
        if (at_ >= text_.size())
          throw UserError(begin, "a quote without its end");
        piece(parts, end);
      }
      take();
      return;
    }
    if (quote != '\'' && ahead() == '\\' && at_ + 1 < text_.size()) {
      take();
      const char escaped = take();
      if (escaped != '\n')
        parts.back().text += escaped;
      else if (quote != '\0')
        parts.back().text += ' ';
      return;
    }
    parts.back().text += take();
  }

  void variable(std::vector<ShellWord>& parts) {
    const auto begin = at_;
    take();
    std::string name, otherwise;
    bool known_form = true;
    if (ahead() == '{') {
      take();
      const auto end = text_.find('}', at_);
      if (end == std::string::npos)
        throw UserError(here(), "'${' without its '}'");
      const auto inside = text_.substr(at_, end - at_);
      name = inside.substr(0, name_length(inside));
      const auto rest = inside.substr(name.size());
      if (rest.starts_with(":-"))
        otherwise = rest.substr(2);
      known_form = rest.empty() || rest == "[@]" || rest == "[*]" || rest.starts_with(":-");
      at_ = end + 1;
    } else {
      name = text_.substr(at_, name_length(text_.substr(at_, 200)));
      at_ += name.size();
    }
    const auto found = variables_.find(name);
    if (known_form && found != variables_.end()) {
      used_[name] = true;
      const auto& list = found->second.words;
      expanded_ += std::accumulate(list.begin(), list.end(), list.size(),
                                   [](std::size_t sum, const ShellWord& word) { return sum + word.text.size(); });
      if (expanded_ > LONGEST)
        throw UserError(here(), fmt::format("variables stand for more than {} characters", LONGEST));
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (i > 0)
          parts.push_back({"", list[i].where});
        parts.back().text += list[i].text;
        if (parts.back().text == list[i].text)
          parts.back().where = list[i].where;
      }
      return;
    }
    parts.back().text += otherwise.empty() ? text_.substr(begin, at_ - begin) : otherwise;
  }

  const std::string& text_;
  std::string file_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::size_t expanded_ = 0; ///< characters that variables stood for
  std::vector<ShellWord> words_;
  std::map<std::string, Variable> variables_;
  std::map<std::string, bool> used_;
};

} // namespace

std::vector<ShellWord> shell_words(const std::string& text, const std::string& file) {
  return Script(text, file).words();
}

} // namespace tandem::workload
