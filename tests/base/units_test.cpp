// The grammar of quantities: what is read, what is refused and how the refusal reads, and that what is printed can be
// read.
#include "base/error.h"
#include "base/units.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace tandem::base {
namespace {

struct Accepted {
  std::string text;
  double value;
};

double bytes(const std::string& text) {
  return parse_bytes(text).value();
}
double bandwidth(const std::string& text) {
  return parse_bandwidth(text).value();
}
double seconds(const std::string& text) {
  return parse_seconds(text).value();
}
double flops_rate(const std::string& text) {
  return parse_flops_rate(text).value();
}
double frequency(const std::string& text) {
  return parse_frequency(text);
}
double number(const std::string& text) {
  return parse_number(text);
}

using Reader = std::function<double(const std::string&)>;

void expect_accepted(const Reader& read, const std::vector<Accepted>& cases) {
  for (const Accepted& c : cases)
    EXPECT_DOUBLE_EQ(read(c.text), c.value) << c.text;
}

struct Refused {
  std::string text;
  std::string part_of_message;
};

void expect_refused(const Reader& read, const std::vector<Refused>& cases) {
  for (const Refused& c : cases) {
    try {
      const double value = read(c.text);
      ADD_FAILURE() << "'" << c.text << "' was read as " << value;
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(c.part_of_message)) << c.text;
    }
  }
}

TEST(Units, ReadsSizes) {
  expect_accepted(bytes, {{"0B", 0},
                          {"1B", 1},
                          {"12.58MB", 12.58e6},
                          {"12.58 MB", 12.58e6},
                          {"+1kB", 1000},
                          {"1e3 kB", 1e6},
                          {".5GB", 0.5e9},
                          {"16MiB", 16777216},
                          {"2TiB", 2199023255552.0},
                          {"80GiB", 85899345920.0},
                          // bare K M G T are powers of 1024, as in nccl-tests' -b and -e
                          {"8K", 8192},
                          {"1M", 1048576},
                          {"1G", 1073741824},
                          {"1T", 1099511627776.0}});
}

TEST(Units, ReadsBandwidths) {
  expect_accepted(bandwidth, {{"150GBps", 150e9},
                              {"150 GB/s", 150e9},
                              {"400Gbps", 50e9}, // 400e9 bits / 8
                              {"400 Gb/s", 50e9},
                              {"100Mbps", 12.5e6},
                              {"3.35TB/s", 3.35e12},
                              {"1GiB/s", 1073741824},
                              {"8bps", 1},
                              {"0Bps", 0}});
}

TEST(Units, ReadsTimesRatesFrequenciesAndNumbers) {
  expect_accepted(seconds, {{"500ns", 500e-9}, {"2us", 2e-6}, {"1.5 ms", 1.5e-3}, {"10s", 10}, {"0s", 0}});
  expect_accepted(flops_rate, {{"312TFLOPS", 312e12}, {"1.979PFLOPS", 1.979e15}, {"114.7 TFLOP/s", 114.7e12}});
  expect_accepted(frequency, {{"1.4GHz", 1.4e9}, {"1410MHz", 1.41e9}, {"50Hz", 50}});
  expect_accepted(
      number,
      {{"0.785", 0.785}, {"1e9", 1e9}, {"2.4B", 2.4e9}, {"13M", 13e6}, {"4K", 4e3}, {"1T", 1e12}, {"0", 0}, {"+3", 3}});
}

TEST(Units, RefusesHostileNumbersInEveryReader) {
  struct Kind {
    Reader read;
    std::string unit;
  };
  const std::vector<Kind> kinds = {{bytes, "B"},           {bandwidth, "GBps"}, {seconds, "us"},
                                   {flops_rate, "TFLOPS"}, {frequency, "GHz"},  {number, ""}};
  for (const Kind& kind : kinds) {
    expect_refused(kind.read, {{"", "empty"},
                               {" ", "number"},
                               {"nan" + kind.unit, "finite"},
                               {"NaN", "finite"},
                               {"inf" + kind.unit, "finite"},
                               {"infinity", "finite"},
                               {"-1" + kind.unit, "minus"},
                               {"-0" + kind.unit, "minus"},
                               {"+-1" + kind.unit, "finite"},
                               {"++1" + kind.unit, "finite"},
                               {"1e400" + kind.unit, "out of the range"},
                               {"1e-400" + kind.unit, "out of the range"},
                               {"0x10" + kind.unit, "hexadecimal"},
                               {"1,000" + kind.unit, "comma"},
                               {"1,5" + kind.unit, "comma"},
                               {"1 000" + kind.unit, "unknown"},
                               {"1'000" + kind.unit, "unknown"},
                               {"1_000" + kind.unit, "unknown"},
                               {"." + kind.unit, "finite"},
                               {"e3" + kind.unit, "finite"},
                               {"1" + kind.unit + "x", "unknown"},
                               {"1" + kind.unit + " ", "unknown"},
                               {" 1" + kind.unit, "finite"},
                               {"1  " + kind.unit, "unknown"},
                               {std::string("1\0B", 3), "unknown"},
                               {"\xD9\xA1" + kind.unit, "finite"}}); // ARABIC-INDIC DIGIT ONE
  }
}

