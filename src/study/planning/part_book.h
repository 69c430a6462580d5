// The parts of a model, as the tasks that a training job makes of them, each with the least time that it takes: made
// once for all plans that cut a layer alike.
#pragma once

#include "model/cluster.h"
#include "model/language_model.h"
#include "study/planning/rank_layout.h"
#include "study/planning/schedule_bound.h"
#include "study/planning/schedule_energy.h"
#include "study/training/job_maker.h"
#include "study/training/schedule_book.h"
#include "study/training/step_tasks.h"
#include "workload/layer_memory.h"
#include "workload/optimizer_kernels.h"
#include "workload/parallel_plan.h"
#include "workload/parameters.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tandem::study {

struct BoundTask {
  std::uint16_t stream = 0;
  std::vector<std::uint32_t> after; ///< places in the template
  PartBound bound;
};

struct BoundTemplate {
  std::vector<BoundTask> tasks;
  std::vector<std::uint32_t> ends;
};

/// A layer, or what stands at the ends of the model.
struct BoundPart {
  BoundTemplate forward, backward, weights;
  double kept = 0.0, recomputed = 0.0; ///< bytes, as workload::ActivationMemory
  workload::RankParameters parameters;
};

/// Which part of the model.
enum class PartKind : std::uint8_t { EMBEDDING, LAYER, HEAD };

/// Where a rank's groups lie, for the collectives of its layers.
struct RankGroups {
  const JobMaker& job;
  const std::vector<model::Grouping>& groupings;
  std::uint32_t rank = 0;
};

class PartBook {
public:
  /// `model` and `cluster` outlive the book.
  PartBook(const model::LanguageModel& model, const model::Cluster& cluster, DimensionStrategies strategies,
           Granularity granularity)
      : model_(model), cluster_(cluster), book_(cluster, std::move(strategies), granularity) {}

  /// Bounds then tell joules as well. Throws UserError when a device does not state what it draws.
  void with_energy() { energy_.emplace(cluster_); }
  /// Precondition: with_energy().
  [[nodiscard]] double idle_w() const { return energy_->idle_w(); }

  RankLayout& layout(const workload::ParallelPlan& plan) { return layouts_.of(plan, cluster_); }

  /// `kind`: of the layer, index into LanguageModel::kinds. Throws Infeasible when a strategy cannot do what it is
  /// named for.
  const BoundPart& part(PartKind what, int kind, const workload::ParallelPlan& plan, const RankGroups& groups);
  /// Of the collective among the rank's group of a grouping; zero where the group is the rank alone or there is nothing
  /// to move.
  PartBound collective(const RankGroups& groups, std::uint32_t grouping, model::Dimension dimension,
                       model::CollectiveKind kind, double bytes);
  /// Of the optimizer's kernels for so many parameters, one after the other.
  PartBound optimizer(double parameters, const workload::StateBytes& state, const std::string& name,
                      std::uint32_t rank);

  /// Memory and parameters alone: no strategy is asked.
  struct Held {
    double kept = 0.0, recomputed = 0.0;
    workload::RankParameters parameters;
  };
  const Held& held(PartKind what, int kind, const workload::ParallelPlan& plan);

private:
  /// `is_uniform`: the schedule is also that of all other groups of the grouping.
  PartBound bound_of(std::uint32_t schedule, const std::vector<std::uint32_t>& members, std::size_t position,
                     bool is_uniform);
  BoundTemplate bounds_of(const TaskTemplate& made, const RankGroups& groups);
  /// Groups whose members reach each other alike have equal numbers.
  int alike(const std::vector<std::uint32_t>& members, std::size_t position);

  const model::LanguageModel& model_;
  const model::Cluster& cluster_;
  ScheduleBook book_;
  std::map<std::string, std::unique_ptr<BoundPart>> parts_;
  std::map<std::string, Held> held_;
  std::map<std::pair<std::string, int>, PartBound> optimizers_; ///< by what it updates, and the rank's device
  RankLayouts layouts_;
  std::optional<ScheduleEnergy> energy_;
  std::map<std::tuple<std::uint32_t, int, bool>, PartBound> bounds_;
  std::map<std::pair<std::vector<std::uint32_t>, std::size_t>, int> alike_;
  std::map<std::vector<double>, int> numbers_;
};

} // namespace tandem::study
