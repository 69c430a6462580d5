// One unit for a whole column of a table, chosen by its largest value, so that the numbers below it compare at a
// glance.
#pragma once

#include <string>
#include <vector>

namespace tandem::report {

/// A unit and the digits after the point that show four significant digits of the largest value.
class Scale {
public:
  /// Unit of time (ns to s) or size (B to TB) in which the largest of `values` is at least 1, if there is one.
  static Scale of_seconds(const std::vector<double>& values);
  static Scale of_bytes(const std::vector<double>& values);

  [[nodiscard]] const std::string& unit() const { return unit_; }
  /// The value in this unit, without the unit.
  [[nodiscard]] std::string text(double value) const;
  /// "-" for zero, where zero means that there was none.
  [[nodiscard]] std::string text_or_dash(double value) const { return value == 0.0 ? "-" : text(value); }

private:
  struct Step {
    const char* name;
    double factor;
  };
  Scale(const std::vector<double>& values, const std::vector<Step>& ascending);

  std::string unit_;
  double factor_ = 1.0;
  int decimals_ = 3;
};

/// "1.30x".
std::string times_text(double factor);
/// "-22.0%": what a reduction of 0.22 does to the amount.
std::string change_text(double reduction);

} // namespace tandem::report
