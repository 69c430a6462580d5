// Rounding to 12 significant digits, and the check that a reported number is finite.
#include "report/numbers.h"

#include "base/error.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace tandem::report {

std::string number(double value) {
  if (!std::isfinite(value))
    throw base::Bug(fmt::format("a result holds {}, which is not a finite number", value));
  if (value == 0.0)
    return "0";
  return fmt::format("{:.12g}", value);
}

double rounded(double value) {
  const std::string text = number(value);
  double result = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

} // namespace tandem::report
