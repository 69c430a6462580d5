// One row per size; times in us, bandwidths in GB/s of 10^9 bytes.
#include "report/nccl_table.h"

#include "base/text.h"
#include "model/rank_list.h"
#include "report/beside_table.h"
#include "report/csv.h"
#include "report/energy_report.h"
#include "report/json_text.h"
#include "report/link_report.h"
#include "report/numbers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace tandem::report {

namespace {

using Json = nlohmann::ordered_json;
using model::CollectiveKind;
using model::CollectiveRow;
using model::CollectiveRun;

constexpr std::uint64_t FLOAT_BYTES = 4;
constexpr double PER_GBPS = 1e-9;

/// Ranks per GPU that was played.
double fold_factor(const CollectiveRun& run, const CollectiveRow& row) {
  return row.played_gpus > 0 ? static_cast<double>(run.gpus) / row.played_gpus : 1.0;
}

bool reduces(CollectiveKind kind) {
  return kind == CollectiveKind::ALL_REDUCE || kind == CollectiveKind::REDUCE_SCATTER || kind == CollectiveKind::REDUCE;
}

/// Elements that nccl-tests counts: of the whole vector, or of a rank's part where each has its own.
std::uint64_t count_of(const CollectiveRun& run, const CollectiveRow& row) {
  const bool whole = run.kind == CollectiveKind::ALL_REDUCE || run.kind == CollectiveKind::BROADCAST ||
                     run.kind == CollectiveKind::REDUCE || run.kind == CollectiveKind::SEND_RECV;
  return row.size_bytes / FLOAT_BYTES / (whole ? 1 : static_cast<std::uint64_t>(run.ranks));
}

double bus_bandwidth(const CollectiveRun& run, const CollectiveRow& row) {
  return row.algorithm_bandwidth() * model::bus_factor(run.kind, run.ranks);
}

double in_place_bandwidth(const CollectiveRow& row) {
  return row.in_place_s > 0.0 ? static_cast<double>(row.size_bytes) / row.in_place_s : 0.0;
}

std::string time_text(double time_us) {
  return time_us >= 1e4     ? fmt::format("{:7.0f}", time_us)
         : time_us >= 100.0 ? fmt::format("{:7.1f}", time_us)
                            : fmt::format("{:7.2f}", time_us);
}

std::string row_text(const CollectiveRun& run, const CollectiveRow& row) {
  const auto half = [&](double time_s, double bandwidth) {
    return fmt::format("  {}  {:6.2f}  {:6.2f}  {:>5}", time_text(time_s * PER_US), bandwidth * PER_GBPS,
                       bandwidth * model::bus_factor(run.kind, run.ranks) * PER_GBPS, 0);
  };
  return fmt::format("{:12}  {:12}  {:>8}  {:>6}  {:>6}{}{}\n", row.size_bytes, count_of(run, row), "float",
                     reduces(run.kind) ? "sum" : "none", model::has_root(run.kind) ? run.root : -1,
                     half(row.time_s, row.algorithm_bandwidth()), half(row.in_place_s, in_place_bandwidth(row)));
}

/// The rows of one strategy after the other.
template <class Visit> void for_each_strategy(const CollectiveRun& run, const Visit& visit) {
  for (std::size_t first = 0; first < run.rows.size();) {
    std::size_t last = first;
    while (last < run.rows.size() && run.rows[last].strategy == run.rows[first].strategy)
      ++last;
    visit(first, last);
    first = last;
  }
}

/// A line where not every rank was played.
std::string folded_line(const CollectiveRun& run, std::size_t first, std::size_t last) {
  int least = run.gpus, most = 0;
  for (std::size_t row = first; row < last; ++row) {
    least = std::min(least, run.rows[row].played_gpus);
    most = std::max(most, run.rows[row].played_gpus);
  }
  if (least == 0 || least == run.gpus)
    return {};
  const auto played = least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
  return fmt::format("# folded: {} of {} GPUs played for all that do the same\n", played, run.gpus);
}

/// A line for each size: what nccl-tests has no column for.
std::string energy_lines(const CollectiveRun& run, std::size_t first, std::size_t last) {
  std::string text;
  for (std::size_t at = first; at < last; ++at)
    if (const auto& row = run.rows[at]; row.energy)
      text += fmt::format("# energy of {} B: {}\n", row.size_bytes, energy_line(*row.energy, row.time_s, run.gpus));
  return text;
}

/// Of the largest size, whose bandwidth is what is asked about.
std::string busiest_line(const CollectiveRow& largest) {
  const auto text = busiest_link_text(largest.links);
  return text.empty() ? text : fmt::format("# busiest link at {} B: {}\n", largest.size_bytes, text);
}

/// "8 ranks", with the platform's numbers of them where they are not its first.
std::string ranks_text(const CollectiveRun& run) {
  return base::counted(static_cast<std::size_t>(run.ranks), "rank") +
         (run.group.empty() ? std::string() : fmt::format(" ({})", model::rank_list(run.group)));
}

/// A line for each size that the strategy of the rows cannot do.
std::string skipped_lines(const CollectiveRun& run, const std::string& strategy, const char* before) {
  std::string text;
  for (const auto& size : run.skipped)
    if (size.strategy == strategy)
      text += fmt::format("{}skipped {} B: {}\n", before, size.size_bytes, size.reason);
  return text;
}

constexpr std::uint64_t LARGE = 1048576;

struct ErrorMean {
  double sum = 0.0;
  int count = 0;
  void add(double error) {
    sum += error;
    ++count;
  }
  [[nodiscard]] std::string text() const { return count == 0 ? "-" : fmt::format("{:.1f}%", 100.0 * sum / count); }
};

} // namespace

