// Numbers of reports: digits, locale, and refusal of what is not finite.
#include "report/numbers.h"

#include "base/error.h"

#include <clocale>
#include <gtest/gtest.h>
#include <limits>

namespace tandem::report {
namespace {

TEST(Numbers, PrintsAtMostTwelveSignificantDigits) {
  const struct {
    double value;
    const char* text;
  } table[] = {
      {0.0, "0"},
      {-0.0, "0"},
      {0.1, "0.1"},
      {-2.5, "-2.5"},
      {50331648.0, "50331648"},
      {1.0 / 3.0, "0.333333333333"},
      {2.0 / 3.0e7, "6.66666666667e-08"},
      {1234567890123.0, "1.23456789012e+12"},
      {0.1 + 0.2, "0.3"}, // 0.30000000000000004 in full
      {1e-300, "1e-300"},
  };
  for (const auto& row : table)
    EXPECT_EQ(number(row.value), row.text);
}

TEST(Numbers, RoundedIsWhatAReaderGetsBack) {
  EXPECT_EQ(rounded(0.1 + 0.2), 0.3);
  EXPECT_EQ(rounded(50331648.0), 50331648.0);
  EXPECT_EQ(number(rounded(1.0 / 7.0)), number(1.0 / 7.0));
}

TEST(Numbers, RefusesWhatIsNotFinite) {
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(number(value), base::Bug);
    EXPECT_THROW(rounded(value), base::Bug);
  }
}

TEST(Numbers, IgnoresTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"}) // absent locales leave the setting as it is
    std::setlocale(LC_ALL, name);
  EXPECT_EQ(number(1.5), "1.5");
  EXPECT_EQ(rounded(1.5), 1.5);
  std::setlocale(LC_ALL, before.c_str());
}

} // namespace
} // namespace tandem::report
