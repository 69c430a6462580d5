// Units as SimGrid 3.32 accepts them in XML. Stricter in numbers: decimal, finite, and in the range that makes sense.
#include "platform/simgrid_units.h"

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string_view>

namespace tandem::platform {

namespace {

using base::UserError;

struct Unit {
  std::string name;
  double factor;
};
using Units = std::vector<Unit>;

template <std::size_t N>
void add_scale(Units& units, const std::string& unit, double value, double step,
               const std::array<const char*, N>& prefixes) {
  units.push_back({unit, value});
  for (const char* prefix : prefixes) {
    value *= step;
    units.push_back({prefix + unit, value});
  }
}

constexpr std::array<const char*, 8> DECIMAL = {"k", "M", "G", "T", "P", "E", "Z", "Y"};
constexpr std::array<const char*, 8> BINARY = {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"};
constexpr std::array<const char*, 8> LONG = {"kilo", "mega", "giga", "tera", "peta", "exa", "zeta", "yotta"};

const Units& bandwidth_units() {
  static const Units units = [] {
    Units made;
    add_scale(made, "Bps", 1.0, 1000.0, DECIMAL);
    add_scale(made, "bps", 0.125, 1000.0, DECIMAL);
    add_scale(made, "Bps", 1.0, 1024.0, BINARY);
    add_scale(made, "bps", 0.125, 1024.0, BINARY);
    return made;
  }();
  return units;
}

const Units& speed_units() {
  static const Units units = [] {
    Units made;
    add_scale(made, "f", 1.0, 1000.0, DECIMAL);
    add_scale(made, "flops", 1.0, 1000.0, LONG);
    return made;
  }();
  return units;
}

const Units& time_units() {
  static const Units units = {{"s", 1.0},  {"ms", 1e-3},  {"us", 1e-6},   {"ns", 1e-9},      {"ps", 1e-12},
                              {"m", 60.0}, {"h", 3600.0}, {"d", 86400.0}, {"w", 7 * 86400.0}};
  return units;
}

std::vector<std::string> names_of(const Units& units) {
  std::vector<std::string> names;
  for (const Unit& unit : units)
    if (std::find(names.begin(), names.end(), unit.name) == names.end()) // Bps starts two scales
      names.push_back(unit.name);
  return names;
}

/// A number with one of `units`; the first of them is the default.
double read_quantity(const std::string& text, const Units& units) {
  double ignored = 0.0;
  const std::size_t sign = text.starts_with('+') ? 1 : 0;
  const char* const end = std::from_chars(text.data() + sign, text.data() + text.size(), ignored).ptr;
  const auto length = static_cast<std::size_t>(end - text.data());
  const double number = base::parse_number(length == sign ? text : text.substr(0, length));
  const std::string unit = length == sign ? "" : text.substr(length);
  if (unit.empty())
    return number * units.front().factor;
  for (const Unit& candidate : units) {
    if (candidate.name == unit) {
      const double value = number * candidate.factor;
      if (!std::isfinite(value))
        throw UserError(base::in_quotes(text) + " is out of the range of a double");
      return value;
    }
  }
  throw UserError(fmt::format("{}: {}", base::in_quotes(text), base::unknown_word("unit", unit, names_of(units))));
}

double above_zero(double value, const std::string& text) {
  if (value <= 0.0)
    throw UserError(base::in_quotes(text) + " is out of range; allowed: above 0");
  return value;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

} // namespace

std::vector<base::UnitTable> simgrid_unit_tables() {
  return {{"bandwidth, read_bw, write_bw, up, down, bw", "150GBps", names_of(bandwidth_units())},
          {"latency, lat", "500ns", names_of(time_units())},
          {"speed", "1.4336Tf", names_of(speed_units())}};
}

base::BytesPerSecond read_bandwidth(const std::string& text) {
  return base::BytesPerSecond(above_zero(read_quantity(text, bandwidth_units()), text));
}

base::Seconds read_latency(const std::string& text) {
  return base::Seconds(read_quantity(text, time_units()));
}

std::vector<base::FlopsPerSecond> read_speeds(const std::string& text) {
  std::vector<base::FlopsPerSecond> speeds;
  const std::vector<std::string> parts = base::split(text, ',');
  for (const std::string& part : parts) {
    const std::string state = parts.size() > 1 ? trimmed(part) : part;
    speeds.emplace_back(above_zero(read_quantity(state, speed_units()), state));
  }
  return speeds;
}

std::vector<int> read_radical(const std::string& text) {
  constexpr std::size_t MOST = 1'000'000;
  constexpr int LARGEST = std::numeric_limits<int>::max() - 1;
  std::vector<int> numbers;
  for (const std::string& group : base::split(text, ',')) {
    const std::vector<std::string> ends = base::split(group, '-');
    if (ends.size() > 2)
      throw UserError(fmt::format("{} is not a range; allowed: 3 or 0-7", base::in_quotes(group)));
    const auto first = static_cast<int>(base::parse_integer(ends.front(), 0, LARGEST));
    const auto last = static_cast<int>(base::parse_integer(ends.back(), 0, LARGEST));
    if (last < first)
      throw UserError(fmt::format("{} runs backwards; allowed: 3 or 0-7", base::in_quotes(group)));
    if (static_cast<std::size_t>(last - first) + numbers.size() >= MOST)
      throw UserError(fmt::format("{} means more than {} hosts", base::in_quotes(text), MOST));
    for (int number = first; number <= last; ++number)
      numbers.push_back(number);
  }
  return numbers;
}

} // namespace tandem::platform
