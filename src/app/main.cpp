// The program's edge: command line in, exit code out.
#include "app/commands.h"
#include "app/exit_codes.h"
#include "app/options.h"
#include "app/usage_error.h"
#include "base/error.h"
#include "base/log.h"
#include "study/fork_pool.h"

#include <CLI/CLI.hpp>

#include <new>
#include <sstream>

namespace {

using tandem::base::Exit;

int leave(Exit code) {
  return static_cast<int>(code);
}

/// What --help and --version print goes to stdout like any result.
int leave_after_help(const CLI::App& app, const CLI::Success& help) {
  std::ostringstream text;
  const int code = app.exit(help, text, text);
  tandem::app::print(text.str());
  return code;
}

int run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return leave(Exit::OK);
  } catch (const CLI::Success& help) {
    return leave_after_help(app, help);
  } catch (const CLI::ParseError& error) {
    tandem::base::log_error(tandem::app::usage_error(app, error));
    return leave(Exit::BAD_INPUT);
  }
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Tandem simulates distributed training in which GPUs compute and communicate in tandem."};
  app.name("tandem");
  app.set_version_flag("--version", "tandem " + tandem::app::program_version(), "print the version and stop");
  app.require_subcommand(1);
  app.footer("Examples:\n"
             "  tandem compare workloads/t3.yaml\n"
             "  tandem collective allreduce --platform platforms/dgx-h100.xml -b 8 -e 1G -f 2\n"
             "  tandem list strategies\n"
             "  tandem platform show platforms/t3-ring-8.xml\n" +
             tandem::app::exit_codes_line());
  tandem::app::add_compare(app);
  tandem::app::add_collective(app);
  tandem::app::add_train(app);
  tandem::app::add_diff(app);
  tandem::app::add_sweep(app);
  tandem::app::add_plan(app);
  tandem::app::add_report(app);
  tandem::app::add_validate(app);
  tandem::app::add_list(app);
  tandem::app::add_platform(app);
  tandem::app::add_docs(app);
  try {
    return run(app, argc, argv);
  } catch (const tandem::base::UserError& error) {
    tandem::base::log_error(error.what());
    return leave(Exit::BAD_INPUT);
  } catch (const tandem::base::Infeasible& error) {
    tandem::base::log_error(error.what());
    return leave(Exit::INFEASIBLE);
  } catch (const tandem::app::OutOfTolerance& error) {
    tandem::base::log_error(error.what());
    return leave(Exit::OUT_OF_TOLERANCE);
  } catch (const std::bad_alloc&) {
    tandem::base::log_error("not enough memory");
    return leave(Exit::INFEASIBLE);
  } catch (const tandem::study::Interrupted&) {
    tandem::base::log_error(
        "interrupted: what was written, if anything, is marked so and holds only what had been simulated");
    return leave(Exit::INTERRUPTED);
  } catch (const std::exception& error) {
    tandem::base::log_error(std::string("bug in Tandem: ") + error.what() +
                            "\nPlease report it with the command and its input files.");
    return leave(Exit::BUG);
  }
}
