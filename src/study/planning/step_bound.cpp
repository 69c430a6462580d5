// Longest path through the templates of the parts, as StageProgram chains them; beside it what the SMs and the memory
// have to do between the begin of a collective and the computing that waits for it.
#include "study/planning/step_bound.h"

#include "workload/optimizer_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tandem::study {

namespace {

using model::CollectiveKind;
using Kind = workload::PipelineStep::Kind;

/// Work of the SMs and of the memory, seconds at their full rate.
struct Work {
  double sm = 0.0, memory = 0.0;
};

/// A collective that computing may run beside: all of both lies between its fork and its join.
struct Fork {
  double at = 0.0; ///< end of the computing before it
  Work before;     ///< computing until then
  Work own;
};

/// A task that others wait for.
struct Ended {
  double at = 0.0;
  std::optional<Fork> fork;
};

class Chain {
public:
  /// As StageProgram::append().
  void append(const BoundTemplate& made) {
    std::vector<Ended> ends;
    ends.reserve(made.tasks.size());
    bool computes = false;
    for (const auto& task : made.tasks) {
      double begin = free_[task.stream];
      const auto wait = [&](const Ended& on) { begin = std::max(begin, joined(on)); };
      for (const auto on : task.after)
        wait(ends[on]);
      const bool first = !computes;
      if (first) {
        for (const auto& on : awaited_)
          wait(on);
        if (task.stream != COMPUTE)
          begin = std::max(begin, computed_);
        computes = task.stream == COMPUTE;
      }
      const double end = begin + task.bound.seconds;
      joules_ += task.bound.joules;
      Ended ended{end, {}};
      if (task.stream == COMPUTE) {
        done_.sm += task.bound.sm;
        done_.memory += task.bound.memory;
        computed_ = end;
        awaited_.clear();
      } else {
        ended.fork = Fork{computed_, done_, {task.bound.sm, task.bound.memory}};
      }
      free_[task.stream] = end;
      ends.push_back(ended);
    }
    for (const auto end : made.ends)
      awaited_.push_back(ends[end]);
  }

  void wait_until(double at) { awaited_.push_back({at, {}}); }
  [[nodiscard]] double computed() const { return computed_; }
  [[nodiscard]] double joules() const { return joules_; }
  [[nodiscard]] double ready() const {
    double at = computed_;
    for (const auto& on : awaited_)
      at = std::max(at, joined(on));
    return at;
  }

private:
  /// When what waits for it may begin.
  [[nodiscard]] double joined(const Ended& on) const {
    if (!on.fork)
      return on.at;
    const auto& fork = *on.fork;
    return std::max({on.at, fork.at + done_.sm - fork.before.sm + fork.own.sm,
                     fork.at + done_.memory - fork.before.memory + fork.own.memory});
  }

  double computed_ = 0.0, joules_ = 0.0;
  Work done_;
  std::array<double, PP_BACKWARD_IN + 1> free_{};
  std::vector<Ended> awaited_;
};

class Passage {
public:
  Passage(PartBook& book, const StepTask& task)
      : book_(book), task_(task), plan_(task.plan),
        state_(workload::state_bytes(plan_.layer.precision, plan_.optimizer, plan_.layer.fp32_gradients)),
        gathers_(task.with_data && plan_.zero == 3 && plan_.shards() > 1) {}

  StepBound over(std::vector<const BoundPart*> parts) {
    if (task_.kind != Kind::FORWARD)
      std::reverse(parts.begin(), parts.end());
    const bool weights = task_.kind == Kind::WEIGHT_GRADIENT;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto& part = *parts[i];
      if (!weights)
        gather(i, parts);
      chain_.append(task_.kind == Kind::FORWARD ? part.forward : weights ? part.weights : part.backward);
      if (weights || task_.kind == Kind::BACKWARD)
        gradients_ready(part.parameters);
    }
    if (weights || task_.kind == Kind::BACKWARD)
      flush();
    made_.seconds = chain_.ready();
    made_.computed = chain_.computed();
    made_.joules += chain_.joules();
    return std::move(made_);
  }

private:
  /// ZeRO-3, as StageProgram::gather_parameters(): a part's gathers are asked for when the one before it begins. Those
  /// of the first two parts may have begun before the step.
  void gather(std::size_t index, const std::vector<const BoundPart*>& parts) {
    if (!gathers_)
      return;
    if (index == 0)
      gather_part(*parts[0], {});
    chain_.wait_until(std::exchange(prefetched_, 0.0));
    if (index + 1 < parts.size())
      prefetched_ = gather_part(*parts[index + 1], index == 0 ? std::nullopt : std::optional(chain_.computed()));
  }

  /// When they have come at least.
  double gather_part(const BoundPart& part, std::optional<double> released) {
    const auto& own = part.parameters;
    for (const auto& [grouping, count] :
         {std::pair{SHARD_GROUPS, own.shared}, std::pair{EXPERT_DP_GROUPS, own.expert}}) {
      const auto bound = book_.collective(task_.groups, grouping, model::Dimension::DP, CollectiveKind::ALL_GATHER,
                                          count * state_.weight);
      if (bound.seconds <= 0.0)
        continue;
      made_.data.push_back({released, bound.seconds});
      made_.joules += bound.joules;
      if (released)
        data_free_ = std::max(data_free_, *released) + bound.seconds;
    }
    return released ? data_free_ : 0.0;
  }

  void gradients_ready(const workload::RankParameters& parameters) {
    if (!task_.with_data || (!task_.last && plan_.zero < 2))
      return;
    bucket_.shared += parameters.shared;
    bucket_.expert += parameters.expert;
    if (plan_.overlap_gradients && bucket_.total() * state_.gradient >= plan_.bucket.value())
      flush();
  }

  void flush() {
    if (!plan_.overlap_gradients)
      return;
    const auto ready = std::exchange(bucket_, {});
    const auto kind = plan_.zero > 0 ? CollectiveKind::REDUCE_SCATTER : CollectiveKind::ALL_REDUCE;
    const double shared = ready.shared * state_.gradient;
    reduce(plan_.zero == 0 ? DP_GROUPS : SHARD_GROUPS, kind, shared);
    if (plan_.zero > 0 && task_.last)
      reduce(REPLICA_GROUPS, CollectiveKind::ALL_REDUCE, shared / plan_.shards());
    reduce(EXPERT_DP_GROUPS, kind, ready.expert * state_.gradient);
  }

  void reduce(std::uint32_t grouping, CollectiveKind kind, double bytes) {
    const auto bound = book_.collective(task_.groups, grouping, model::Dimension::DP, kind, std::floor(bytes));
    if (bound.seconds <= 0.0)
      return;
    made_.data.push_back({chain_.computed(), bound.seconds});
    made_.joules += bound.joules;
    data_free_ = std::max(data_free_, chain_.computed()) + bound.seconds;
  }

  PartBook& book_;
  const StepTask& task_;
  const workload::ParallelPlan& plan_;
  workload::StateBytes state_;
  bool gathers_;
  Chain chain_;
  StepBound made_;
  double prefetched_ = 0.0, data_free_ = 0.0;
  workload::RankParameters bucket_;
};

} // namespace

StepBound step_bound(PartBook& book, const std::vector<const BoundPart*>& parts, const StepTask& task) {
  return Passage(book, task).over(parts);
}

} // namespace tandem::study
