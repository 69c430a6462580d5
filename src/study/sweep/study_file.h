// A study (YAML): a command of the program with axes, derived values and conditions instead of one value for each flag.
#pragma once

#include "base/error.h"
#include "study/sweep/expression.h"
#include "workload/workload_reader.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tandem::study {

/// A flag of a command, by the name that a study gives it.
struct FlagInfo {
  enum class Kind {
    VALUE,
    SWITCH,     ///< true or false
    REPEATED,   ///< takes a list
    POSITIONAL, ///< a word without a flag
    ASSIGNMENT  ///< `--set KEY=VALUE`, whose name is "set.KEY"
  };
  std::string name; ///< "micro_batch"
  std::string flag; ///< "--micro-batch"; of an ASSIGNMENT "--set"
  Kind kind = Kind::VALUE;
  bool is_path = false; ///< may name a file, which is looked for beside the study first
  [[nodiscard]] std::string key() const { return name.substr(name.find('.') + 1); } ///< of an ASSIGNMENT
};

/// A command that studies can run, with every flag that they may give.
struct CommandInfo {
  std::string name;
  std::vector<FlagInfo> flags;
};

/// What a study gives for one name: one word, a list of words, or none, and the flag is not there.
struct StudyValue {
  std::optional<std::vector<std::string>> words;
  base::Location where;
};
using NamedValue = std::pair<std::string, StudyValue>;

struct Axis {
  std::string name;
  std::vector<std::vector<NamedValue>> choices; ///< each one name, that of the axis, or several that go together
};

struct Derived {
  std::string name;
  Template text;
  base::Location where;
};

/// A name with values: a flag of the command, or a variable that only expressions use.
struct StudyInput {
  std::string name;
  std::optional<FlagInfo> flag;
};

struct Study {
  std::string file, title;
  CommandInfo command;
  base::Location command_where;
  std::vector<StudyInput> inputs; ///< every name: of axes, derived, fixed, in the order of the file
  std::vector<Axis> axes;
  std::vector<Derived> derived; ///< each may use those before it
  std::vector<NamedValue> fixed;
  std::vector<Expression> conditions;
  [[nodiscard]] const StudyInput& input(const std::string& name) const;
};

/// Keys of the file, for the reader and for docs/inputs.md.
const std::vector<workload::KeyInfo>& study_keys();

/// Throws UserError with file:line:column: unreadable, bad YAML, an unknown key, command or flag (with the nearest
/// one), a name that is given twice, a value that its flag cannot have by its kind.
Study read_study(const std::string& path, const std::vector<CommandInfo>& commands);
Study parse_study(const std::string& text, const std::string& file, const std::vector<CommandInfo>& commands);

} // namespace tandem::study
