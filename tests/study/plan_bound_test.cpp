// Bounds of an iteration and of its memory hold for every plan, and are near enough to be of use.
#include "collective/built_clusters.h"
#include "study/fork_pool.h"
#include "study/planning/iteration_bound.h"
#include "study/planning/memory_bound.h"
#include "study/planning/plan_space.h"
#include "study/planning/simulate_plan.h"
#include "study/simulate.h"
#include "study/train.h"
#include "workload/gpt.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace tandem::study {
namespace {

using workload::ParallelPlan;

ParallelPlan base_plan(std::int64_t global_batch) {
  ParallelPlan base;
  base.layer.sequence = 512;
  base.layer.precision = "bf16";
  base.global_batch = global_batch;
  return base;
}

std::vector<ParallelPlan> all_plans(const model::LanguageModel& model, const ParallelPlan& base, int gpus) {
  std::vector<ParallelPlan> plans;
  (void)each_plan(model, base, gpus, {}, [&](const ParallelPlan& plan) { plans.push_back(plan); });
  return plans;
}

std::vector<ParallelPlan> sample(std::vector<ParallelPlan> plans, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  for (std::size_t i = 0; i + 1 < plans.size(); ++i) // not std::shuffle: its draws differ by library
    std::swap(plans[i], plans[i + random() % (plans.size() - i)]);
  plans.resize(std::min(plans.size(), count));
  return plans;
}

/// Simulates the plans and compares; returns the mean of bound / time.
double compare(const model::LanguageModel& model, const model::Cluster& cluster, const std::vector<ParallelPlan>& plans,
               const std::string& strategies = "") {
  std::vector<std::function<std::string()>> tasks;
  for (const auto& plan : plans)
    tasks.emplace_back([&] { return to_wire(play_plan(model, plan, cluster, strategies, true)); });
  const auto answers = run_forked(tasks);
  PartBook book(model, cluster, strategies.empty() ? DimensionStrategies() : read_dimension_strategies(strategies),
                Granularity::FLOW);
  book.with_energy();
  double sum = 0.0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto& plan = plans[i];
    const auto played = from_played_wire(answers[i]);
    const auto name = to_string(plan) + " " + flags_of(plan);
    const double quick = quick_bound(book, model, plan).seconds;
    const double full = full_bound(book, model, plan).seconds;
    EXPECT_LE(full, played.iteration_s) << name;
    EXPECT_LE(quick, played.iteration_s) << name;
    EXPECT_LE(quick, full * (1.0 + 1e-6)) << name;
    // All of an iteration's work is in the bound where its groups lie alike, as in one node; nothing spills here.
    const double work = full_bound(book, model, plan).joules;
    EXPECT_LE(quick_bound(book, model, plan).joules, work * (1.0 + 1e-9)) << name;
    EXPECT_NEAR(work + book.idle_w() * plan.ranks() * played.iteration_s, played.energy_j, 1e-6 * played.energy_j)
        << name;
    const double memory = peak_memory(book, model, plan, std::numeric_limits<double>::max());
    if (plan.zero < 3)
      EXPECT_NEAR(memory, played.peak_memory_bytes, 1e-9 * memory) << name;
    else
      EXPECT_LE(memory, played.peak_memory_bytes * (1.0 + 1e-9)) << name;
    sum += full / played.iteration_s;
    if (const char* shown = std::getenv("TANDEM_SHOW_BOUNDS"); shown != nullptr)
      std::printf("%.4f %.4f %.6g %s\n", quick / played.iteration_s, full / played.iteration_s, played.iteration_s,
                  name.c_str());
  }
  return sum / static_cast<double>(plans.size());
}

TEST(PlanBound, holds_for_random_plans_of_a_dense_model) {
  const auto model = workload::gpt(1024, 16, 8, 8192, 512);
  const auto cluster = shipped_platform("dgx-a100.xml");
  const auto plans = sample(all_plans(model, base_plan(32), 8), 60, 1);
  EXPECT_GT(compare(model, cluster, plans), 0.9);
}

} // namespace
} // namespace tandem::study
