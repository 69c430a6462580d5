// tandem report: results as one HTML page.
#include "app/commands.h"
#include "app/options.h"
#include "base/error.h"
#include "base/output_file.h"
#include "report/html_report.h"
#include "report/report_data.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace tandem::app {

namespace {

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
  flags.output.write(report::html_report(report::report_data(flags.results, program_version())));
}

} // namespace

void add_report(CLI::App& app) {
  auto flags = std::make_shared<ReportFlags>();
  auto* command =
      app.add_subcommand("report", "results as one HTML page: charts, a table that sorts, how to reproduce");
  command->add_option("RESULTS", flags->results, "JSON of sweep, train, compare or collective")
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--output", flags->output.file, "write the page to FILE; '-': stdout")
      ->required()
      ->type_name("FILE")
      ->check(not_empty());
  command->footer(
      "Examples:\n"
      "  tandem sweep workloads/studies/small.yaml --format json -o small.json\n"
      "  tandem report small.json -o small.html\n"
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
