// `tandem collective`: one operation alone, at many sizes, each in a process of its own.
#pragma once

#include "model/cluster.h"
#include "model/collective_run.h"
#include "study/fold_choice.h"
#include "study/granularity.h"
#include "study/run_limit.h"
#include "study/run_progress.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tandem::study {

/// Collectives that run at the same time as the one that is timed, on a stream of their own.
struct BesideOptions {
  model::CollectiveKind kind = model::CollectiveKind::ALL_REDUCE; ///< not ALL_TO_ALL_V
  std::vector<std::uint32_t> group;                               ///< ranks of the cluster, each once
  int root = 0;
  std::uint64_t size_bytes = 0;
  std::string strategy;  ///< empty: default_strategy()
  base::Seconds start{}; ///< after the one that is timed
  int count = 1;         ///< one after the other
};

struct CollectiveOptions {
  model::CollectiveKind kind = model::CollectiveKind::ALL_REDUCE;
  int ranks = 0;                      ///< the first ones; 0: all GPUs of the cluster
  std::vector<std::uint32_t> group{}; ///< in place of `ranks`: these, each once; empty: the first ones
  int root = 0;
  std::shared_ptr<const std::vector<double>> pairs{}; ///< of an all-to-all-v, as in model::CollectiveOp
  std::vector<std::uint64_t> sizes;    ///< bytes of the whole vector, as nccl-tests counts them; played as they are
  std::vector<std::string> strategies; ///< empty: default_strategy()
  std::vector<BesideOptions> beside{}; ///< at the same time
  engine::Fold fold = engine::Fold::AUTO;
  Granularity granularity = Granularity::STEP; ///< FLOW: strategies that cannot be played so are refused
  CostLimits limits{};                         ///< a simulation that is estimated to cost more is refused (Infeasible)
  bool energy = false;                         ///< tell it as well; not with `beside`
  int gpus_per_process = 1;                    ///< whose kernels one host process issues, one after the other
  int jobs = 0;
  std::string version;
  ProgressBoard::Show progress; ///< may be empty
};

/// What the host takes for a call at least, seconds: its process issues the kernels of `gpus_per_process` GPUs.
double host_time(const model::Cluster& cluster, model::CollectiveKind kind, int ranks, int gpus_per_process);

/// What the ranks of `group` do where nobody chose. With a library's costs where it has some for the operation over the
/// group's links: "auto", or the steps of a barrier in its LL. Else without: "ring" where it does the operation,
/// "pairwise", "bruck" or "direct". An all-to-all-v is always without: the rate of a library's kernel is that of all
/// its messages together, which says nothing of uneven ones.
std::string default_strategy(const model::CollectiveOp& op, const model::Cluster& group);

/// The size that nccl-tests would run for `bytes`: whole floats, and 16-byte parts where each rank has its own.
std::uint64_t runnable_size(model::CollectiveKind kind, int ranks, std::uint64_t bytes);

/// How many take part. Throws UserError when the cluster has fewer.
int ranks_of(const model::Cluster& cluster, const CollectiveOptions& options);

/// Throws UserError for what the user can mend, Infeasible when a strategy cannot do it, Bug when a check fails.
model::CollectiveRun run_collective(const model::Cluster& cluster, const CollectiveOptions& options);

/// The rank classes of what run_collective() would play, plays of the same classes once. Throws as it does.
std::vector<ExplainedRun> explain_collective(const model::Cluster& cluster, const CollectiveOptions& options);

/// The only strategy's schedule as the text of an MSCCL file, for the ranks that are asked for. Throws like
/// run_collective(), and Infeasible when the format cannot say it.
std::string export_algorithm(const model::Cluster& cluster, const CollectiveOptions& options);

} // namespace tandem::study
