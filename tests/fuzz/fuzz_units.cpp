// Fuzzes the grammar of quantities: the first byte chooses the reader, the rest is its text. What is read prints and
// reads back.
#include "base/units.h"
#include "fuzz.h"
#include "platform/simgrid_units.h"

#include <cmath>

namespace {

using tandem::fuzz::expect;

/// Printers keep four digits.
template <class Quantity>
void check(Quantity read, std::string (*print)(Quantity), Quantity (*parse)(std::string_view)) {
  const double value = read.value();
  expect(std::isfinite(value) && value >= 0.0, "a quantity that is negative or not finite");
  const std::string printed = print(read);
  if (value > 1e290 || (value != 0.0 && value < 1e-290))
    return; // the unit or the rounding leaves the range of a double
  expect(std::abs(parse(printed).value() - value) <= 6e-4 * value, "a quantity that prints as another one");
}

void read(int reader, const std::string& text) {
  using namespace tandem::base;
  switch (reader) {
  case 0:
    return check(parse_bytes(text), format_bytes, parse_bytes);
  case 1:
    return check(parse_bandwidth(text), format_bandwidth, parse_bandwidth);
  case 2:
    return check(parse_seconds(text), format_seconds, parse_seconds);
  case 3:
    return check(parse_flops_rate(text), format_flops_rate, parse_flops_rate);
  case 4:
    return expect(std::isfinite(parse_frequency(text)), "an infinite frequency");
  case 5:
    return expect(std::isfinite(parse_number(text)), "an infinite number");
  case 6: {
    const long long value = parse_integer(text, 3, 1000);
    return expect(value >= 3 && value <= 1000, "a whole number out of range");
  }
  case 7:
    return expect(std::isfinite(tandem::platform::read_bandwidth(text).value()), "an infinite bandwidth");
  case 8:
    return expect(std::isfinite(tandem::platform::read_latency(text).value()), "an infinite latency");
  case 9:
    return expect(!tandem::platform::read_speeds(text).empty(), "no speed");
  default:
    return expect(!tandem::platform::read_radical(text).empty(), "no host");
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0)
    return 0;
  const std::string text(tandem::fuzz::text_of(data + 1, size - 1));
  tandem::fuzz::expect_answer_or_user_error([&] { read(data[0] % 11, text); });
  return 0;
}
