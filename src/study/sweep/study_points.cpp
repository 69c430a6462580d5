// An odometer over the axes; for each of its positions the names' values, then words.
#include "study/sweep/study_points.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace tandem::study {

namespace {

using base::UserError;

/// The values that a point has so far, by name.
class Values {
public:
  void set(const std::string& name, const StudyValue& value) { values_.insert_or_assign(name, value); }
  [[nodiscard]] const StudyValue* find(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }

  /// For expressions. Lists and absent values have no number and are no text.
  [[nodiscard]] ExpressionValue operator()(const std::string& name) const {
    const auto* value = find(name);
    if (value == nullptr) {
      std::vector<std::string> names;
      for (const auto& [known, ignored] : values_)
        names.push_back(known);
      throw UserError(base::unknown_word("name", name, names));
    }
    if (!value->words)
      throw NoValue(name + " has no value");
    if (value->words->size() > 1)
      throw UserError(name + " is a list");
    return value_of_text(value->words->front());
  }

private:
  std::map<std::string, StudyValue> values_;
};

void add_words(const FlagInfo& flag, const std::vector<std::string>& values, std::vector<std::string>& words) {
  for (const auto& value : values) {
    if (flag.kind == FlagInfo::Kind::POSITIONAL) {
      words.insert(words.begin() + 1, value); // behind the command's name
    } else if (flag.kind == FlagInfo::Kind::SWITCH) {
      if (value == "true")
        words.push_back(flag.flag);
    } else if (value.starts_with('-')) { // would be read as a flag
      words.push_back(flag.flag + "=" + value);
    } else {
      words.push_back(flag.flag);
      words.push_back(flag.kind == FlagInfo::Kind::ASSIGNMENT ? flag.key() + "=" + value : value);
    }
  }
}

/// Why the point has no command line; else empty and its derived values are in `values`.
std::string derive(const Study& study, Values& values) {
  const Lookup lookup = [&](const std::string& name) { return values(name); };
  for (const auto& derived : study.derived) {
    try {
      values.set(derived.name, {std::vector<std::string>{derived.text.fill(lookup)}, derived.where});
    } catch (const NoValue& none) {
      return fmt::format("{}: {}", derived.name, none.what());
    }
  }
  for (const auto& condition : study.conditions) {
    try {
      if (!condition.holds(lookup))
        return fmt::format("where: {} does not hold", condition.text());
    } catch (const NoValue& none) {
      return fmt::format("where: {}: {}", condition.text(), none.what());
    }
  }
  return {};
}

bool is_derived(const Study& study, const std::string& name) {
  return std::any_of(study.derived.begin(), study.derived.end(),
                     [&](const Derived& derived) { return derived.name == name; });
}

/// The input whose flag or value the message begins with or holds; null: it speaks of none.
const StudyInput* input_of(const Study& study, const StudyPoint& point, const std::string& message) {
  for (const auto& input : study.inputs) // "--tp: ..." names the flag
    if (input.flag && !input.flag->flag.empty() && input.flag->kind != FlagInfo::Kind::ASSIGNMENT &&
        (message.starts_with(input.flag->flag + ":") || message.find(input.flag->flag + " ") != std::string::npos))
      return &input;
  std::size_t longest = 1; // a digit stands in many messages
  const StudyInput* found = nullptr;
  for (std::size_t i = 0; i < study.inputs.size(); ++i) {
    const auto& text = point.inputs[i];
    if (study.inputs[i].flag && text.size() > longest && message.find(text) != std::string::npos) {
      longest = text.size();
      found = &study.inputs[i];
    }
  }
  return found;
}

base::Location place_of_input(const Study& study, const StudyPoint& point, const std::string& name) {
  const auto index = static_cast<std::size_t>(&study.input(name) - study.inputs.data());
  const auto shown = [](const StudyValue& value) {
    return value.words ? fmt::format("{}", fmt::join(*value.words, "; ")) : std::string();
  };
  for (const auto& axis : study.axes)
    for (const auto& choice : axis.choices)
      for (const auto& [known, value] : choice)
        if (known == name && shown(value) == point.inputs[index])
          return value.where;
  for (const auto& [known, value] : study.fixed)
    if (known == name)
      return value.where;
  for (const auto& derived : study.derived)
    if (derived.name == name)
      return derived.where;
  return study.command_where;
}

StudyPoint make_point(const Study& study, Values values, const std::vector<std::string>& extra,
                      const CheckWords& check) {
  StudyPoint point;
  point.reason = derive(study, values);
  point.words.push_back(study.command.name);
  for (const auto& input : study.inputs) {
    const auto* value = values.find(input.name);
    const bool has_words = value != nullptr && value->words;
    point.inputs.push_back(has_words ? fmt::format("{}", fmt::join(*value->words, "; ")) : std::string());
    if (has_words && input.flag)
      add_words(*input.flag, *value->words, point.words);
  }
  point.words.insert(point.words.end(), extra.begin(), extra.end());
  if (point.reason.empty()) {
    if (const auto wrong = check(point.words); !wrong.empty()) {
      const auto* input = input_of(study, point, wrong);
      if (input == nullptr || !is_derived(study, input->name))
        throw UserError(place_of(study, point, wrong), wrong);
      point.reason = wrong;
    }
  }
  if (!point.reason.empty())
    point.words.clear();
  return point;
}

} // namespace

std::string StudyPoint::name(const Study& study) const {
  std::vector<std::string> parts;
  for (const auto& axis : study.axes)
    for (const auto& [name, value] : axis.choices.front()) {
      const auto index = static_cast<std::size_t>(&study.input(name) - study.inputs.data());
      parts.push_back(fmt::format("{} {}", name, inputs[index].empty() ? "-" : inputs[index]));
    }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<StudyPoint> make_points(const Study& study, const std::vector<std::string>& extra,
                                    const CheckWords& check) {
  std::size_t count = 1;
  for (const auto& axis : study.axes) {
    count *= axis.choices.size();
    if (count > MOST_POINTS)
      throw UserError({study.file}, fmt::format("more than {} points; split the study", MOST_POINTS));
  }
  Values fixed;
  for (const auto& [name, value] : study.fixed)
    fixed.set(name, value);
  std::vector<StudyPoint> points;
  for (std::size_t at = 0; at < count; ++at) {
    auto values = fixed;
    std::size_t rest = at, block = count;
    for (const auto& axis : study.axes) {
      block /= axis.choices.size();
      for (const auto& [name, value] : axis.choices[rest / block])
        values.set(name, value);
      rest %= block;
    }
    points.push_back(make_point(study, std::move(values), extra, check));
  }
  return points;
}

base::Location place_of(const Study& study, const StudyPoint& point, const std::string& message) {
  const auto* input = input_of(study, point, message);
  return input == nullptr ? study.command_where : place_of_input(study, point, input->name);
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) {
    const bool plain = !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                               "0123456789_-+=:,./@%") == std::string::npos;
    if (!line.empty())
      line += ' ';
    if (plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word)
      line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

} // namespace tandem::study