std::string nccl_table(const CollectiveRun& run) {
  std::string text = fmt::format("# tandem {}: {} on {} of {} ({})\n", run.version, model::to_string(run.kind),
                                 ranks_text(run), run.platform, run.device);
  if (!run.assumed.empty())
    text += fmt::format("# assumed, without a source: {}\n", fmt::join(run.assumed, ", "));
  if (const auto error = run.settings.find("granularity_error"); error != run.settings.end())
    text += fmt::format("# granularity flow: {}\n", error->second);
  for_each_strategy(run, [&](std::size_t first, std::size_t last) {
    text += folded_line(run, first, last);
    text += fmt::format("# strategy {}\n#\n", run.rows[first].strategy);
    text += "#                                                              out-of-place                       "
            "in-place          \n"
            "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   "
            "busbw #wrong\n"
            "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  "
            "(GB/s)       \n";
    double sum = 0.0;
    for (std::size_t row = first; row < last; ++row) {
      text += row_text(run, run.rows[row]);
      sum += bus_bandwidth(run, run.rows[row]);
    }
    text += fmt::format("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : {:g} \n#\n",
                        sum * PER_GBPS / static_cast<double>(last - first));
    text += busiest_line(run.rows[last - 1]) + skipped_lines(run, run.rows[first].strategy, "# ") +
            beside_text(run, first, last) + energy_lines(run, first, last);
  });
  return text;
}

std::string against_table(const CollectiveRun& run, const Layout& layout) {
  std::string text = fmt::format("{} on {} of {} ({}) against {}\n", model::to_string(run.kind), ranks_text(run),
                                 run.platform, run.device, run.log);
  for_each_strategy(run, [&](std::size_t first, std::size_t last) {
    Table table({{"size (B)", Align::RIGHT},
                 {"measured (us)", Align::RIGHT},
                 {"simulated (us)", Align::RIGHT},
                 {"error", Align::RIGHT},
                 {"algorithm", Align::LEFT}});
    ErrorMean small, large, seen, unseen;
    for (std::size_t at = first; at < last; ++at) {
      const auto& row = run.rows[at];
      const auto error = row.error();
      table.add({fmt::format("{}", row.size_bytes), fmt::format("{:.4g}", row.measured_s.value_or(0.0) * PER_US),
                 fmt::format("{:.4g}", row.time_s * PER_US), error ? fmt::format("{:+.1f}%", 100.0 * *error) : "-",
                 row.is_host_bound ? "(host)" : row.algorithm + " " + row.protocol});
      if (error && row.size_bytes > 0) // a call about nothing returns at once
        (row.size_bytes < LARGE ? small : large).add(std::abs(*error));
      if (error && row.size_bytes > 0)
        (row.is_fitted ? seen : unseen).add(std::abs(*error));
    }
    text += fmt::format("\nstrategy {}\n", run.rows[first].strategy) + table.text(layout);
    text += fmt::format("  mean absolute error: {} below 1 MiB, {} from 1 MiB on\n", small.text(), large.text());
    text += skipped_lines(run, run.rows[first].strategy, "  ");
    if (!run.fitted_library.empty())
      text += fmt::format("  of the sizes that the fit saw: {}; of the others: {}\n", seen.text(), unseen.text());
  });
  if (!run.fitted_library.empty())
    text += "\nThe library that was fitted; as a file, --library FILE takes it:\n\n" + run.fitted_library;
  if (!run.assumed.empty())
    text += '\n' + wrapped(fmt::format("assumed, without a source: {}", fmt::join(run.assumed, ", ")),
                           {layout.width, 0, false});
  return text;
}

