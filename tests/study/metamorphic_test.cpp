// Relations between runs: a faster machine is never slower, a machine of compute alone takes the compute's time,
// nothing beats the ideal without a reason, and how a run is asked for changes nothing.
#include "collective/built_clusters.h"
#include "study/simulate.h"

#include "collective/strategy.h"
#include "model/gemm.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tandem::study {
namespace {

using model::BytesPerSecond;
using model::Cluster;
using model::Gemm;
using model::Seconds;

constexpr double ENDLESS = 1e21;

/// Registered strategies that take a GEMM.
std::vector<collective::StrategyInfo> for_gemms() {
  const Gemm gemm{.m = 128, .n = 128, .k = 64};
  const model::CollectiveOp op{.kind = model::CollectiveKind::ALL_REDUCE, .ranks = 4, .bytes = gemm.output()};
  const collective::Request request{op, gemm};
  std::vector<collective::StrategyInfo> list;
  for (const auto& info : collective::strategies())
    if (collective::select_strategy(info.name).strategy->why_not(request, collective::ring_of(4)).empty())
      list.push_back(info);
  return list;
}

std::vector<std::string> all_strategies() {
  std::vector<std::string> list{
      "sequential:algorithm=direct", "concurrent:sms=4:parts=3",    "concurrent:data=independent:sms=4",
      "decomposed:mover=sm:sms=4",   "tile-fused:algorithm=direct", "t3:block=3",
      "t3:algorithm=direct",         "t3-mca:algorithm=direct"};
  for (const auto& info : for_gemms())
    list.push_back(info.name);
  return list;
}

/// Rings and switches of 2 to 8 GPUs; GEMMs whose compute is shorter and longer than the communication.
struct Setting {
  Cluster cluster;
  Gemm gemm;
  [[nodiscard]] std::string name() const {
    return fmt::format("{} of {}, GEMM {}x{}x{}", cluster.name, cluster.gpus.size(), gemm.m, gemm.n, gemm.k);
  }
};

std::vector<Setting> settings() {
  std::vector<Setting> list;
  for (const auto& gemm : {Gemm{.m = 1000, .n = 1400, .k = 300}, Gemm{.m = 2048, .n = 1024, .k = 6000}})
    for (const auto& cluster :
         {collective::ring_of(2), collective::switch_of(3), collective::ring_of(8), collective::switch_of(8)})
      list.push_back({cluster, gemm});
  return list;
}

Cluster with_links(Cluster cluster, double factor) {
  for (auto& link : cluster.links.stored())
    link.bandwidth = link.bandwidth * factor;
  return cluster;
}

Cluster with_memory(Cluster cluster, double factor) {
  cluster.edit_devices([&](auto& device) { device.hbm_bandwidth = device.hbm_bandwidth * factor; });
  return cluster;
}

/// Routes of the other router without their latency.
class PromptRouter : public model::Router {
public:
  explicit PromptRouter(std::shared_ptr<const Router> router) : router_(std::move(router)) {}
  [[nodiscard]] std::optional<model::Route> route(model::HostId from, model::HostId to) const override {
    auto route = router_->route(from, to);
    if (route)
      route->latency = Seconds(0.0);
    return route;
  }

private:
  std::shared_ptr<const Router> router_;
};

/// Launches and latencies cost nothing, memory and the SMs' copies have no limit.
Cluster without_overheads(Cluster cluster) {
  cluster.edit_devices([](auto& device) {
    device.kernel_launch = Seconds(0.0);
    device.hbm_bandwidth = BytesPerSecond(ENDLESS);
    device.sm_copy_bandwidth = BytesPerSecond(ENDLESS);
  });
  cluster.router = std::make_shared<PromptRouter>(cluster.router);
  return cluster;
}

/// Where a whole GEMM and the collective of another micro-batch share the memory, and the GEMM is the longer one,
/// faster links bring the collective's traffic in a shorter time, and it delays the GEMM's reads a little more: a
/// scheduling anomaly, so small. So it is with an all-to-all's or an all-gather's parts beside a longer GEMM.
double allowed_anomaly(model::CollectiveKind kind, const std::string& strategy) {
  if (kind != model::CollectiveKind::ALL_REDUCE)
    return 0.01;
  return strategy.find("data=independent") == std::string::npos ? 1e-9 : 0.005;
}

struct Fusion {
  model::CollectiveKind kind;
  std::vector<std::string> strategies; ///< that do it
};

/// What a GEMM is fused with besides reductions.
std::vector<Fusion> other_fusions() {
  return {{model::CollectiveKind::ALL_TO_ALL,
           {"ideal-overlap", "sequential", "concurrent:sms=4", "decomposed", "decomposed:mover=sm:sms=4", "tile-fused",
            "t3", "t3:block=1", "t3-mca"}},
          {model::CollectiveKind::ALL_GATHER,
           {"ideal-overlap", "sequential", "decomposed", "decomposed:mover=sm:sms=4", "t3", "t3:algorithm=direct",
            "t3-mca"}}};
}

/// Every setting under every strategy, as it is and changed.
void expect_never_slower(const Fusion& fusion, const std::function<Cluster(Cluster)>& faster) {
  std::vector<Job> runs;
  std::vector<std::string> names;
  for (const auto& setting : settings())
    for (const auto& strategy : fusion.strategies) {
      const auto described = sublayer(static_cast<int>(setting.cluster.gpus.size()), setting.gemm, fusion.kind);
      runs.push_back({described, strategy, setting.cluster});
      runs.push_back({described, strategy, faster(setting.cluster)});
      names.push_back(setting.name() + ", " + strategy);
    }
  const auto results = simulate_all(runs);
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_LE(results[2 * i + 1].time_s,
              results[2 * i].time_s * (1 + allowed_anomaly(fusion.kind, results[2 * i].strategy)))
        << names[i];
}

void expect_never_slower(const std::function<Cluster(Cluster)>& faster) {
  expect_never_slower({model::CollectiveKind::ALL_REDUCE, all_strategies()}, faster);
  for (const auto& fusion : other_fusions())
    expect_never_slower(fusion, faster);
}

TEST(Metamorphic, TwiceTheLinkBandwidthIsNeverSlower) {
  expect_never_slower([](Cluster cluster) { return with_links(std::move(cluster), 2.0); });
}

TEST(Metamorphic, TwiceTheMemoryBandwidthIsNeverSlower) {
  expect_never_slower([](Cluster cluster) { return with_memory(std::move(cluster), 2.0); });
}

/// 16 tiles on 20 SMs in chunks of 2, on 8 GPUs: one wave; with k = 6000 a tile takes 2 x 128 x 128 x 6000 FLOP at
/// 8e12 / 20 FLOP/s = 491.52 us. 64 tiles in chunks of 8 make 4 waves.
TEST(Metamorphic, WithoutLatencyAndLimitsOnlyComputeIsLeft) {
  const double tile = 2.0 * 128 * 128 * 6000 / (8e12 / 20);
  std::vector<Job> runs;
  std::vector<double> waves;
  for (const auto& [m, count] : {std::pair{std::int64_t{512}, 1.0}, std::pair{std::int64_t{2048}, 4.0}})
    for (const auto& cluster : {collective::ring_of(8), collective::switch_of(8)})
      for (const auto* strategy :
           {"sequential", "sequential:algorithm=direct", "ideal-overlap", "ideal-rs-nmc", "tile-fused:algorithm=direct",
            "t3", "t3-mca", "t3:algorithm=direct", "t3:block=1"}) {
        runs.push_back(
            {sublayer(8, {.m = m, .n = 512, .k = 6000}), strategy, with_links(without_overheads(cluster), ENDLESS)});
        waves.push_back(count);
      }
  const auto results = simulate_all(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_LE(relative_error(results[i].time_s, waves[i] * tile), 1e-6)
        << runs[i].strategy << " on " << runs[i].cluster.name;
    EXPECT_LE(relative_error(results[i].gemm_s, waves[i] * tile), 1e-6) << runs[i].strategy;
  }
}

/// The first strategy is the ideal.
void expect_none_beats_the_ideal(const Fusion& fusion) {
  std::vector<Job> runs;
  std::vector<std::string> names;
  for (const auto& setting : settings()) {
    const auto cluster = without_overheads(setting.cluster);
    const auto described = sublayer(static_cast<int>(cluster.gpus.size()), setting.gemm, fusion.kind);
    for (const auto& strategy : fusion.strategies) {
      runs.push_back({described, strategy, cluster});
      names.push_back(setting.name() + ", " + strategy);
    }
  }
  const auto results = simulate_all(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& ideal = results[i - i % fusion.strategies.size()];
    ASSERT_TRUE(ideal.ideal);
    EXPECT_GE(results[i].time_s, ideal.time_s * (1 - 1e-9)) << names[i];
  }
}

/// Where memory has no limit a strategy that waits with its AG until all of the RS is done cannot beat the ideal: the
/// GEMM has as many waves at least, and each link carries the same bytes.
TEST(Metamorphic, NothingBeatsTheIdealWhereMemoryIsNoResource) {
  expect_none_beats_the_ideal({model::CollectiveKind::ALL_REDUCE,
                               {"ideal-overlap", "sequential", "decomposed", "decomposed:mover=sm:sms=4", "tile-fused",
                                "t3", "t3:block=1", "t3-mca"}});
  for (const auto& fusion : other_fusions())
    expect_none_beats_the_ideal(fusion);
}

/// A parameter at its default is the same as its absence.
TEST(Metamorphic, DefaultsMayBeWritten) {
  std::vector<Job> runs;
  const Setting setting{collective::ring_of(4), {.m = 1000, .n = 1400, .k = 300}};
  for (const auto& info : for_gemms()) {
    auto written = info.name;
    for (const auto& parameter : info.parameters)
      written += ":" + parameter.name + "=" + parameter.fallback;
    for (const auto& strategy : {info.name, written})
      runs.push_back({sublayer(4, setting.gemm), strategy, setting.cluster});
  }
  const auto results = simulate_all(runs);
  for (std::size_t i = 0; i < results.size(); i += 2) {
    EXPECT_EQ(results[i].time_s, results[i + 1].time_s) << runs[i + 1].strategy;
    EXPECT_EQ(results[i].dram.total(), results[i + 1].dram.total()) << runs[i + 1].strategy;
  }
}

/// No GPU is special: behind a switch any order of the GPUs gives the same times.
TEST(Metamorphic, RenamingRanksChangesNothing) {
  std::vector<Job> runs;
  auto renamed = collective::switch_of(5);
  std::swap(renamed.gpus[0], renamed.gpus[3]);
  std::swap(renamed.gpus[1], renamed.gpus[4]);
  for (const auto& strategy : all_strategies())
    for (const auto& cluster : {collective::switch_of(5), renamed})
      runs.push_back({sublayer(5, {.m = 1000, .n = 1400, .k = 300}), strategy, cluster});
  const auto results = simulate_all(runs);
  for (std::size_t i = 0; i < results.size(); i += 2)
    EXPECT_LE(relative_error(results[i].time_s, results[i + 1].time_s), 1e-12) << runs[i].strategy;
}

} // namespace
} // namespace tandem::study
