// The 19 cases that stand for collectives: four operations at 4 KiB, 1 MiB and 64 MiB, and seven skewed all-to-all-v,
// on 8 GPUs of a DGX H100. Each twice, monotonic in size, within 10 % of NCCL's model or of the closed form.
#include "app/program.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::app {
namespace {

using Json = nlohmann::json;

constexpr double TOLERANCE = 0.1;
constexpr int GPUS = 8;
/// us; bytes/us: kernel launch, latency of a route, link of a GPU.
constexpr double LAUNCH = 2.0, LATENCY = 0.5, LINK = 450e3;

/// Rows of the operation, from two runs that must write the same bytes.
Json rows_of(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"collective"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.insert(all.end(), {"--platform", repository("platforms/dgx-h100.xml"), "--format", "json"});
  const auto first = run({.arguments = all}), again = run({.arguments = all});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, again.out);
  return first.code == 0 ? Json::parse(first.out).at("rows") : Json::array();
}

/// NCCL's own constants and its tuner's formula give the expected time of what it chose: "ring LL 15.05 us, nvls ...".
/// For an all-to-all, which NCCL's tuner leaves out, it is ours (docs/models.md, "Libraries").
TEST(Smoke, FourOperationsAgreeWithNcclsModel) {
  for (const auto* operation : {"all_reduce", "all_gather", "reduce_scatter", "alltoall"}) {
    double before = 0.0;
    int cases = 0;
    for (const auto& row : rows_of({operation, "-b", "4K", "-e", "64M", "-f", "4", "--library",
                                    repository("platforms/libraries/nccl-tuner-hopper.yaml")})) {
      const auto bytes = row.at("size_bytes").get<double>();
      const auto time = row.at("time_us").get<double>();
      EXPECT_GT(time, before) << operation << " of " << bytes;
      before = time;
      const auto chosen = row.at("algorithm").get<std::string>() + ' ' + row.at("protocol").get<std::string>() + ' ';
      const auto choice = row.at("choice").get<std::string>();
      ASSERT_TRUE(choice.starts_with(chosen)) << choice;
      const double expected = std::stod(choice.substr(chosen.size()));
      EXPECT_NEAR(time, expected, TOLERANCE * expected) << operation << " of " << bytes << ": " << choice;
      cases += bytes == 4096.0 || bytes == 1048576.0 || bytes == 67108864.0 ? 1 : 0;
    }
    EXPECT_EQ(cases, 3) << operation;
  }
}

/// Bytes that rank s has for rank d.
using Share = std::function<std::uint64_t(int s, int d, std::uint64_t bytes)>;

/// launch + what the busiest port has to carry + a latency: others' bytes pass beside it.
void expect_port_time(const std::string& name, const Share& share, const std::vector<std::uint64_t>& sizes) {
  double before = 0.0;
  for (const auto bytes : sizes) {
    std::string matrix;
    std::vector<double> out(GPUS, 0.0), in(GPUS, 0.0);
    for (int s = 0; s < GPUS; ++s)
      for (int d = 0; d < GPUS; ++d) {
        const auto cell = s == d ? 0 : share(s, d, bytes);
        matrix += std::to_string(cell) + (d + 1 == GPUS ? "\n" : " ");
        out[static_cast<std::size_t>(s)] += static_cast<double>(cell);
        in[static_cast<std::size_t>(d)] += static_cast<double>(cell);
      }
    const double busiest = std::max(*std::max_element(out.begin(), out.end()), *std::max_element(in.begin(), in.end()));
    const double expected = LAUNCH + busiest / LINK + LATENCY;
    const Folder folder(Files{{"matrix.txt", matrix}});
    const auto rows = rows_of({"alltoallv", "--matrix", (folder.path() / "matrix.txt").string()});
    ASSERT_EQ(rows.size(), 1U);
    const auto time = rows.at(0).at("time_us").get<double>();
    EXPECT_NEAR(time, expected, TOLERANCE * expected) << name << " of " << bytes;
    EXPECT_GT(time, before) << name << " of " << bytes;
    before = time;
  }
}

TEST(Smoke, SevenSkewedExchangesGoByTheBusiestPort) {
  const std::vector<std::uint64_t> sizes{1U << 20, 1U << 26};
  const auto hot = [](bool is_hot, std::uint64_t bytes) { return is_hot ? bytes : bytes / 8; };
  expect_port_time(
      "a hot sender", [&](int s, int, std::uint64_t bytes) { return hot(s == 2, bytes); }, sizes);
  expect_port_time(
      "a hot receiver", [&](int, int d, std::uint64_t bytes) { return hot(d == 2, bytes); }, sizes);
  expect_port_time(
      "Zipf by distance",
      [](int s, int d, std::uint64_t bytes) { return bytes / static_cast<std::uint64_t>((d - s + GPUS) % GPUS); },
      sizes);
  expect_port_time("a pair", [](int s, int d, std::uint64_t bytes) { return s == 1 && d == 6 ? bytes : 0; },
                   {1U << 26});
}

} // namespace
} // namespace tandem::app
