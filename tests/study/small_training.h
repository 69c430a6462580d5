// A small GPT and plans for it, for tests of whole iterations.
#pragma once

#include "workload/gpt.h"
#include "workload/parallel_plan.h"

namespace tandem::study {

inline model::LanguageModel small_gpt() {
  return workload::gpt(1024, 16, 4, 4096, 512);
}

/// Micro-batches of two sequences in 16 bits.
inline workload::ParallelPlan small_plan(int tp, int pp, int dp, int micro_batches) {
  workload::ParallelPlan made;
  made.layer.sequence = 512;
  made.layer.micro_batch = 2;
  made.layer.precision = "fp16";
  made.layer.tp = tp;
  made.pp = pp;
  made.dp = dp;
  made.global_batch = std::int64_t{2} * dp * micro_batches;
  return made;
}

} // namespace tandem::study
