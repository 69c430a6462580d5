// --fold and --explain-classes.
#pragma once

#include "app/options.h"
#include "study/fold_choice.h"

#include <string>
#include <vector>

namespace tandem::app {

struct FoldFlags {
  std::string fold = "auto";
  bool explain = false;
  void add_to(CLI::App& command);
  [[nodiscard]] engine::Fold choice() const { return study::fold_of(fold); }
};

/// What --explain-classes prints.
std::string explained_text(const std::vector<study::ExplainedRun>& runs);

} // namespace tandem::app
