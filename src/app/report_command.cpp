// tandem report: results as one HTML page.
#include "app/commands.h"
#include "app/options.h"
#include "base/error.h"
#include "base/file.h"
#include "base/output_file.h"
#include "report/html_report.h"
#include "report/report_data.h"
#include "report/sweep_report.h"
#include "study/sweep/result_store.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace tandem::app {

namespace {

/// The file's text, or what `sweep --format json` says of a store.
report::ReportInput read_input(const std::string& file) {
  if (!study::ResultStore::is_database(file))
    return {file, base::read_text_file(file)};
  study::ResultStore store(file, study::Database::Mode::EXISTING);
  return {file, report::sweep_json(store.study())};
}

struct ReportFlags {
  std::vector<std::string> results;
  Output output;
};

void run_report(const ReportFlags& flags) {
  namespace fs = std::filesystem;
  if (flags.output.file != "-") {
    for (const auto& file : flags.results) {
      std::error_code error; // a file that is not there is none of the results
      if (fs::equivalent(file, flags.output.file, error))
        throw base::UserError(fmt::format("RESULTS and --output are the same file {}", base::in_quotes(file)));
    }
    base::check_writable(flags.output.file);
  }
  std::vector<report::ReportInput> inputs;
  for (const auto& file : flags.results)
    inputs.push_back(read_input(file));
  flags.output.write(report::html_report(report::report_data(inputs, program_version())));
}

} // namespace

void add_report(CLI::App& app) {
  auto flags = std::make_shared<ReportFlags>();
  auto* command =
      app.add_subcommand("report", "results as one HTML page: charts, a table that sorts, how to reproduce");
  command
      ->add_option("RESULTS", flags->results,
                   "stores of sweep, JSON of sweep, train, compare or collective, timelines of --timeline")
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--output", flags->output.file, "write the page to FILE; '-': stdout")
      ->required()
      ->type_name("FILE")
      ->check(not_empty());
  command->footer(
      "Examples:\n"
      "  tandem sweep workloads/studies/small.yaml --store small.sqlite\n"
      "  tandem report small.sqlite -o small.html\n"
      "  tandem train --model gpt-3.6b --platform platforms/dgx-a100.xml --tp 4 --pp 2 --format json -o one.json "
      "--timeline one.trace.json\n"
      "  tandem report one.json one.trace.json -o one.html\n"
      "  tandem compare workloads/examples/one-sublayer.yaml --format json -o strategies.json\n"
      "  tandem collective allreduce --platform platforms/dgx-h100.xml -b 1M -e 64M -f 4 --strategy ring --strategy "
      "halving-doubling --format json -o sizes.json\n"
      "  tandem report strategies.json sizes.json -o both.html\n"
      "The page needs no network and no server: open it in a browser.");
  command->callback([flags, command] {
    apply_environment(*command);
    run_report(*flags);
  });
}

} // namespace tandem::app
