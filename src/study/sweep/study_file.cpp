// From YAML to a study.
#include "study/sweep/study_file.h"

#include "base/file.h"
#include "base/yaml.h"
#include "workload/yaml_map.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace tandem::study {

namespace {

using base::Location;
using base::UserError;

class StudyReader {
public:
  StudyReader(const YAML::Node& root, const std::string& file, const std::vector<CommandInfo>& commands)
      : file_(file), top_(root, file, "", study_keys()) {
    study_.file = file;
    study_.title = top_.text("title");
    choose_command(commands);
    variables_ = top_.texts("variables");
    for (const auto& name : variables_)
      if (find_flag(name) != nullptr)
        top_.fail("variables", fmt::format("variables: {} is a flag of {}; choose another name", base::in_quotes(name),
                                           study_.command.name));
    each("axes", [this](const std::string& name, const Location& where, const YAML::Node& node) {
      read_axis(name, where, node);
    });
    each("derive", [this](const std::string& name, const Location& where, const YAML::Node& node) {
      declare(name, where);
      study_.derived.push_back({name, Template(scalar(name, node), place(node)), place(node)});
    });
    each("fixed", [this](const std::string& name, const Location& where, const YAML::Node& node) {
      declare(name, where);
      study_.fixed.emplace_back(name, value_of(name, node));
    });
    read_conditions();
    for (const auto& name : variables_)
      if (!places_.contains(name))
        top_.fail("variables",
                  fmt::format("variables: {} has no value in axes, derive or fixed", base::in_quotes(name)));
  }

  Study study() { return std::move(study_); }

private:
  [[nodiscard]] Location place(const YAML::Node& node) const { return base::yaml_location(node.Mark(), file_); }

  void choose_command(const std::vector<CommandInfo>& commands) {
    const auto name = top_.text("command");
    study_.command_where = top_.where("command");
    std::vector<std::string> names;
    for (const auto& command : commands) {
      names.push_back(command.name);
      if (command.name == name)
        study_.command = command;
    }
    if (study_.command.name.empty())
      throw UserError(study_.command_where, base::unknown_word("command", name, names));
  }

  [[nodiscard]] const FlagInfo* find_flag(const std::string& name) const {
    const auto& flags = study_.command.flags;
    const auto found =
        std::find_if(flags.begin(), flags.end(), [&](const FlagInfo& flag) { return flag.name == name; });
    return found == flags.end() ? nullptr : &*found;
  }

  /// Makes the name an input; it must be a flag or a variable.
  void declare(const std::string& name, const Location& where) {
    if (const auto known = places_.find(name); known != places_.end())
      throw UserError(where,
                      fmt::format("{} is given twice, first in line {}", base::in_quotes(name), known->second.line));
    places_[name] = where;
    const auto* flag = find_flag(name);
    if (flag == nullptr && std::find(variables_.begin(), variables_.end(), name) == variables_.end())
      unknown(name, where);
    study_.inputs.push_back({name, flag == nullptr ? std::optional<FlagInfo>() : *flag});
  }

