// How a training iteration is spread over ranks: degrees, pipeline schedule, sharding of states, batch.
#pragma once

#include "model/any_model.h"
#include "model/host_issue.h"
#include "workload/layer_plan.h"
#include "workload/pipeline_order.h"
#include "workload/rank_grid.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::workload {

struct ParallelPlan {
  LayerPlan layer; ///< tp, cp, ep, micro-batch, sequence, precision, recomputation
  int pp = 1, dp = 1;
  int vpp = 1; ///< model chunks per stage
  PipelineSchedule schedule = PipelineSchedule::ONE_F_ONE_B;
  std::vector<int> stage_layers{}; ///< layers of each virtual stage, first to last; empty: as even as they come
  std::int64_t global_batch = 1;   ///< sequences of an iteration
  /// What data parallelism shards of the states: 0 nothing, 1 optimizer, 2 and gradients, 3 and parameters
  /// (arXiv 1910.02054).
  int zero = 0;
  int shard_size = 0; ///< ranks that one full copy is sharded over (MiCS, HSDP); 0: all of cp x dp
  std::string optimizer = "adam";
  /// Gradients are reduced while the last micro-batch still goes backward, `bucket` at a time; else when all is done.
  bool overlap_gradients = true;
  base::Bytes bucket{25e6};
  /// Collectives of tp in the backward pass run beside the GEMMs of weights' gradients. Off: one after the other, as
  /// in Megatron-LM with --no-async-tensor-model-parallel-allreduce and before it had that choice.
  bool overlap_tp = true;
  bool overlap_p2p = false; ///< a stage goes on while its message to the next one is under way
  /// A message between stages is cut over tp, each rank sends its part and the receivers gather (Megatron-LM's
  /// scatter-gather optimisation). With sequence parallelism activations are cut anyway.
  bool scatter_gather = true;
  std::string order = "tp-cp-ep-dp-pp";
  /// All communication on one stream, in the order in which it is asked for; else a stream for each dimension.
  bool one_stream = false;
  base::Seconds input_time{}; ///< that a rank's samples of an iteration take to be loaded and decoded
  bool prefetch_input = true; ///< beside the iteration before; else an iteration begins with it
  model::HostIssue host;      ///< nothing: kernels and collectives wait for no host

  [[nodiscard]] GridSizes sizes() const { return {layer.tp, layer.cp, layer.ep, dp, pp}; }
  [[nodiscard]] int ranks() const { return sizes().ranks(); }
  [[nodiscard]] int micro_batches() const { return static_cast<int>(global_batch / (layer.micro_batch * dp)); }
  [[nodiscard]] int virtual_stages() const { return pp * vpp; }
  /// Ranks that share one copy of the sharded states.
  [[nodiscard]] int shards() const { return zero == 0 ? 1 : shard_size == 0 ? layer.cp * dp : shard_size; }
};

/// Throws UserError with both numbers when the plan does not fit the model or the `gpus`: their number, the batch, the
/// layers, the schedule, the shards, and what check_plan() asks of a layer.
void check_plan(const model::LanguageModel& model, const ParallelPlan& plan, int gpus);
/// Models that are no transformers are trained with data parallelism only (docs/models.md, "Other models"); what else
/// the plan asks for is refused.
void check_plan(const model::AnyModel& model, const ParallelPlan& plan, int gpus);

int layers_of(const model::AnyModel& model);

/// Ranks that a model spreads embedding tables or the like over, one by one: all of dp, or 1 where it has none.
int ep_of(const model::AnyModel& model, int dp);

/// Layers of the model that each virtual stage holds: [first, end). Where they do not divide, the first stages have one
/// less, for the embedding, and the others one more.
struct LayerRange {
  int first = 0, end = 0;
};
std::vector<LayerRange> split_layers(const model::LanguageModel& model, const ParallelPlan& plan);
std::vector<LayerRange> split_layers(const model::AnyModel& model, const ParallelPlan& plan);

} // namespace tandem::workload
