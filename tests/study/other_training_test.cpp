// Iterations of models that are no transformers: closed forms, what hides behind what, memory.
#include "collective/built_clusters.h"
#include "study/train.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tandem::study {
namespace {

using model::Dimension;

workload::ParallelPlan plan_of(int dp, std::int64_t micro_batch = 32) {
  workload::ParallelPlan plan;
  plan.layer.sequence = 1;
  plan.layer.micro_batch = micro_batch;
  plan.layer.precision = "fp16";
  plan.dp = dp;
  plan.global_batch = micro_batch * dp;
  plan.optimizer = "sgd";
  return plan;
}

/// Three convolutions and a matrix.
model::ConvolutionalModel small_network() {
  model::ConvolutionalModel model{.name = "small network", .file = {}, .source = {}, .layers = {}};
  model.layers = {
      {.name = "conv1", .in = 3, .out = 64, .kernel = 3, .height = 56, .width = 56, .norm = true, .pool = 2},
      {.name = "conv2", .in = 64, .out = 256, .kernel = 3, .height = 28, .width = 28, .norm = true},
      {.name = "conv3", .in = 256, .out = 512, .kernel = 3, .height = 14, .width = 14, .norm = true, .stride = 2},
      {.name = "fc", .in = 512, .out = 1000, .bias = true}};
  return model;
}

model::RecommendationModel small_dlrm() {
  model::RecommendationModel model;
  model.name = "small DLRM";
  model.dense_features = 512;
  model.vector = 64;
  model.tables.assign(16, 100'000);
  model.lookups = 10;
  model.bottom = {4096, 4096, 64};
  model.top = {1024, 512, 1};
  return model;
}

/// `layers` of 2 ms forward and 4 ms backward with 12.5e6 parameters each.
model::MeasuredModel measured(int layers, double parameters = 12.5e6) {
  model::MeasuredModel model{.name = "measured", .file = {}, .source = {}, .layers = {}};
  for (int i = 1; i <= layers; ++i)
    model.layers.push_back({.name = "layer " + std::to_string(i),
                            .forward = base::Seconds(2e-3),
                            .backward = base::Seconds(4e-3),
                            .parameters = parameters,
                            .until = {}});
  return model;
}

model::TrainCase run(const model::AnyModel& model, const workload::ParallelPlan& made, const model::Cluster& cluster,
                     TrainOptions options = {}) {
  return run_training(model, made, cluster, options).cases.front();
}

double exposed(const model::TrainCase& result, Dimension dimension) {
  return result.breakdown.exposed_s[static_cast<std::size_t>(dimension)];
}

/// A memory and SMs that cost nothing, and links of 10 GB/s without latency.
model::Cluster slow_network(int gpus, double latency_s = 0.0) {
  auto device = collective::small_device();
  device.hbm_bandwidth = model::BytesPerSecond(1e24);
  device.vector_peak = model::FlopsPerSecond(1e24);
  device.sm_copy_bandwidth = model::BytesPerSecond(1e24);
  device.kernel_launch = model::Seconds(0.0);
  auto cluster = collective::switch_of(gpus, device);
  for (auto& link : cluster.links.stored())
    link.bandwidth = model::BytesPerSecond(10e9);
  cluster.router = std::make_shared<collective::SwitchRouter>(model::Seconds(latency_s / 2.0));
  return cluster;
}

/// Gradients one layer at a time on a plain ring.
TrainOptions plain_ring() {
  TrainOptions options;
  options.strategies = {"dp=ring"};
  return options;
}

workload::ParallelPlan by_layers(int dp) {
  auto plan = plan_of(dp);
  plan.bucket = base::Bytes(1.0);
  plan.layer.fp32_gradients = true;
  return plan;
}

// On one GPU nothing is reduced: 5 layers of 2 + 4 ms.
TEST(OtherTraining, MeasuredLayersTakeTheirTime) {
  EXPECT_NEAR(run(measured(5, 0), plan_of(1), slow_network(1)).iteration_s, 30e-3, 1e-12);
}

// Wait-free backpropagation (Shi et al., arXiv 1711.05979): a layer's all-reduce begins when its gradient is there and
// the one before has ended. 50 MB on 4 ranks take 2 x 3/4 x 50 MB / 10 GB/s = 7.5 ms, longer than the 4 ms of a layer:
// forward 10 ms, the first gradient after 4 ms more, then five all-reduces in a row.
TEST(OtherTraining, GradientsFollowTheRecursion) {
  EXPECT_NEAR(run(measured(5), by_layers(4), slow_network(4), plain_ring()).iteration_s, 10e-3 + 4e-3 + 5 * 7.5e-3,
              1e-5);
  // Half the bytes take 3.75 ms and hide behind the next layer: only the last is seen.
  EXPECT_NEAR(run(measured(5, 6.25e6), by_layers(4), slow_network(4), plain_ring()).iteration_s, 30e-3 + 3.75e-3, 1e-5);
}

TEST(OtherTraining, WithoutOverlapTimesAddUp) {
  auto plan = by_layers(4);
  plan.overlap_gradients = false;
  EXPECT_NEAR(run(measured(5), plan, slow_network(4), plain_ring()).iteration_s, 30e-3 + 5 * 7.5e-3, 1e-5);
}

// Negative control: where latency is what an all-reduce takes, one for all beats one for each layer. 6 steps of 1 ms:
// the small layers' 30 ms of all-reduces follow each other, and 4 of them are not hidden.
TEST(OtherTraining, SmallGradientsWantOneBucket) {
  auto whole = by_layers(4);
  whole.bucket = base::Bytes(1e9);
  const auto cluster = slow_network(4, 1e-3);
  const double layered = run(measured(5, 1000), by_layers(4), cluster, plain_ring()).iteration_s;
  const double fused = run(measured(5, 1000), whole, cluster, plain_ring()).iteration_s;
  EXPECT_NEAR(fused, 30e-3 + 6e-3, 1e-4);
  EXPECT_NEAR(layered, 10e-3 + 4e-3 + 5 * 6e-3, 1e-4);
}

// Loading takes 50 ms, computing 30: in turn 80, beside each other 50; the wait is no time of computing.
TEST(OtherTraining, InputIsLoadedBesideTheIterationBefore) {
  auto plan = plan_of(1);
  plan.input_time = base::Seconds(50e-3);
  TrainOptions options;
  options.iterations = 5;
  options.warmup = 2;
  const auto beside = run(measured(5, 0), plan, slow_network(1), options);
  EXPECT_NEAR(beside.iteration_s, 50e-3, 1e-9);
  EXPECT_NEAR(exposed(beside, Dimension::OTHER), 20e-3, 1e-9);
  plan.prefetch_input = false;
  EXPECT_NEAR(run(measured(5, 0), plan, slow_network(1), options).iteration_s, 80e-3, 1e-9);
  plan.prefetch_input = true;
  plan.input_time = base::Seconds(20e-3);
  EXPECT_NEAR(run(measured(5, 0), plan, slow_network(1), options).iteration_s, 30e-3, 1e-9);
}

// The all-to-all of layer 1 is needed by layer 3: 2 ms of layer 2 hide 2 of its ms, both ways 4 of layer 2's backward.
TEST(OtherTraining, AnAllToAllHidesBehindTheLayersBetween) {
  auto model = measured(3, 0);
  model.layers[0].all_to_all = base::Bytes(80e6); // 3/4 of it leaves the rank: 6 ms
  model.layers[0].until = "layer 3";
  auto plan = plan_of(4);
  plan.layer.ep = 4;
  const auto result = run(model, plan, slow_network(4));
  EXPECT_NEAR(result.iteration_s, 18e-3 + (6e-3 - 2e-3) + (6e-3 - 4e-3), 0.01 * result.iteration_s);
  EXPECT_NEAR(exposed(result, Dimension::EP), 6e-3, 0.2e-3);
}

TEST(OtherTraining, NetworksOfAllKindsAddUpAndFold) {
  TrainOptions folded, whole;
  folded.fold = engine::Fold::ON;
  whole.fold = engine::Fold::OFF;
  for (const auto& model : {model::AnyModel(small_network()), model::AnyModel(small_dlrm())})
    for (const int zero : {0, 1, 3}) {
      auto plan = plan_of(4);
      plan.zero = zero;
      plan.layer.ep = workload::ep_of(model, plan.dp);
      const auto one = run(model, plan, collective::switch_of(4), folded);
      const auto other = run(model, plan, collective::switch_of(4), whole);
      EXPECT_NEAR(one.breakdown.sum(), one.iteration_s, 1e-9 * one.iteration_s) << model::name_of(model) << zero;
      EXPECT_NEAR(one.iteration_s, other.iteration_s, 1e-9 * other.iteration_s) << model::name_of(model) << zero;
      EXPECT_GT(one.iteration_s, one.lower_bound_s);
    }
}

// The exchange of vectors runs beside the bottom MLP: without a bottom MLP to speak of more of it is seen.
TEST(OtherTraining, VectorsTravelBesideTheBottomMlp) {
  auto plan = plan_of(4, 1024);
  plan.layer.ep = 4;
  auto shallow = small_dlrm();
  shallow.bottom = {64};
  const auto cluster = slow_network(4);
  EXPECT_LT(exposed(run(small_dlrm(), plan, cluster), Dimension::EP),
            exposed(run(shallow, plan, cluster), Dimension::EP));
}

// 16 tables of 100,000 x 64: twice the ranks, half the rows on each. Weights of 2 bytes, no moments with plain SGD.
TEST(OtherTraining, TablesAreSpreadOverTheRanks) {
  const auto parameters = [](int ranks) {
    auto plan = plan_of(ranks);
    plan.layer.ep = ranks;
    return run(small_dlrm(), plan, collective::switch_of(ranks)).stages.front().memory.at_peak[model::PARAMETERS];
  };
  EXPECT_NEAR(parameters(2) - parameters(4), 16 * 100'000.0 * 64 * 2 * (1.0 / 2 - 1.0 / 4), 1.0);
}

// 1.8 million parameters with 2, 4 and 4 bytes for weight, gradient and master are 18 MB, and a quarter with zero 3.
TEST(OtherTraining, WhatDoesNotFitIsToldWithAChangeThatDoes) {
  const auto told = [](double capacity) {
    auto device = collective::small_device();
    device.hbm_capacity = model::Bytes(capacity);
    const auto plan = plan_of(4, 1);
    return does_not_fit(small_network(), plan,
                        run_training(small_network(), plan, collective::switch_of(4, device), {}));
  };
  EXPECT_EQ(told(60e6), "");
  EXPECT_NE(told(10e6).find("--zero 3 would fit"), std::string::npos) << told(10e6);
  EXPECT_NE(told(1e6).find("a smaller micro-batch or more GPUs"), std::string::npos) << told(1e6);
}

// Layer 1 sends 100 MB, half of it to the other rank of dp (5 ms), needed by layer 4; layer 2 sums 10 MB over tp (1
// ms), needed at once. Beside each other both have half the link, so that the sum takes from 4 to 6 ms, and layer 3
// follows until the all-to-all has ended at 8; in turn the sum waits until 7, layer 3 until 8, and layer 4 begins
// at 10. The way back, 16 ms, hides the other all-to-all.
TEST(OtherTraining, OneStreamHasAllCommunicationInTurn) {
  auto model = measured(4, 0);
  model.layers[0].all_to_all = base::Bytes(100e6);
  model.layers[0].until = "layer 4";
  model.layers[1].all_reduce = base::Bytes(10e6);
  auto plan = plan_of(2);
  plan.layer.tp = plan.layer.ep = 2;
  TrainOptions options;
  options.strategies = {"tp=ring,dp=ring"};
  EXPECT_NEAR(run(model, plan, slow_network(4), options).iteration_s, 26e-3, 0.1e-3);
  plan.one_stream = true;
  EXPECT_NEAR(run(model, plan, slow_network(4), options).iteration_s, 28e-3, 0.1e-3);
}

} // namespace
} // namespace tandem::study