  [[noreturn]] void unknown(const std::string& name, const Location& where) const {
    std::vector<std::string> names, keys;
    for (const auto& flag : study_.command.flags)
      (flag.kind == FlagInfo::Kind::ASSIGNMENT ? keys : names).push_back(flag.name);
    const auto dot = name.find('.');
    if (dot != std::string::npos) { // the keys are many, so only the nearest one is named
      const auto near = base::nearest(name, keys);
      throw UserError(where, fmt::format("unknown key {}{}; allowed: keys of --set and --only (docs/inputs.md)",
                                         base::in_quotes(name),
                                         near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
    }
    names.insert(names.end(), variables_.begin(), variables_.end());
    throw UserError(
        where, base::unknown_word(fmt::format("flag of {} or name of variables", study_.command.name), name, names));
  }

  /// Calls `read` for each key of the map `section`, in order.
  template <class Read> void each(const std::string& section, Read read) {
    const auto node = top_.node(section);
    if (!top_.has(section))
      return;
    if (!node.IsMap() || node.size() == 0)
      top_.fail(section, fmt::format("{}: a map of names and values is needed", section));
    for (const auto& pair : node) {
      if (!pair.first.IsScalar())
        throw UserError(place(pair.first), fmt::format("{}: a name is needed", section));
      read(pair.first.Scalar(), place(pair.first), pair.second);
    }
  }

  [[nodiscard]] std::string scalar(const std::string& name, const YAML::Node& node) const {
    if (!node.IsScalar() || node.Scalar().empty())
      throw UserError(place(node), fmt::format("{}: one value is needed", name));
    return node.Scalar();
  }

  [[nodiscard]] StudyValue value_of(const std::string& name, const YAML::Node& node) const {
    StudyValue value{{}, place(node)};
    if (node.IsNull())
      return value;
    const auto* flag = find_flag(name);
    value.words.emplace();
    if (node.IsSequence()) {
      if (flag == nullptr || flag->kind != FlagInfo::Kind::REPEATED || node.size() == 0)
        throw UserError(place(node), fmt::format("{}: a list {}", name,
                                                 node.size() == 0 ? "is empty" : "is given; it takes one value"));
      for (const auto& one : node)
        value.words->push_back(found_beside(flag, scalar(name, one)));
      return value;
    }
    value.words->push_back(found_beside(flag, scalar(name, node)));
    if (flag != nullptr && flag->kind == FlagInfo::Kind::SWITCH && node.Scalar() != "true" && node.Scalar() != "false")
      throw UserError(place(node), base::unknown_word("value of " + name, node.Scalar(), {"true", "false"}));
    return value;
  }

  /// A file beside the study, as the command finds it; any other word as it is.
  [[nodiscard]] std::string found_beside(const FlagInfo* flag, const std::string& word) const {
    if (flag == nullptr || !flag->is_path)
      return word;
    const auto path = (std::filesystem::path(file_).parent_path() / word).lexically_normal();
    std::error_code error;
    return std::filesystem::exists(path, error) ? path.string() : word;
  }

  void read_axis(const std::string& name, const Location& where, const YAML::Node& node) {
    Axis axis{name, {}};
    const bool is_list = node.IsSequence();
    const std::size_t count = is_list ? node.size() : 1;
    if (count == 0 || node.IsMap())
      throw UserError(place(node), fmt::format("{}: a list of values is needed", name));
    const bool has_maps = is_list && node[0].IsMap();
    if (!has_maps)
      declare(name, where);
    for (std::size_t i = 0; i < count; ++i) {
      const auto one = is_list ? node[i] : node;
      if (one.IsMap() != has_maps)
        throw UserError(place(one), fmt::format("{}: maps and other values in one list", name));
      axis.choices.push_back(has_maps ? bundle(one) : std::vector<NamedValue>{{name, value_of(name, one)}});
    }
    if (has_maps)
      declare_bundles(axis);
    study_.axes.push_back(std::move(axis));
  }

  [[nodiscard]] std::vector<NamedValue> bundle(const YAML::Node& node) const {
    std::vector<NamedValue> values;
    for (const auto& pair : node) {
      auto value = value_of(pair.first.Scalar(), pair.second);
      value.where = place(pair.first);
      values.emplace_back(pair.first.Scalar(), std::move(value));
    }
    return values;
  }

  /// Names of values that go together, each once, though most maps have it.
  void declare_bundles(const Axis& axis) {
    std::vector<std::string> names;
    for (const auto& choice : axis.choices)
      for (const auto& [name, value] : choice)
        if (std::find(names.begin(), names.end(), name) == names.end()) {
          names.push_back(name);
          declare(name, value.where);
        }
  }

  void read_conditions() {
    const auto node = top_.node("where");
    if (!top_.has("where"))
      return;
    if (!node.IsSequence() && !node.IsScalar())
      top_.fail("where", "where: a condition or a list of conditions is needed");
    const std::size_t count = node.IsSequence() ? node.size() : 1;
    for (std::size_t i = 0; i < count; ++i) {
      const auto one = node.IsSequence() ? node[i] : node;
      study_.conditions.emplace_back(scalar("where", one), place(one));
    }
  }

  std::string file_;
  workload::YamlMap top_;
  Study study_;
  std::vector<std::string> variables_;
  std::map<std::string, Location> places_; ///< of every name that has a value
};

} // namespace

const StudyInput& Study::input(const std::string& name) const {
  const auto found =
      std::find_if(inputs.begin(), inputs.end(), [&](const StudyInput& one) { return one.name == name; });
  if (found == inputs.end())
    throw base::Bug("a study has no input " + name);
  return *found;
}

// clang-format off
const std::vector<workload::KeyInfo>& study_keys() {
  static const std::vector<workload::KeyInfo> keys = {
      {"", "title", "text", true, "", "what is studied", 0, 0, {}},
      {"", "command", "word", true, "", "the command that each point runs: compare, collective or train", 0, 0, {}},
      {"", "axes", "map", true, "", "name: list of values; the points are all combinations, the first axis varying slowest. A value may be a map of names and values that go together; the axis's own name is a label then", 0, 0, {}},
      {"", "derive", "map", false, "", "name: an expression, or a text with expressions in braces; may use axes, fixed values and what stands before it", 0, 0, {}},
      {"", "fixed", "map", false, "", "name: the value of all points", 0, 0, {}},
      {"", "where", "list", false, "", "conditions; a point for which one does not hold is kept as infeasible with this as its reason, and not run", 0, 0, {}},
      {"", "variables", "list", false, "", "names that are no flags: for expressions only", 0, 0, {}},
  };
  return keys;
}
// clang-format on

Study parse_study(const std::string& text, const std::string& file, const std::vector<CommandInfo>& commands) {
  const auto root = base::load_yaml(text, file);
  if (root.IsNull())
    throw UserError({file}, "is empty; a study holds a map of keys such as command and axes");
  return StudyReader(root, file, commands).study();
}

Study read_study(const std::string& path, const std::vector<CommandInfo>& commands) {
  return parse_study(base::read_text_file(path, base::MOST_YAML_BYTES), path, commands);
}

} // namespace tandem::study
