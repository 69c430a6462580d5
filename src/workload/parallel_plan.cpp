// What a plan must fulfil, and the layers of its stages.
#include "workload/parallel_plan.h"

#include "base/error.h"
#include "workload/check_plan.h"
#include "workload/layer_kernels.h"

#include <fmt/format.h>
#include <numeric>

namespace tandem::workload {

using base::UserError;

void check_ranks(const ParallelPlan& plan, int gpus) {
  if (plan.pp < 1 || plan.dp < 1 || plan.vpp < 1)
    throw UserError(fmt::format("pp {}, dp {}, vpp {}: each must be at least 1", plan.pp, plan.dp, plan.vpp));
  if (plan.ranks() != gpus)
    throw UserError(fmt::format("tp x cp x pp x dp = {} x {} x {} x {} = {} ranks, and there are {} GPUs (--gpus takes "
                                "fewer of them)",
                                plan.layer.tp, plan.layer.cp, plan.pp, plan.dp, plan.ranks(), gpus));
}

void check_batch(const ParallelPlan& plan) {
  const auto each = plan.layer.micro_batch * plan.dp;
  if (plan.global_batch < 1 || plan.global_batch % each != 0)
    throw UserError(fmt::format("a global batch of {} is not a multiple of micro-batch x dp = {} x {} = {}",
                                plan.global_batch, plan.layer.micro_batch, plan.dp, each));
}

void check_shards(const ParallelPlan& plan) {
  if (plan.zero < 0 || plan.zero > 3)
    throw UserError(fmt::format("zero {}; allowed: 0, 1, 2, 3", plan.zero));
  const int copies = plan.layer.cp * plan.dp;
  if (plan.shard_size < 0 || (plan.shard_size > 0 && copies % plan.shard_size != 0))
    throw UserError(fmt::format("a shard size of {} does not divide the {} ranks of cp x dp = {} x {}", plan.shard_size,
                                copies, plan.layer.cp, plan.dp));
  if (plan.shard_size > 0 && plan.zero == 0)
    throw UserError(fmt::format("a shard size of {} needs zero 1, 2 or 3; found 0", plan.shard_size));
  if (plan.zero >= 2 && plan.pp > 1)
    throw UserError(fmt::format("zero {} with pp {}: a pipeline stage needs its gradients and parameters for every "
                                "micro-batch; allowed: zero 0 or 1",
                                plan.zero, plan.pp));
}

void check_streams(const ParallelPlan& plan) {
  if (plan.one_stream && plan.pp > 1)
    throw UserError(
        fmt::format("one stream of communication with pp {}: a stage would wait for a message before it sends "
                    "the one that its neighbour waits for; allowed: pp 1",
                    plan.pp));
}

namespace {

void check_stages(const model::LanguageModel& model, const ParallelPlan& plan) {
  const int layers = static_cast<int>(model.layers.size());
  const auto& given = plan.stage_layers;
  if (given.empty() && layers < plan.virtual_stages())
    throw UserError(fmt::format("{} has {} layers, and pp x vpp = {} x {} = {} stages need one each", model.name,
                                layers, plan.pp, plan.vpp, plan.virtual_stages()));
  if (given.empty())
    return;
  if (static_cast<int>(given.size()) != plan.virtual_stages())
    throw UserError(fmt::format("layers are given for {} stages, and pp x vpp = {} x {} = {}", given.size(), plan.pp,
                                plan.vpp, plan.virtual_stages()));
  const int sum = std::accumulate(given.begin(), given.end(), 0);
  if (sum != layers)
    throw UserError(fmt::format("the stages are given {} layers in all, and {} has {}", sum, model.name, layers));
}

} // namespace

void check_plan(const model::LanguageModel& model, const ParallelPlan& plan, int gpus) {
  check_ranks(plan, gpus);
  check_batch(plan);
  check_plan(model, plan.layer);
  check_stages(model, plan);
  check_shards(plan);
  check_streams(plan);
  if (const auto wrong = check_pipeline(plan.schedule, plan.pp, plan.micro_batches(), plan.vpp); !wrong.empty())
    throw UserError(wrong);
  (void)RankGrid(plan.sizes(), plan.order);
}

std::vector<LayerRange> split_layers(const model::LanguageModel& model, const ParallelPlan& plan) {
  const int stages = plan.virtual_stages(), layers = static_cast<int>(model.layers.size());
  auto counts = plan.stage_layers;
  if (counts.empty()) {
    counts.assign(static_cast<std::size_t>(stages), layers / stages);
    // The stages in the middle come first, then the last one, then the first.
    int left = layers % stages;
    for (int stage = 1; stage < stages && left > 0; ++stage, --left)
      ++counts[static_cast<std::size_t>(stage)];
  }
  std::vector<LayerRange> ranges;
  int first = 0;
  for (const int count : counts) {
    ranges.push_back({first, first + count});
    first += count;
  }
  return ranges;
}

} // namespace tandem::workload
