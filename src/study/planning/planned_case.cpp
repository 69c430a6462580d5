// Rates of an iteration that has been played.
#include "study/planning/planned_case.h"

#include "study/planning/plan_space.h"
#include "workload/model_flops.h"

namespace tandem::study {

model::PlannedCase planned_case(const model::LanguageModel& model, const workload::ParallelPlan& plan,
                                const model::Device& device, const PlayedPlan& played) {
  model::PlannedCase made;
  made.gpus = plan.ranks();
  made.tp = plan.layer.tp;
  made.cp = plan.layer.cp;
  made.ep = plan.layer.ep;
  made.pp = plan.pp;
  made.dp = plan.dp;
  made.vpp = plan.vpp;
  made.zero = plan.zero;
  made.micro_batch = plan.layer.micro_batch;
  made.micro_batches = plan.micro_batches();
  made.sequence_parallel = plan.layer.sequence_parallel;
  made.schedule = plan.pp > 1 ? workload::to_string(plan.schedule) : "";
  made.recompute = to_string(plan.layer.recompute);
  made.iteration_s = played.iteration_s;
  made.peak_memory_bytes = played.peak_memory_bytes;
  const auto sequences = static_cast<double>(plan.global_batch);
  made.tokens_per_s = sequences * static_cast<double>(plan.layer.sequence) / made.iteration_s;
  made.energy_j = played.energy_j;
  made.j_per_token = played.energy_j / sequences / static_cast<double>(plan.layer.sequence);
  constexpr double HOUR = 3600.0;
  made.tokens_per_gpu_hour = made.tokens_per_s * HOUR / made.gpus;
  const double flops = workload::model_flops(model, sequences, plan.layer.sequence).value();
  made.mfu = flops / made.iteration_s / made.gpus / device.peak.at(plan.layer.precision).value();
  return made;
}

} // namespace tandem::study