TEST(Units, RefusesWhatIsAmbiguous) {
  expect_refused(bandwidth, {{"200G", "does not say bits or bytes"},
                             {"200 G", "GBps or GB/s (bytes), Gbps or Gb/s (bits)"},
                             {"8K", "kBps"},
                             {"8k", "kbps"},
                             {"200GB", "did you mean 'GBps'"},
                             {"200Gb", "did you mean 'Gbps'"},
                             {"200", "no unit"},
                             {"200GBPS", "did you mean 'GBps'"}});
  expect_refused(bytes, {{"16", "no unit; allowed: B, kB"},
                         {"16Gb", "did you mean 'GB'"},
                         {"16mb", "did you mean 'MB'"},
                         {"16KB", "did you mean 'kB'"},
                         {"1e308TB", "out of the range"},
                         {"150GBps", "unknown unit 'GBps'"}});
  expect_refused(seconds, {{"2", "no unit"}, {"2 min", "allowed: ns, us, ms, s"}, {"2US", "did you mean 'us'"}});
  expect_refused(flops_rate, {{"312TFLOP", "did you mean 'TFLOPS'"}, {"312Tf", "allowed"}});
  expect_refused(number,
                 {{"0.785x", "unknown suffix 'x'"}, {"2.4b", "did you mean 'B'"}, {"1e308T", "out of the range"}});
}

TEST(Units, ReadsIntegersWithinTheirRange) {
  EXPECT_EQ(parse_integer("0", 0, 10), 0);
  EXPECT_EQ(parse_integer("10", 0, 10), 10);
  EXPECT_EQ(parse_integer("007", 0, 10), 7);
  EXPECT_EQ(parse_integer("9223372036854775807", 0, std::numeric_limits<long long>::max()),
            std::numeric_limits<long long>::max());
  const auto read = [](const std::string& text) { return static_cast<double>(parse_integer(text, 1, 100)); };
  expect_refused(read, {{"", "empty"},
                        {"0", "out of range; allowed: whole numbers from 1 to 100"},
                        {"101", "out of range"},
                        {"-1", "holds '-'"},
                        {"+1", "holds '+'"},
                        {"1.0", "holds '.'"},
                        {"1e1", "holds 'e'"},
                        {"0x1", "holds 'x'"},
                        {"1,0", "holds ','"},
                        {" 1", "holds ' '"},
                        {"99999999999999999999", "out of range"}});
}

TEST(Units, PrintsFourDigitsAndAUnitThatFits) {
  EXPECT_EQ(format_bytes(Bytes(12.58e6)), "12.58 MB");
  EXPECT_EQ(format_bytes(Bytes(0)), "0 B");
  EXPECT_EQ(format_bytes(Bytes(999)), "999 B");
  EXPECT_EQ(format_bytes(Bytes(999.96)), "1 kB"); // four digits would print 1000 B
  EXPECT_EQ(format_bytes(Bytes(-2048)), "-2.048 kB");
  EXPECT_EQ(format_bandwidth(BytesPerSecond(150e9)), "150 GB/s");
  EXPECT_EQ(format_seconds(Seconds(587.3e-6)), "587.3 us");
  EXPECT_EQ(format_seconds(Seconds(0)), "0 s");
  EXPECT_EQ(format_seconds(Seconds(1e-12)), "0.001 ns");
  EXPECT_EQ(format_seconds(Seconds(3600)), "3600 s");
  EXPECT_EQ(format_flops_rate(FlopsPerSecond(114.688e12)), "114.7 TFLOP/s");
}

TEST(Units, WhatIsPrintedCanBeRead) {
  for (double value = 1e-9; value < 1e16; value *= 3.7) {
    // four digits: half a unit of the fourth is at most 5e-4 of the value
    EXPECT_NEAR(parse_bytes(format_bytes(Bytes(value))).value(), value, 5e-4 * value);
    EXPECT_NEAR(parse_bandwidth(format_bandwidth(BytesPerSecond(value))).value(), value, 5e-4 * value);
    EXPECT_NEAR(parse_seconds(format_seconds(Seconds(value))).value(), value, 5e-4 * value);
    EXPECT_NEAR(parse_flops_rate(format_flops_rate(FlopsPerSecond(value))).value(), value, 5e-4 * value);
  }
}

} // namespace
} // namespace tandem::base
