// The program's edge: command line in, exit code out.
#include "app/commands.h"
#include "app/options.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/play.h"
#include "study/fork_pool.h"

#include <iostream>

namespace {

using tandem::base::Exit;

int leave(Exit code) {
  return static_cast<int>(code);
}

/// CLI11's own error, with the nearest flag or command when a word is unknown.
std::string command_line_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto* chosen = &app;
  while (!chosen->get_subcommands().empty())
    chosen = chosen->get_subcommands().front();
  std::string text = error.what();
  if (error.get_name() == "ExtrasError") {
    std::vector<std::string> known;
    for (const auto* option : chosen->get_options())
      for (const auto& name : option->get_lnames())
        known.push_back("--" + name);
    for (const auto* sub : chosen->get_subcommands([](const CLI::App*) { return true; }))
      known.push_back(sub->get_name());
    for (const auto& word : chosen->remaining())
      if (const auto near = tandem::base::nearest(word, known); !near.empty())
        text += " (did you mean '" + near + "'?)";
  }
  return text + "\nRun '" + (chosen == &app ? "tandem" : "tandem " + chosen->get_name()) +
         " --help' for what is allowed.";
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Tandem simulates distributed training in which GPUs compute and communicate in tandem."};
  app.name("tandem");
  app.set_version_flag("--version", "tandem " + tandem::app::program_version());
  app.require_subcommand(1);
  app.footer("Exit codes: 0 ok, 1 infeasible, 2 bad input, 70 a bug of Tandem's, 130 interrupted.");
  tandem::app::add_compare(app);
  tandem::app::add_list(app);
  tandem::app::add_platform(app);
  try {
    app.parse(argc, argv);
    return leave(Exit::OK);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    tandem::base::log_error(command_line_error(app, error));
    return leave(Exit::BAD_INPUT);
  } catch (const tandem::base::UserError& error) {
    tandem::base::log_error(error.what());
    return leave(Exit::BAD_INPUT);
  } catch (const tandem::base::Infeasible& error) {
    tandem::base::log_error(error.what());
    return leave(Exit::INFEASIBLE);
  } catch (const tandem::study::Interrupted&) {
    tandem::base::log_error("interrupted; nothing was written");
    return leave(Exit::INTERRUPTED);
  } catch (const std::exception& error) {
    tandem::base::log_error(std::string("bug in Tandem: ") + error.what() +
                            "\nPlease report it with the command and its input files.");
    return leave(Exit::BUG);
  }
}
