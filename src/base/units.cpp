// The one grammar of quantities, read and printed: a table of units per kind, one reader and one printer for all
// tables.
#include "base/units.h"

#include "base/error.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

namespace tandem::base {

namespace {

struct Unit {
  std::string name;
  double factor;
};
using Units = std::vector<Unit>;

constexpr double KI = 1024.0;

const Units& size_units() {
  static const Units units = {{"B", 1},
                              {"kB", 1e3},
                              {"MB", 1e6},
                              {"GB", 1e9},
                              {"TB", 1e12},
                              {"KiB", KI},
                              {"MiB", KI * KI},
                              {"GiB", KI * KI * KI},
                              {"TiB", KI * KI * KI * KI},
                              {"K", KI},
                              {"M", KI * KI},
                              {"G", KI * KI * KI},
                              {"T", KI * KI * KI * KI}};
  return units;
}

const Units& bandwidth_units() {
  static const Units units = [] {
    const Units prefixes = {{"", 1},         {"k", 1e3},           {"M", 1e6},
                            {"G", 1e9},      {"T", 1e12},          {"Ki", KI},
                            {"Mi", KI * KI}, {"Gi", KI * KI * KI}, {"Ti", KI * KI * KI * KI}};
    const Units bases = {{"Bps", 1}, {"B/s", 1}, {"bps", 0.125}, {"b/s", 0.125}};
    Units made;
    for (const Unit& base : bases) {
      for (const Unit& prefix : prefixes)
        made.push_back({prefix.name + base.name, prefix.factor * base.factor});
    }
    return made;
  }();
  return units;
}

const Units& time_units() {
  static const Units units = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  return units;
}

const Units& flops_rate_units() {
  static const Units units = {{"FLOPS", 1},     {"kFLOPS", 1e3},  {"MFLOPS", 1e6},   {"GFLOPS", 1e9},
                              {"TFLOPS", 1e12}, {"PFLOPS", 1e15}, {"FLOP/s", 1},     {"kFLOP/s", 1e3},
                              {"MFLOP/s", 1e6}, {"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}};
  return units;
}

const Units& frequency_units() {
  static const Units units = {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}};
  return units;
}

const Units& power_units() {
  static const Units units = {{"W", 1}, {"kW", 1e3}};
  return units;
}

const Units& energy_per_byte_units() {
  static const Units units = {{"pJ/B", 1e-12}, {"nJ/B", 1e-9}, {"J/B", 1}, {"pJ/b", 8e-12}};
  return units;
}

std::vector<std::string> names(const Units& units) {
  std::vector<std::string> result;
  for (const Unit& unit : units)
    result.push_back(unit.name);
  return result;
}

[[noreturn]] void fail(std::string_view text, std::string_view kind, const std::string& reason) {
  throw UserError(fmt::format("{} is not a {}: {}", in_quotes(text), kind, reason));
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Reads the number at the start of `text`, leaves the rest in `rest`.
double read_number(std::string_view text, std::string_view kind, std::string_view& rest) {
  if (text.empty())
    fail(text, kind, "it is empty");
  std::string_view digits = text;
  if (digits.front() == '-')
    fail(text, kind, "it has a minus sign; allowed: numbers from zero up");
  if (digits.front() == '+')
    digits.remove_prefix(1);
  if (digits.empty() ||
      !(is_digit(digits.front()) || (digits.front() == '.' && digits.size() > 1 && is_digit(digits[1]))))
    fail(text, kind, "it does not start with a finite decimal number");
  double value = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range)
    fail(text, kind, "the number is out of the range of a double");
  if (error != std::errc())
    fail(text, kind, "it does not start with a finite decimal number");
  rest = digits.substr(static_cast<std::size_t>(end - digits.data()));
  if (!rest.empty() && rest.front() == ',')
    fail(text, kind, "it holds a comma; allowed: a decimal point, no thousands separator");
  if (value == 0.0 && !rest.empty() && (rest.front() == 'x' || rest.front() == 'X'))
    fail(text, kind, "hexadecimal is not allowed");
  return value;
}

double scaled(double value, double factor, std::string_view text, std::string_view kind) {
  const double result = value * factor;
  if (!std::isfinite(result))
    fail(text, kind, "the value is out of the range of a double");
  return result;
}

double parse_quantity(std::string_view text, std::string_view kind, const Units& units, std::string_view example) {
  std::string_view rest;
  const double value = read_number(text, kind, rest);
  if (!rest.empty() && rest.front() == ' ')
    rest.remove_prefix(1);
  if (rest.empty())
    fail(text, kind, fmt::format("it has no unit; allowed: {}, as in {}", fmt::join(names(units), ", "), example));
  for (const Unit& unit : units) {
    if (unit.name == rest)
      return scaled(value, unit.factor, text, kind);
  }
  fail(text, kind, unknown_word("unit", rest, names(units)));
}

/// `value` in the largest of `ascending` units that leaves at least 1, or in the smallest.
std::string format_quantity(double value, std::span<const Unit> ascending) {
  for (std::size_t i = ascending.size(); i-- > 0;) {
    // 999.95 prints as 1000 with four digits: the next unit is taken from there on
    const bool fits = std::abs(value) >= ascending[i].factor * (i == 0 ? 0.0 : 1.0 - 5e-5);
    if (fits && (value != 0.0 || ascending[i].factor == 1.0))
      return fmt::format("{:.4g} {}", value / ascending[i].factor, ascending[i].name);
  }
  return fmt::format("{:.4g} {}", value, ascending.back().name); // zero, where the smallest unit is not 1; NaN
}

} // namespace

Bytes parse_bytes(std::string_view text) {
  return Bytes(parse_quantity(text, "size", size_units(), "16MiB"));
}

BytesPerSecond parse_bandwidth(std::string_view text) {
  constexpr std::string_view KIND = "bandwidth";
  std::string_view rest;
  (void)read_number(text, KIND, rest);
  if (!rest.empty() && rest.front() == ' ')
    rest.remove_prefix(1);
  if (rest == "K" || rest == "k" || rest == "M" || rest == "G" || rest == "T") {
    fail(text, KIND,
         fmt::format("'{0}' does not say bits or bytes; allowed: {1}Bps or {1}B/s (bytes), {1}bps or {1}b/s (bits)",
                     rest, rest == "K" ? "k" : rest));
  }
  for (const Unit& unit : bandwidth_units()) {
    if (unit.name == fmt::format("{}ps", rest))
      fail(text, KIND, fmt::format("'{}' is a size, without a time (did you mean '{}'?)", rest, unit.name));
  }
  return BytesPerSecond(parse_quantity(text, KIND, bandwidth_units(), "150GBps or 400Gbps"));
}

Seconds parse_seconds(std::string_view text) {
  return Seconds(parse_quantity(text, "time", time_units(), "2us"));
}

FlopsPerSecond parse_flops_rate(std::string_view text) {
  return FlopsPerSecond(parse_quantity(text, "compute rate", flops_rate_units(), "312TFLOPS"));
}

Watts parse_power(std::string_view text) {
  return Watts(parse_quantity(text, "power", power_units(), "400W"));
}

JoulesPerByte parse_energy_per_byte(std::string_view text) {
  return JoulesPerByte(parse_quantity(text, "energy per byte", energy_per_byte_units(), "48pJ/B or 6pJ/b"));
}

double parse_frequency(std::string_view text) {
  return parse_quantity(text, "frequency", frequency_units(), "1.4GHz");
}

double parse_number(std::string_view text) {
  constexpr std::string_view KIND = "number";
  static const Units suffixes = {{"K", 1e3}, {"M", 1e6}, {"B", 1e9}, {"T", 1e12}};
  std::string_view rest;
  const double value = read_number(text, KIND, rest);
  if (rest.empty())
    return value;
  for (const Unit& suffix : suffixes) {
    if (suffix.name == rest)
      return scaled(value, suffix.factor, text, KIND);
  }
  fail(text, KIND, unknown_word("suffix", rest, names(suffixes)));
}

long long parse_integer(std::string_view text, long long minimum, long long maximum) {
  const std::string allowed = fmt::format("allowed: whole numbers from {} to {}, digits only", minimum, maximum);
  if (text.empty())
    fail(text, "whole number", "it is empty; " + allowed);
  for (const char c : text) {
    if (!is_digit(c))
      fail(text, "whole number", fmt::format("it holds {}; {}", in_quotes(std::string_view(&c, 1)), allowed));
  }
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < minimum || value > maximum)
    throw UserError(fmt::format("{} is out of range; {}", in_quotes(text), allowed));
  return value;
}

std::vector<UnitTable> unit_tables() {
  return {{"size", "16MiB", names(size_units())},
          {"bandwidth", "400Gbps", names(bandwidth_units())},
          {"time", "2us", names(time_units())},
          {"compute rate", "312TFLOPS", names(flops_rate_units())},
          {"frequency", "1.4GHz", names(frequency_units())},
          {"power", "400W", names(power_units())},
          {"energy per byte", "48pJ/B", names(energy_per_byte_units())}};
}

std::string format_bytes(Bytes bytes) {
  static const Units units = {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}};
  return format_quantity(bytes.value(), units);
}

std::string format_bandwidth(BytesPerSecond rate) {
  static const Units units = {{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};
  return format_quantity(rate.value(), units);
}

std::string format_seconds(Seconds time) {
  return format_quantity(time.value(), time_units());
}

std::string format_flops_rate(FlopsPerSecond rate) {
  static const Units units = {{"FLOP/s", 1},    {"kFLOP/s", 1e3},  {"MFLOP/s", 1e6},
                              {"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}};
  return format_quantity(rate.value(), units);
}

} // namespace tandem::base
