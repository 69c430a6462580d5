// CSV rows become products and times.
#include "workload/kernel_times.h"

#include "base/error.h"
#include "base/file.h"
#include "workload/csv_lines.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace tandem::workload {

namespace {

using base::Location;
using base::UserError;
using model::KernelTime;

constexpr long long LARGEST_EDGE = 1LL << 24;
constexpr double SLOWEST_US = 1e9;

struct Columns {
  std::size_t gpu = 0, dtype = 0, m = 0, n = 0, k = 0, time = 0, count = 0;
  std::optional<std::size_t> batch;
};

Columns columns_of(const std::vector<std::string>& header, const Location& where) {
  const auto at = [&](const char* name) {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end())
      throw UserError(where, fmt::format("no column '{}'; needed: gpu, dtype, m, n, k, time_us", name));
    return static_cast<std::size_t>(found - header.begin());
  };
  const bool batched = std::find(header.begin(), header.end(), "batch") != header.end();
  return {at("gpu"), at("dtype"),   at("m"),       at("n"),
          at("k"),   at("time_us"), header.size(), batched ? std::optional(at("batch")) : std::nullopt};
}

std::int64_t edge(const std::string& text, const char* name, const Location& where) {
  try {
    return base::parse_integer(text, 1, LARGEST_EDGE);
  } catch (const UserError& error) {
    throw UserError(where, fmt::format("{}: {}", name, error.what()));
  }
}

KernelTime row_of(const std::vector<std::string>& fields, const Columns& columns, const Location& where) {
  KernelTime row;
  row.gpu = fields[columns.gpu];
  row.line = where.line;
  row.gemm.precision = fields[columns.dtype].substr(0, fields[columns.dtype].find(' '));
  row.gemm.m = edge(fields[columns.m], "m", where);
  row.gemm.n = edge(fields[columns.n], "n", where);
  row.gemm.k = edge(fields[columns.k], "k", where);
  if (columns.batch)
    row.gemm.batch = edge(fields[*columns.batch], "batch", where);
  try {
    (void)row.gemm.element_bytes();
    const double microseconds = base::parse_number(fields[columns.time]);
    if (microseconds <= 0 || microseconds > SLOWEST_US)
      throw UserError(fmt::format("time_us {} is out of range; allowed: above 0, up to {}",
                                  base::in_quotes(fields[columns.time]), SLOWEST_US));
    row.time_s = microseconds * 1e-6;
  } catch (const UserError& error) {
    throw UserError(where, error.what());
  }
  return row;
}

} // namespace

std::vector<KernelTime> parse_kernel_times(const std::string& text, const std::string& file, const std::string& gpu) {
  const auto lines = csv_lines(text, file);
  if (lines.empty())
    throw UserError({file}, "is empty; a table begins with the names of its columns");
  const Columns columns = columns_of(csv_fields(lines[0], {file, 1}), {file, 1});
  std::vector<KernelTime> rows;
  std::vector<std::string> gpus;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Location where{file, static_cast<int>(i) + 1};
    if (lines[i].empty() || lines[i] == "\r")
      continue;
    const auto fields = csv_fields(lines[i], where);
    if (fields.size() != columns.count)
      throw UserError(where, fmt::format("{} fields, and the header has {}", fields.size(), columns.count));
    const std::string& of = fields[columns.gpu];
    if (std::find(gpus.begin(), gpus.end(), of) == gpus.end())
      gpus.push_back(of);
    if (gpu.empty() || gpu == of)
      rows.push_back(row_of(fields, columns, where));
  }
  if (gpu.empty() && gpus.size() > 1)
    throw UserError({file},
                    fmt::format("times of {} GPUs; choose one with --gpu: {}", gpus.size(), fmt::join(gpus, ", ")));
  if (rows.empty() && !gpu.empty())
    throw UserError({file}, base::unknown_word("GPU", gpu, gpus));
  return rows;
}

std::vector<KernelTime> read_kernel_times(const std::string& path, const std::string& gpu) {
  return parse_kernel_times(base::read_text_file(path, base::MOST_TEXT_BYTES), path, gpu);
}

} // namespace tandem::workload
