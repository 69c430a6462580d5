// CSV rows become products and times.
#include "workload/kernel_times.h"

#include "base/error.h"
#include "base/file.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::workload {

namespace {

using base::Location;
using base::UserError;
using model::KernelTime;

constexpr long long LARGEST_EDGE = 1LL << 24;
constexpr double SLOWEST_US = 1e9;
constexpr std::size_t LONGEST_LINE = 65536;

/// Fields of a line; a field in double quotes may hold commas, and a quote as two.
std::vector<std::string> fields_of(const std::string& line, const Location& where) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      fields.emplace_back();
    else if (line[i] != '\r')
      fields.back() += line[i];
  }
  if (quoted)
    throw UserError(where, "a double quote without its end");
  return fields;
}

struct Columns {
  std::size_t gpu = 0, dtype = 0, m = 0, n = 0, k = 0, time = 0, count = 0;
};

Columns columns_of(const std::vector<std::string>& header, const Location& where) {
  const auto at = [&](const char* name) {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end())
      throw UserError(where, fmt::format("no column '{}'; needed: gpu, dtype, m, n, k, time_us", name));
    return static_cast<std::size_t>(found - header.begin());
  };
  return {at("gpu"), at("dtype"), at("m"), at("n"), at("k"), at("time_us"), header.size()};
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

/// Text of each line, without its end.
std::vector<std::string> lines_of(const std::string& text, const std::string& file) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    if (to - from > LONGEST_LINE)
      throw UserError({file, static_cast<int>(lines.size()) + 1}, "is no line of a table: it is too long");
    lines.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return lines;
}

} // namespace

std::vector<KernelTime> parse_kernel_times(const std::string& text, const std::string& file, const std::string& gpu) {
  const auto lines = lines_of(text, file);
  if (lines.empty())
    throw UserError({file}, "is empty; a table begins with the names of its columns");
  const Columns columns = columns_of(fields_of(lines[0], {file, 1}), {file, 1});
  std::vector<KernelTime> rows;
  std::vector<std::string> gpus;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Location where{file, static_cast<int>(i) + 1};
    if (lines[i].empty() || lines[i] == "\r")
      continue;
    const auto fields = fields_of(lines[i], where);
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
