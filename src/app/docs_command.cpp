// tandem docs: the pages that the program writes about itself. Hidden: docs/ holds what it prints, and a test compares.
#include "app/commands.h"
#include "app/input_docs.h"
#include "app/options.h"

namespace tandem::app {

void add_docs(CLI::App& app) {
  auto* command = app.add_subcommand("docs", "print a page of the documentation");
  command->group(""); // hidden
  command->require_subcommand(1);
  command->footer("Examples:\n  tandem docs inputs");
  auto* inputs = command->add_subcommand("inputs", "docs/inputs.md: every flag, key and value that can be given");
  inputs->group("Subcommands"); // not hidden as `docs` is
  inputs->callback([&app] { print(inputs_page(app)); });
}

} // namespace tandem::app
