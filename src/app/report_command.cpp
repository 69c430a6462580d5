// tandem report: results as one HTML page, or one chart of them as SVG.
#include "app/commands.h"
#include "app/options.h"
#include "base/error.h"
#include "base/file.h"
#include "base/output_file.h"
#include "report/html_report.h"
#include "report/picture/picture.h"
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
  std::string page, svg; ///< files to write; empty: none; "-": stdout
  report::PictureChoice picture;
};

/// What is written must be able to be, and must be none of the results.
void check_output(const std::string& flag, const std::string& output, const std::vector<std::string>& results) {
  namespace fs = std::filesystem;
  if (output.empty() || output == "-")
    return;
  for (const auto& file : results) {
    std::error_code error; // a file that is not there is none of the results
    if (fs::equivalent(file, output, error))
      throw base::UserError(fmt::format("RESULTS and {} are the same file {}", flag, base::in_quotes(file)));
  }
  base::check_writable(output);
}

void run_report(const ReportFlags& flags) {
  if (flags.page.empty() && flags.svg.empty())
    throw base::UserError("--output is missing: the page's file (or --svg: a picture's)");
  if (flags.svg.empty() && !(flags.picture.chart.empty() && flags.picture.against.empty()))
    throw base::UserError("--chart and --against choose the picture of --svg, which is missing");
  if (flags.page == flags.svg)
    throw base::UserError(fmt::format("--output and --svg are the same file {}", base::in_quotes(flags.svg)));
  check_output("--output", flags.page, flags.results);
  check_output("--svg", flags.svg, flags.results);
  std::vector<report::ReportInput> inputs;
  for (const auto& file : flags.results)
    inputs.push_back(read_input(file));
  const auto data = report::report_data(inputs, program_version());
  if (!flags.svg.empty())
    Output{.file = flags.svg, .format = {}}.write(report::picture_svg(data, flags.picture));
  if (!flags.page.empty())
    Output{.file = flags.page, .format = {}}.write(report::html_report(data));
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
  command->add_option("-o,--output", flags->page, "write the page to FILE; '-': stdout")
      ->type_name("FILE")
      ->check(not_empty());
  command->add_option("--svg", flags->svg, "write one chart to FILE, for a paper; '-': stdout")
      ->type_name("FILE")
      ->check(not_empty());
  command
      ->add_option("--chart", flags->picture.chart,
                   "of --svg: the key of a metric (iteration_s, mfu, speedup, ...), efficiency, or bars of breakdown, "
                   "memory, dram or links (default: the time)")
      ->type_name("NAME")
      ->check(not_empty());
  command
      ->add_option("--against", flags->picture.against,
                   "of --svg: the input on the horizontal axis (default: gpus, else the first number that varies)")
      ->type_name("INPUT")
      ->check(not_empty());
  command->footer(
      "Examples:\n"
      "  tandem sweep workloads/studies/small.yaml --store small.sqlite\n"
      "  tandem report small.sqlite -o small.html\n"
      "  tandem report small.sqlite --svg small.svg --chart efficiency\n"
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
