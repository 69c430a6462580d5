// Typed quantities (bytes, seconds, rates, floating-point operations), and the one grammar that reads and prints them.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::base {

/// A double with a dimension. Quantities of one kind add and compare; a plain number scales them; the ratio of two is
/// a plain number.
template <class Dimension> class Quantity {
public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}
  [[nodiscard]] constexpr double value() const { return value_; }

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads <=>
  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(Quantity a, double factor) { return Quantity(a.value_ * factor); }
  friend constexpr Quantity operator*(double factor, Quantity a) { return Quantity(a.value_ * factor); }
  friend constexpr Quantity operator/(Quantity a, double divisor) { return Quantity(a.value_ / divisor); }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }

private:
  double value_ = 0.0;
};

using Bytes = Quantity<struct BytesDimension>;
using Seconds = Quantity<struct SecondsDimension>;
using BytesPerSecond = Quantity<struct BytesPerSecondDimension>;
using Flops = Quantity<struct FlopsDimension>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondDimension>;
using Watts = Quantity<struct WattsDimension>;
using Joules = Quantity<struct JoulesDimension>;
using JoulesPerByte = Quantity<struct JoulesPerByteDimension>;

constexpr Seconds operator/(Bytes bytes, BytesPerSecond rate) {
  return Seconds(bytes.value() / rate.value());
}
constexpr Seconds operator/(Flops flops, FlopsPerSecond rate) {
  return Seconds(flops.value() / rate.value());
}
constexpr Bytes operator*(BytesPerSecond rate, Seconds time) {
  return Bytes(rate.value() * time.value());
}
constexpr Joules operator*(Watts power, Seconds time) {
  return Joules(power.value() * time.value());
}
constexpr Joules operator*(JoulesPerByte each, Bytes bytes) {
  return Joules(each.value() * bytes.value());
}
constexpr Watts operator*(JoulesPerByte each, BytesPerSecond rate) {
  return Watts(each.value() * rate.value());
}
constexpr BytesPerSecond operator/(Bytes bytes, Seconds time) {
  return BytesPerSecond(bytes.value() / time.value());
}

// Readers. The grammar, once for every input of the program:
// clang-format off
//   quantity  number [space] unit
//   number    decimal with optional exponent, finite; no sign but '+', no thousands separator, no hexadecimal
//   size      B, kB MB GB TB (10^3n), KiB MiB GiB TiB (2^10n), bare K M G T (2^10n, as nccl-tests)
//   bandwidth (size)ps or (size)/s with B in bytes and b in bits: GBps GiB/s Gbps Gb/s Mbps ...; a bare 200G is refused
//   time      ns us ms s
//   compute   FLOPS kFLOPS MFLOPS GFLOPS TFLOPS PFLOPS, or FLOP/s ...
//   frequency Hz kHz MHz GHz
//   power     W kW
//   energy    pJ/B nJ/B J/B, pJ/b with b in bits: of moving a byte
// clang-format on
// Each throws UserError with what was found and what is allowed. Zero is accepted; a negative number is not.
Bytes parse_bytes(std::string_view text);
BytesPerSecond parse_bandwidth(std::string_view text);
Seconds parse_seconds(std::string_view text);
FlopsPerSecond parse_flops_rate(std::string_view text);
Watts parse_power(std::string_view text);
JoulesPerByte parse_energy_per_byte(std::string_view text);
/// Cycles per second.
double parse_frequency(std::string_view text);
/// A plain finite number >= 0 without a unit: "0.785", "1e9", "2.4B" (billions; also K, M, T as powers of ten).
double parse_number(std::string_view text);
/// A whole number in [minimum, maximum], plain digits only.
long long parse_integer(std::string_view text, long long minimum, long long maximum);

/// The units of one kind of quantity that its reader accepts, for the documentation.
struct UnitTable {
  std::string kind, example;
  std::vector<std::string> units;
};
std::vector<UnitTable> unit_tables();

// Printers, with three or four significant digits and a unit that fits: "12.58 MB", "150 GB/s", "587.3 us".
std::string format_bytes(Bytes bytes);
std::string format_bandwidth(BytesPerSecond rate);
std::string format_seconds(Seconds time);
std::string format_flops_rate(FlopsPerSecond rate);

} // namespace tandem::base
