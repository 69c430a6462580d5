// Comments below a table of nccl-tests: what ran beside it, and what both cost each other.
#include "report/beside_table.h"

#include "base/text.h"
#include "base/units.h"
#include "model/rank_list.h"
#include "report/numbers.h"

#include <fmt/format.h>

namespace tandem::report {

namespace {

std::string described(const model::BesideRun& beside) {
  auto text = fmt::format("{} on {} ({})", model::to_string(beside.kind), base::counted(beside.group.size(), "rank"),
                          model::rank_list(beside.group));
  if (beside.size_bytes > 0)
    text += ", " + std::to_string(beside.size_bytes) + " B";
  if (model::has_root(beside.kind))
    text += fmt::format(", root {}", beside.root);
  text += ", strategy " + beside.strategy;
  if (beside.start_s > 0.0)
    text += ", from " + base::format_seconds(base::Seconds(beside.start_s)) + " on";
  return beside.count > 1 ? text + fmt::format(", {} in a row", beside.count) : text;
}

std::string line(const std::string& size, const std::string& what, double alone_s, double together_s) {
  return fmt::format("# {:>11}   {:<9}  {:>11.2f}  {:>13.2f}  {:>9.3f}\n", size, what, alone_s * PER_US,
                     together_s * PER_US, slow_down(together_s, alone_s));
}

} // namespace

double slow_down(double together_s, double alone_s) {
  return alone_s > 0.0 ? together_s / alone_s : 1.0;
}

std::string beside_text(const model::CollectiveRun& run, std::size_t first, std::size_t last) {
  if (run.beside.empty())
    return {};
  std::string text = "# At the same time, on streams of their own:\n";
  for (std::size_t i = 0; i < run.beside.size(); ++i)
    text += fmt::format("#   [{}] {}\n", i + 1, described(run.beside[i]));
  text += "# of size (B)   which       alone (us)  together (us)  slow-down\n";
  for (std::size_t at = first; at < last; ++at) {
    const auto& row = run.rows[at];
    text += line(std::to_string(row.size_bytes), "the row", row.alone_s.value_or(row.time_s), row.time_s);
    for (std::size_t i = 0; i < run.beside.size(); ++i)
      text += line("", fmt::format("[{}]", i + 1), run.beside[i].alone_s, row.beside_s[i]);
  }
  return text + "#\n";
}

} // namespace tandem::report
