// Flags that say how many ranks are played.
#include "app/fold_flags.h"

namespace tandem::app {

void FoldFlags::add_to(CLI::App& command) {
  command
      .add_option("--fold", fold,
                  "play one GPU for all that do the same: on, off, or auto, where that leaves half of them at most "
                  "(default: auto); results are the same")
      ->type_name("MODE")
      ->check(one_of("way to fold", study::fold_names()));
  add_switch(command, "--explain-classes", explain,
             "print which ranks do the same and what sets others apart, and play nothing");
}

std::string explained_text(const std::vector<study::ExplainedRun>& runs) {
  std::string text;
  for (const auto& run : runs) {
    text += run.name + '\n';
    for (const auto& line : run.lines)
      text += "  " + line + '\n';
  }
  return text;
}

} // namespace tandem::app
