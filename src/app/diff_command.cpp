// tandem diff: why one result is faster than another.
#include "app/commands.h"
#include "app/options.h"
#include "base/error.h"
#include "base/output_file.h"
#include "report/result_diff.h"

#include <memory>
#include <unistd.h>

namespace tandem::app {

namespace {

struct DiffFlags {
  std::string a, b, name_a, name_b;
  bool detail = false;
  Output output;
};

void run_diff(const DiffFlags& flags, const Origins& origins) {
  constexpr std::size_t DIFF_WIDTH = 132, BLOCKS = 3, ALL = 1 << 20;
  const auto format = flags.output.choose(origins).format;
  if (format == "csv")
    throw base::UserError("diff writes a table or JSON; allowed: table, json");
  if (flags.output.file != "-")
    base::check_writable(flags.output.file);
  const auto a = report::read_result_file(flags.a);
  const auto b = flags.b.empty() ? report::ResultFile() : report::read_result_file(flags.b);
  const auto pairs = report::pair_results(a, flags.b.empty() ? nullptr : &b, flags.name_a, flags.name_b);
  if (format == "json") {
    flags.output.write(report::diff_json(pairs, program_version()));
    return;
  }
  const bool terminal = flags.output.file == "-" && isatty(STDOUT_FILENO) != 0;
  flags.output.write(report::diff_table(pairs, {.width = DIFF_WIDTH, .colour = terminal}, flags.detail ? ALL : BLOCKS));
}

} // namespace

void add_diff(CLI::App& app) {
  auto flags = std::make_shared<DiffFlags>();
  auto* command = app.add_subcommand("diff", "why one result is faster than another, term by term");
  command->add_option("A", flags->a, "JSON of train, compare or collective")->required()->type_name("FILE");
  command->add_option("B", flags->b, "another one (default: the other strategies of A, case by case)")
      ->type_name("FILE");
  command->add_option("--a", flags->name_a, "what of A: a strategy, a case or size, a word of a case, or a whole entry")
      ->type_name("NAME")
      ->check(not_empty());
  command->add_option("--b", flags->name_b, "what of B, likewise")->type_name("NAME")->check(not_empty());
  add_switch(*command, "--detail", flags->detail, "a block for each pair, however many there are");
  flags->output.add_to(*command);
  command->footer(
      "Examples:\n"
      "  tandem compare workloads/examples/one-sublayer.yaml --format json -o strategies.json\n"
      "  tandem diff strategies.json\n"
      "  tandem diff strategies.json --a sequential --b t3-mca\n"
      "  tandem train --model llama2-7b --seq 4096 --platform platforms/dgx-h100.xml --tp 8 --recompute full "
      "--format json -o tp.json\n"
      "  tandem train --model llama2-7b --seq 4096 --platform platforms/dgx-h100.xml --zero 3 --recompute full "
      "--format json -o zero.json\n"
      "  tandem diff tp.json zero.json\n"
      "Two files or the entries of one, as train, compare and collective write them with --format json. Entries of one "
      "case are held against each other: of two files those of the same strategy, of one file the first against the "
      "others.");
  command->callback([flags, command] { run_diff(*flags, apply_environment(*command)); });
}

} // namespace tandem::app
