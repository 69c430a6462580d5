// --energy of train, collective and compare: parts that sum to the whole, and what it is refused for.
#include "app/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::app {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

constexpr double A100_IDLE_W = 61.0, A100_TDP_W = 400.0; // platforms/devices/a100-sxm-80.yaml
constexpr int GPUS = 8;

Json answer(std::vector<std::string> words) {
  words.insert(words.end(), {"--platform", repository("platforms/dgx-a100.xml"), "--energy", "--format", "json"});
  const auto outcome = run({.arguments = std::move(words)});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.code == 0 ? Json::parse(outcome.out) : Json();
}

double number(const Json& json, const char* key) {
  return json.at(key).get<double>();
}

/// All parts of `energy` sum to it, and idle GPUs draw their idle power for the whole time.
void expect_sum(const Json& energy, double seconds) {
  const double all = number(energy, "energy_j");
  EXPECT_NEAR(number(energy, "idle_j") + number(energy, "compute_j") + number(energy, "memory_j") +
                  number(energy, "links_j"),
              all, 1e-9 * all);
  EXPECT_NEAR(number(energy, "idle_j"), A100_IDLE_W * GPUS * seconds, 1e-9 * all);
  double links = 0.0;
  for (const auto& link : energy.at("links"))
    links += number(link, "energy_j");
  EXPECT_NEAR(links, number(energy, "links_j"), 1e-9 * all);
  EXPECT_NEAR(number(energy, "power_w_per_gpu"), all / seconds / GPUS, 1e-9 * all / seconds);
}

std::vector<std::string> small_training() {
  return {"train", "--layers", "2", "--hidden", "1024", "--heads", "16", "--seq", "512", "--tp", "8"};
}

TEST(Energy, OfAnIterationSumsUp) {
  const auto json = answer(small_training());
  ASSERT_TRUE(json.contains("energy"));
  const auto& energy = json.at("energy");
  expect_sum(energy, number(json, "iteration_s"));
  const double tokens = number(json, "tokens_per_s") * number(json, "iteration_s");
  EXPECT_NEAR(number(energy, "j_per_token") * tokens, number(energy, "energy_j"), 1e-6 * number(energy, "energy_j"));
  // One stage, whose ranks are alike: eight times the first one's energy is that of all, without the links.
  const auto& stage = json.at("stages").at(0).at("energy");
  EXPECT_NEAR(GPUS * number(stage, "energy_j"), number(energy, "energy_j") - number(energy, "links_j"),
              1e-9 * number(energy, "energy_j"));
  EXPECT_LE(number(stage, "power_w"), A100_TDP_W);
  EXPECT_GT(number(stage, "power_w"), A100_IDLE_W);
  EXPECT_THAT(json.at("assumed"), testing::Contains("power.link"));
}

TEST(Energy, OfACollectiveSumsUp) {
  const auto json = answer({"collective", "allreduce", "-b", "1M", "-e", "1M", "--strategy", "ring"});
  const auto& row = json.at("rows").at(0);
  expect_sum(row.at("energy"), number(row, "time_us") * 1e-6);
  // A ring sends 2 (n - 1) times the vector, each byte over the GPU's link and the switch's.
  EXPECT_NEAR(number(row.at("energy").at("links").at(0), "bytes"), 2.0 * 2.0 * (GPUS - 1) * 1048576.0, 1.0);
}

// Whoever does not ask for it gets no key, and does not rest on what GPUs draw.
TEST(Energy, IsToldWhenAskedFor) {
  auto words = small_training();
  words.insert(words.end(), {"--platform", repository("platforms/dgx-a100.xml"), "--format", "json"});
  const auto json = Json::parse(run({.arguments = words}).out);
  EXPECT_FALSE(json.contains("energy"));
  EXPECT_THAT(json.at("assumed"), testing::Not(testing::Contains("power.link")));
}

// T3's GPU is simulated; nobody has said what it draws.
TEST(Energy, IsRefusedWhereTheDeviceStatesNoPower) {
  const auto outcome = run({.arguments = {"compare", repository("workloads/examples/one-sublayer.yaml"), "--energy"}});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("t3-gpu.yaml"));
  EXPECT_THAT(outcome.err, HasSubstr("does not state power.idle, power.tdp, power.hbm, power.link, power.network"));
}

} // namespace
} // namespace tandem::app
