// The search for a plan against simulating all of them.
#include "study/plan.h"

#include "base/error.h"
#include "collective/built_clusters.h"
#include "study/fork_pool.h"
#include "study/planning/simulate_plan.h"
#include "workload/gpt.h"

#include <gtest/gtest.h>

#include <algorithm>

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
  double iteration_s = 0.0;
};

std::vector<Played> exhaustive(const PlanOptions& options) {
  const auto model = small_model();
  const auto cluster = small_cluster();
  std::vector<ParallelPlan> plans;
  (void)each_plan(model, base_plan(), 8, options.choices, [&](const ParallelPlan& plan) { plans.push_back(plan); });
  std::vector<std::function<std::string()>> tasks;
  for (const auto& plan : plans)
    tasks.emplace_back([&] { return to_wire(play_plan(model, plan, cluster, "")); });
  const auto answers = run_forked(tasks);
  std::vector<Played> played;
  for (std::size_t i = 0; i < plans.size(); ++i)
    played.push_back({flags_of(plans[i]), from_played_wire(answers[i]).iteration_s});
  std::stable_sort(played.begin(), played.end(),
                   [](const Played& a, const Played& b) { return a.iteration_s < b.iteration_s; });
  return played;
}

// Memory is no limit on small_device(): every plan is simulated here, and the search may not miss one of the best five.
TEST(PlanSearch, finds_what_simulating_every_plan_finds) {
  auto options = some();
  options.top = 5;
  const auto found = find_plans(small_model(), base_plan(), small_cluster(), options);
  const auto all = exhaustive(options);
  ASSERT_EQ(found.best.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_DOUBLE_EQ(found.best[i].iteration_s, all[i].iteration_s) << all[i].flags << " / " << found.best[i].plan;
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

TEST(PlanSearch, there_is_no_model_of_energy) {
  EXPECT_THROW((void)plan_objective("energy"), base::UserError);
  EXPECT_THROW((void)plan_objective("tine"), base::UserError);
}

TEST(PlanSpace, reasons_lose_their_numbers) {
  EXPECT_EQ(without_numbers("tp 16 does not divide the attention heads, 12 (fp8, 1f1b)"),
            "tp N does not divide the attention heads, N (fp8, Nf1b)");
}

} // namespace
} // namespace tandem::study
