// The flags of `tandem train`: a model, a plan, and how it is run.
#pragma once

#include "app/fold_flags.h"
#include "app/limit_flags.h"
#include "app/machine_flags.h"
#include "app/options.h"
#include "model/any_model.h"
#include "workload/parallel_plan.h"
#include "workload/plans/plan_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem::app {

/// Throws UserError, which names --strategy, where a text is no strategy or list of DIMENSION=STRATEGY.
void check_strategies(const std::vector<std::string>& strategies);

struct TrainFlags {
  // the model
  std::string model, plan_file;
  std::int64_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, ffn = 0, vocab = 0;
  // the plan; 0 and empty: chosen from the others
  workload::ParallelPlan plan;
  int dp = 0, gpus = 0;
  std::int64_t sequence = 0, global_batch = 0, micro_batch = 0, accumulate = 0;
  std::optional<workload::PlanModel> plan_model;
  std::vector<std::string> simplified; ///< what of the plan file is simulated otherwise
  std::string schedule, recompute = "none", attention = "flash", bucket, stage_layers, framework = "none";
  std::string overlap_gradients = "on", overlap_tp = "on", scatter_gather = "on", fp32_gradients = "on";
  std::string input_time, prefetch_input = "on", comm_streams = "by-dimension";
  // the run
  std::string platform, granularity = "flow", timeline, timeline_ranks, stats;
  std::vector<std::string> strategies;
  MachineFlags machine;
  FoldFlags folding;
  LimitFlags limit;
  int iterations = 1, warmup = 0, jobs = 0;
  bool detail = false, ignore_memory = false, energy = false;
  Output output;
  Verbosity verbosity;

  void add_to(CLI::App& command);
  /// What --plan's file says, for the flags of `command` that were not given. Throws UserError.
  void apply_plan(CLI::App& command);
  /// --model, or the GPT that --layers and the others describe. Throws UserError.
  [[nodiscard]] model::AnyModel read_model() const;
  /// The same; what is no transformer is refused.
  [[nodiscard]] model::LanguageModel read_transformer() const;
  /// What --framework names; nothing for "none". Throws UserError.
  [[nodiscard]] model::HostIssue read_framework() const;
  /// Completed for this model and as many GPUs. Throws UserError.
  [[nodiscard]] workload::ParallelPlan plan_for(const model::AnyModel& trained, int all_gpus) const;
};

} // namespace tandem::app
