// Names of the ways to fold.
#include "study/fold_choice.h"

#include "base/error.h"

#include <array>
#include <utility>

namespace tandem::study {

namespace {

constexpr std::array<std::pair<const char*, engine::Fold>, 3> NAMES{
    {{"auto", engine::Fold::AUTO}, {"on", engine::Fold::ON}, {"off", engine::Fold::OFF}}};

} // namespace

std::vector<std::string> fold_names() {
  std::vector<std::string> names;
  for (const auto& [name, fold] : NAMES)
    names.emplace_back(name);
  return names;
}

engine::Fold fold_of(const std::string& name) {
  for (const auto& [known, fold] : NAMES)
    if (name == known)
      return fold;
  throw base::UserError(base::unknown_word("way to fold", name, fold_names()));
}

std::string name_of(engine::Fold fold) {
  for (const auto& [name, known] : NAMES)
    if (fold == known)
      return name;
  throw base::Bug("a way to fold without a name");
}

} // namespace tandem::study