std::string collective_json(const CollectiveRun& run) {
  Json document;
  document["tandem"] = {{"version", run.version}};
  document["operation"] = model::to_string(run.kind);
  document["ranks"] = run.ranks;
  document["group"] = run.group.empty() ? Json(nullptr) : Json(run.group);
  document["root"] = model::has_root(run.kind) ? Json(run.root) : Json(nullptr);
  document["platform"] = run.platform;
  document["device"] = run.device;
  document["library"] = run.library.empty() ? Json(nullptr) : Json(run.library);
  document["gpus_per_process"] = run.gpus_per_process;
  document["fitted_library"] = run.fitted_library.empty() ? Json(nullptr) : Json(run.fitted_library);
  document["inputs"] = run.digests;
  document["settings"] = run.settings;
  document["assumed"] = run.assumed;
  document["beside"] = Json::array();
  for (const auto& beside : run.beside)
    document["beside"].push_back({{"operation", model::to_string(beside.kind)},
                                  {"group", beside.group},
                                  {"root", model::has_root(beside.kind) ? Json(beside.root) : Json(nullptr)},
                                  {"size_bytes", beside.size_bytes},
                                  {"strategy", beside.strategy},
                                  {"algorithm", beside.algorithm},
                                  {"protocol", beside.protocol},
                                  {"start_us", beside.start_s * PER_US},
                                  {"count", beside.count},
                                  {"alone_us", beside.alone_s * PER_US}});
  document["rows"] = Json::array();
  for (const auto& row : run.rows) {
    auto others = Json::array();
    for (std::size_t i = 0; i < run.beside.size(); ++i)
      others.push_back({{"together_us", row.beside_s[i] * PER_US},
                        {"slow_down", slow_down(row.beside_s[i], run.beside[i].alone_s)}});
    document["rows"].push_back({{"size_bytes", row.size_bytes},
                                {"count", count_of(run, row)},
                                {"time_us", row.time_s * PER_US},
                                {"in_place_us", row.in_place_s * PER_US},
                                {"alone_us", row.alone_s ? Json(*row.alone_s * PER_US) : Json(nullptr)},
                                {"slow_down", row.alone_s ? Json(slow_down(row.time_s, *row.alone_s)) : Json(nullptr)},
                                {"beside", others},
                                {"algbw_gbps", row.algorithm_bandwidth() * PER_GBPS},
                                {"busbw_gbps", bus_bandwidth(run, row) * PER_GBPS},
                                {"algorithm", row.algorithm},
                                {"protocol", row.protocol},
                                {"choice", row.choice.empty() ? Json(nullptr) : Json(row.choice)},
                                {"host_bound", row.is_host_bound},
                                {"fitted", run.fitted_library.empty() ? Json(nullptr) : Json(row.is_fitted)},
                                {"strategy", row.strategy},
                                {"played_gpus", row.played_gpus},
                                {"fold_factor", fold_factor(run, row)},
                                {"activities", row.activities},
                                {"lower_bound_us", row.lower_bound_s * PER_US},
                                {"measured_us", row.measured_s ? Json(*row.measured_s * PER_US) : Json(nullptr)},
                                {"error", row.error() ? Json(*row.error()) : Json(nullptr)}});
    document["rows"].back().update(links_json(row.links));
    if (row.energy)
      document["rows"].back()["energy"] = energy_json(*row.energy, row.time_s, run.gpus);
  }
  document["skipped"] = Json::array();
  for (const auto& size : run.skipped)
    document["skipped"].push_back(
        {{"strategy", size.strategy}, {"size_bytes", size.size_bytes}, {"reason", size.reason}});
  return json_text(document);
}

std::string collective_csv(const CollectiveRun& run) {
  std::string text =
      std::string(
          "operation,ranks,platform,strategy,size_bytes,count,time_us,algbw_gbps,busbw_gbps,algorithm,protocol,"
          "lower_bound_us,measured_us,error,played_gpus,fold_factor,group,alone_us,beside_slow_downs,in_place_us,") +
      fmt::format("{},{}\r\n", fmt::join(energy_columns(), ","), fmt::join(link_columns(), ","));
  for (const auto& row : run.rows) {
    std::vector<std::string> slow_downs;
    for (std::size_t i = 0; i < run.beside.size(); ++i)
      slow_downs.push_back(number(slow_down(row.beside_s[i], run.beside[i].alone_s)));
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", model::to_string(run.kind), run.ranks,
        csv_field(run.platform), csv_field(row.strategy), row.size_bytes, count_of(run, row),
        number(row.time_s * PER_US), number(row.algorithm_bandwidth() * PER_GBPS),
        number(bus_bandwidth(run, row) * PER_GBPS), row.algorithm, row.protocol, number(row.lower_bound_s * PER_US),
        row.measured_s ? number(*row.measured_s * PER_US) : "", row.error() ? number(*row.error()) : "",
        row.played_gpus, number(fold_factor(run, row)), csv_field(model::rank_list(run.group)),
        row.alone_s ? number(*row.alone_s * PER_US) : "", fmt::join(slow_downs, " "), number(row.in_place_s * PER_US),
        fmt::join(energy_fields(row.energy), ","), fmt::join(link_fields(row.links), ","));
  }
  return text;
}

} // namespace tandem::report
