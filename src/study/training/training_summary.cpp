// Means over iterations and ranks.
#include "study/training/training_summary.h"

#include "base/error.h"
#include "study/energy_wire.h"
#include "study/link_wire.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tandem::model {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Breakdown, compute_s, recompute_s, exposed_s, bubble_s, optimizer_s, other_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemoryUse, peak_bytes, peak_at_s, at_peak, at_end)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StageResult, stage, rank, first_layer, layers, parameters, breakdown, memory, energy)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PathTerm, what, seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrainCase, strategies, iteration_s, samples_per_s, tokens_per_s, model_flops,
                                   hardware_flops, lower_bound_s, breakdown, links, stages, critical_path, used,
                                   assumed, activities, tasks, classes)

} // namespace tandem::model

namespace tandem::study {

using model::Breakdown;
using model::Purpose;
using model::RankTime;

namespace {

double at(const RankTime& time, Purpose purpose) {
  return time.compute_s[static_cast<std::size_t>(purpose)];
}

/// Of the time since `before`, per iteration.
Breakdown breakdown_of(const RankTime& time, const RankTime& before, double iterations) {
  const auto since = [&](Purpose purpose) { return (at(time, purpose) - at(before, purpose)) / iterations; };
  Breakdown part;
  part.recompute_s = since(Purpose::RECOMPUTE);
  part.compute_s = since(Purpose::FORWARD) + since(Purpose::BACKWARD) + part.recompute_s;
  part.optimizer_s = since(Purpose::OPTIMIZER);
  part.other_s = since(Purpose::OTHER);
  for (std::size_t dimension = 0; dimension < time.exposed_s.size(); ++dimension)
    part.exposed_s[dimension] = (time.exposed_s[dimension] - before.exposed_s[dimension]) / iterations;
  part.bubble_s = (time.idle_s - before.idle_s) / iterations;
  return part;
}

void add_weighted(Breakdown& sum, const Breakdown& part, double weight) {
  sum.compute_s += weight * part.compute_s;
  sum.recompute_s += weight * part.recompute_s;
  sum.bubble_s += weight * part.bubble_s;
  sum.optimizer_s += weight * part.optimizer_s;
  sum.other_s += weight * part.other_s;
  for (std::size_t dimension = 0; dimension < sum.exposed_s.size(); ++dimension)
    sum.exposed_s[dimension] += weight * part.exposed_s[dimension];
}

/// When the last rank had ended its warm-up.
double begin_of(const model::Recording& recording, int warmup) {
  double begin = 0.0;
  if (warmup > 0)
    for (const auto& marks : recording.marks)
      begin = std::max(begin, marks.at(static_cast<std::size_t>(warmup) - 1).at_s);
  return begin;
}

} // namespace

model::TrainCase summarize_training(const TrainingJob& made, const workload::ParallelPlan& plan,
                                    const model::AnyModel& model, const model::Recording& recording, int warmup) {
  const auto iterations = static_cast<double>(recording.marks.front().size()) - warmup;
  model::TrainCase result;
  result.iteration_s = (recording.end_s - begin_of(recording, warmup)) / iterations;
  const auto breakdown_on = [&](std::size_t played) {
    const auto& mark = recording.marks[played];
    const auto before = warmup > 0 ? mark[static_cast<std::size_t>(warmup) - 1] : model::IterationMark{};
    auto part = breakdown_of(recording.times[played], before.time, iterations);
    // A rank may have begun its first iteration a little before or after the last one did.
    part.bubble_s += result.iteration_s - (recording.end_s - before.at_s) / iterations;
    return part;
  };
  const auto sizes = recording.class_sizes();
  for (std::size_t played = 0; played < sizes.size(); ++played)
    add_weighted(result.breakdown, breakdown_on(played), static_cast<double>(sizes[played]) / recording.ranks);
  result.classes = static_cast<int>(sizes.size());
  const auto ranges = workload::split_layers(model, plan);
  for (const auto& stage : made.stages) {
    const auto played = recording.class_of.empty() ? stage.rank : recording.class_of[stage.rank];
    const auto& range = ranges[static_cast<std::size_t>(stage.stage)];
    result.stages.push_back({.stage = stage.stage,
                             .rank = stage.rank,
                             .first_layer = range.first,
                             .layers = range.end - range.first,
                             .parameters = stage.parameters,
                             .breakdown = breakdown_on(played),
                             .memory = recording.memory[played],
                             .energy = {}});
    result.hardware_flops += stage.hardware_flops * stage.ranks;
  }
  result.used = made.used;
  result.assumed = made.assumed;
  result.activities = recording.activities;
  for (std::size_t program = 0; program < made.job.programs.size(); ++program)
    result.tasks += made.job.programs[program].tasks.size() * made.stages[program].ranks;
  return result;
}

void add_energy(model::TrainCase& result, const model::Recording& recording, const model::Cluster& cluster) {
  const auto iterations = static_cast<double>(recording.marks.front().size());
  result.energy = model::energy_use(recording, cluster, result.iteration_s, iterations);
  for (auto& stage : result.stages)
    stage.energy = model::rank_energy(recording, cluster, stage.rank, result.iteration_s, iterations);
}

void add_links(model::TrainCase& result, const model::Recording& recording, const model::Cluster& cluster) {
  result.links =
      model::link_use(recording, cluster, result.iteration_s, static_cast<double>(recording.marks.front().size()));
}

double training_bound(const TrainingJob& made, const workload::ParallelPlan& plan, const model::Device& device) {
  double most = 0.0;
  for (const auto& stage : made.stages)
    most = std::max(most, stage.hardware_flops);
  // FLOP conventions count a causal triangle twice, and fp8 leaves some products in bf16 or in fp8: half of them at the
  // highest peak is a bound whatever is in them.
  double peak = 0.0;
  for (const auto& [precision, rate] : device.peak)
    if (precision == plan.layer.precision || plan.layer.precision == "fp8")
      peak = std::max(peak, rate.value());
  return peak > 0.0 ? most / 2.0 / peak : 0.0;
}

std::string to_wire(const model::TrainCase& result) {
  nlohmann::json json(result);
  json["energy"] = energy_wire(result.energy);
  return json.dump();
}

model::TrainCase from_training_wire(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    auto result = json.get<model::TrainCase>();
    result.energy = from_energy_wire(json.at("energy"));
    return result;
  } catch (const nlohmann::json::exception& error) {
    throw base::Bug(std::string("a simulation's answer cannot be read: ") + error.what());
  }
}

} // namespace tandem::study
