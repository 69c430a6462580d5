// The search for a plan against simulating all of them.
#include "study/plan.h"

#include "base/error.h"
#include "collective/built_clusters.h"
#include "study/fork_pool.h"
#include "study/planning/simulate_plan.h"
#include "workload/gpt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace tandem::study {
namespace {

using workload::ParallelPlan;

model::LanguageModel small_model() {
  return workload::gpt(512, 8, 4, 2048, 256);
}

ParallelPlan base_plan() {
  ParallelPlan base;
  base.layer.sequence = 256;
  base.layer.precision = "fp16";
  base.global_batch = 8;
  return base;
}

model::Cluster small_cluster() {
  return collective::switch_of(8, collective::small_device());
}

/// Few enough to simulate them all.
PlanOptions some() {
  PlanOptions options;
  options.choices.cp = {1};
  options.choices.zero = {0, 1};
  options.choices.micro_batch = {1, 2};
  options.choices.recompute = {workload::Recompute::NONE};
  return options;
}

struct Played {
  std::string flags;
  double score = 0.0;
};

/// All plans, those of the least score first.
std::vector<Played> exhaustive(const PlanOptions& options, const model::Cluster& cluster,
                               const std::function<double(const PlayedPlan&)>& score) {
  const auto model = small_model();
  const bool energy = options.objective == PlanObjective::ENERGY;
  std::vector<ParallelPlan> plans;
  (void)each_plan(model, base_plan(), 8, options.choices, [&](const ParallelPlan& plan) { plans.push_back(plan); });
  std::vector<std::function<std::string()>> tasks;
  for (const auto& plan : plans)
    tasks.emplace_back([&] { return to_wire(play_plan(model, plan, cluster, "", energy)); });
  const auto answers = run_forked(tasks);
  std::vector<Played> played;
  for (std::size_t i = 0; i < plans.size(); ++i)
    played.push_back({flags_of(plans[i]), score(from_played_wire(answers[i]))});
  std::stable_sort(played.begin(), played.end(), [](const Played& a, const Played& b) { return a.score < b.score; });
  return played;
}

// Memory is no limit on small_device(): every plan is simulated here, and the search may not miss one of the best five.
TEST(PlanSearch, finds_what_simulating_every_plan_finds) {
  auto options = some();
  options.top = 5;
  const auto found = find_plans(small_model(), base_plan(), small_cluster(), options);
  const auto all = exhaustive(options, small_cluster(), [](const PlayedPlan& played) { return played.iteration_s; });
  ASSERT_EQ(found.best.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_DOUBLE_EQ(found.best[i].iteration_s, all[i].score) << all[i].flags << " / " << found.best[i].plan;
  EXPECT_TRUE(found.proven);
  EXPECT_LT(found.simulated, all.size());
  EXPECT_GE(found.best_pruned_bound_s, found.best.back().iteration_s);
}

TEST(PlanSearch, counts_every_plan_once) {
  const auto found = find_plans(small_model(), base_plan(), small_cluster(), some());
  std::uint64_t refused = 0;
  for (const auto& [reason, plans] : found.refused)
    refused += plans;
  EXPECT_EQ(found.enumerated,
            refused + found.out_of_memory + found.out_of_memory_simulated + found.simulated + found.pruned);
}

TEST(PlanSearch, answer_does_not_depend_on_simulations_at_a_time) {
  auto options = some();
  options.top = 2;
  std::vector<model::PlanSearch> found;
  for (const int jobs : {1, 3}) {
    options.jobs = jobs;
    found.push_back(find_plans(small_model(), base_plan(), small_cluster(), options));
  }
  EXPECT_EQ(found[0].simulated, found[1].simulated);
  EXPECT_EQ(found[0].pruned, found[1].pruned);
  EXPECT_EQ(found[0].best_pruned, found[1].best_pruned);
  EXPECT_EQ(found[0].best_pruned_bound_s, found[1].best_pruned_bound_s);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(found[0].best[i].plan, found[1].best[i].plan);
}

// A search that is stopped after one simulation says that it has proven nothing.
TEST(PlanSearch, stopped_early_proves_nothing) {
  auto options = some();
  options.most = 1;
  options.top = 3;
  const auto found = find_plans(small_model(), base_plan(), small_cluster(), options);
  EXPECT_EQ(found.simulated, 1U);
  EXPECT_FALSE(found.proven);
}

TEST(PlanSearch, without_memory_there_is_no_plan) {
  auto cluster = small_cluster();
  cluster.edit_devices([](model::Device& device) { device.hbm_capacity = model::Bytes(1e6); });
  EXPECT_THROW((void)find_plans(small_model(), base_plan(), cluster, some()), base::Infeasible);
}

/// As a large GPU: half of the TDP beside idle and memory for the SMs, links that cost as much as memory.
model::Cluster cluster_with_power() {
  auto cluster = small_cluster();
  cluster.edit_devices([](model::Device& device) {
    device.power = {model::Watts(30.0),           model::Watts(200.0),          {},
                    model::JoulesPerByte(50e-12), model::JoulesPerByte(80e-12), model::JoulesPerByte(1e-9)};
  });
  return cluster;
}

// Every plan is simulated here, and the search may not miss one of the five that take least. A bound that a simulated
// plan beats is a Bug.
TEST(PlanSearch, finds_what_takes_least_energy) {
  auto options = some();
  options.top = 5;
  options.objective = PlanObjective::ENERGY;
  options.choices.recompute = {workload::Recompute::NONE, workload::Recompute::FULL};
  const auto cluster = cluster_with_power();
  const auto found = find_plans(small_model(), base_plan(), cluster, options);
  const auto all = exhaustive(options, cluster, [](const PlayedPlan& played) { return played.energy_j; });
  ASSERT_EQ(found.best.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_DOUBLE_EQ(found.best[i].energy_j, all[i].score) << all[i].flags << " / " << found.best[i].plan;
  EXPECT_TRUE(found.proven);
  EXPECT_LT(found.simulated, all.size());
  EXPECT_GE(found.best_pruned_bound_j, found.best.back().energy_j);
}

TEST(PlanSearch, energy_needs_what_the_device_draws) {
  auto options = some();
  options.objective = PlanObjective::ENERGY;
  EXPECT_THROW((void)find_plans(small_model(), base_plan(), small_cluster(), options), base::UserError);
}

TEST(PlanSearch, objectives_have_names) {
  EXPECT_EQ(plan_objective("energy"), PlanObjective::ENERGY);
  EXPECT_EQ(to_string(PlanObjective::ENERGY), "energy");
  EXPECT_THROW((void)plan_objective("tine"), base::UserError);
}

TEST(PlanSpace, reasons_lose_their_numbers) {
  EXPECT_EQ(without_numbers("tp 16 does not divide the attention heads, 12 (fp8, 1f1b)"),
            "tp N does not divide the attention heads, N (fp8, Nf1b)");
}

} // namespace
} // namespace tandem::study
