// Rows: size count type [redop] [root] time algbw busbw error, and the last four again in place.
#include "workload/nccl_log.h"

#include "base/error.h"
#include "base/file.h"
#include "base/payload.h"
#include "model/collective_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <sstream>

namespace tandem::workload {

namespace {

constexpr std::size_t HALF = 4;                                         ///< time algbw busbw error
constexpr std::size_t FEWEST = 3 + 2 * HALF, MOST_WORDS = 5 + 2 * HALF; ///< words of a row
constexpr double US = 1e-6;

const std::array TYPES{"int8",  "uint8",  "int32",    "uint32", "int64",  "uint64",   "half",
                       "float", "double", "bfloat16", "f8e4m3", "f8e5m2", "fp8_e4m3", "fp8_e5m2"};

bool is_digits(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Takes off "[1,0]<stdout>:" of mpirun and "0: " of srun.
std::string without_tag(const std::string& line) {
  if (const auto end = line.find(">:"); line.starts_with("[") && end != std::string::npos)
    return line.substr(end + 2);
  const auto digits = line.find_first_not_of(' ');
  const auto colon = line.find(": ");
  if (digits != std::string::npos && colon != std::string::npos && colon > digits &&
      is_digits(line.substr(digits, colon - digits)))
    return line.substr(colon + 2);
  return line;
}

std::vector<std::string> words_of_line(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

bool begins_a_row(const std::vector<std::string>& words) {
  return words.size() >= 3 && std::find(TYPES.begin(), TYPES.end(), words[2]) != TYPES.end();
}

bool begins_a_table(const std::vector<std::string>& words) {
  return words.size() >= 3 && words[0] == "#" && words[1] == "size" && words[2] == "count";
}

/// Empty unless the whole word is a finite number that is not negative.
std::optional<double> number_in(const std::string& word) {
  std::size_t used = 0;
  try {
    const double value = std::stod(word, &used);
    if (used == word.size() && std::isfinite(value) && value >= 0.0)
      return value;
  } catch (const std::logic_error&) { // not a number, or too large for one: the caller says so
  }
  return std::nullopt;
}

class LogReader {
public:
  explicit LogReader(const std::string& file) { log_.file = file; }

  NcclLog read(const std::string& text) {
    std::istringstream in(text);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      const auto words = words_of_line(without_tag(line));
      if (words.size() > 2 && words[0] == "#" && words[1] == "Rank" && is_digits(words[2]))
        read_rank(words);
      else if (begins_a_table(words) && !log_.rows.empty())
        throw base::UserError({.file = log_.file, .line = number}, "a second table; allowed: a log of one run");
      else if (begins_a_row(words))
        read_row(words, number);
    }
    if (log_.rows.empty())
      throw base::UserError({.file = log_.file},
                            "no row of nccl-tests in it: size, count, type, ..., time, algbw, busbw");
    return std::move(log_);
  }

private:
  /// # Rank 0 Pid 25 on host device 0 ...
  void read_rank(const std::vector<std::string>& words) {
    ++log_.ranks;
    const auto pid = std::find(words.begin(), words.end(), "Pid");
    if (words.end() - pid < 4)
      return;
    const auto process = *(pid + 1) + " on " + *(pid + 3);
    if (first_process_.empty())
      first_process_ = process;
    if (process == first_process_)
      ++log_.gpus_per_process;
  }

  void read_row(const std::vector<std::string>& words, int line) {
    const base::Location here{.file = log_.file, .line = line};
    if (words.size() < FEWEST || words.size() > MOST_WORDS)
      throw base::UserError(
          here, fmt::format("a row of {} words; allowed: {} to {} (is it cut off?)", words.size(), FEWEST, MOST_WORDS));
    const auto first = words.size() - 2 * HALF;
    const auto size = number_in(words[0]), time = number_in(words[first]), algbw = number_in(words[first + 1]),
               busbw = number_in(words[first + 2]);
    if (!is_digits(words[0]) || !size || *size > base::MOST_PAYLOAD_BYTES || !is_digits(words[1]))
      throw base::UserError(here, fmt::format("size {} and count {} must be whole numbers, of at most 1 PiB",
                                              base::in_quotes(words[0]), base::in_quotes(words[1])));
    if (!time || *time <= 0.0 || !algbw || !busbw)
      throw base::UserError(here, fmt::format("time {} must be a number above 0, algbw {} and busbw {} numbers",
                                              base::in_quotes(words[first]), base::in_quotes(words[first + 1]),
                                              base::in_quotes(words[first + 2])));
    log_.rows.push_back({static_cast<std::uint64_t>(*size), *time * US});
    if (*algbw > fastest_) { // two decimals: the fastest row has the most digits
      fastest_ = *algbw;
      log_.bus_factor = *algbw >= 1.0 ? *busbw / *algbw : 0.0;
    }
  }

  NcclLog log_;
  std::string first_process_;
  double fastest_ = 0.0;
};

} // namespace

NcclLog read_nccl_log(const std::string& path) {
  return parse_nccl_log(base::read_text_file(path), path);
}

NcclLog parse_nccl_log(const std::string& text, const std::string& file) {
  return LogReader(file).read(text);
}

void check_log_is_of(const NcclLog& log, model::CollectiveKind kind, int ranks) {
  constexpr double ROUNDING = 0.02; ///< of bandwidths of two decimals
  if (log.ranks != 0 && log.ranks != ranks)
    throw base::UserError({.file = log.file},
                          fmt::format("it is of {} ranks; {} are simulated (-n, --platform)", log.ranks, ranks));
  const double expected = model::bus_factor(kind, ranks);
  if (log.bus_factor > 0.0 && std::abs(log.bus_factor - expected) > ROUNDING)
    throw base::UserError({.file = log.file},
                          fmt::format("its busbw / algbw is {:.3g}; it would be {:.3g} for {} on {} ranks",
                                      log.bus_factor, expected, model::to_string(kind), ranks));
}

} // namespace tandem::workload
