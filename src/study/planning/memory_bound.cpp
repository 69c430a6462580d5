// Plays the order of a pipeline schedule on two numbers.
#include "study/planning/memory_bound.h"

#include "workload/optimizer_kernels.h"

#include <algorithm>
#include <map>
#include <vector>

namespace tandem::study {

namespace {

using Kind = workload::PipelineStep::Kind;
using Held = PartBook::Held;

/// What a passage of a chunk takes at most beyond what was held before it, and what it leaves.
struct Change {
  double most = 0.0, after = 0.0;
};

struct ChunkChanges {
  Change forward, backward, inputs, weights;
};

ChunkChanges changes_of(const std::vector<const Held*>& parts, double gathered_bytes) {
  ChunkChanges made;
  for (const auto* part : parts) {
    made.forward.after += part->kept;
    made.forward.most = std::max(made.forward.most, made.forward.after + part->parameters.total() * gathered_bytes);
  }
  // NOLINTNEXTLINE(modernize-loop-convert): ranges that run backwards are beyond clang 14 with this library
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    const double own = (*part)->recomputed + (*part)->parameters.total() * gathered_bytes;
    made.backward.most = std::max(made.backward.most, made.backward.after + own);
    made.backward.after -= (*part)->kept;
    made.inputs.most = std::max(made.inputs.most, own);
  }
  made.weights.after = made.backward.after;
  return made;
}

const Change& change_of(const ChunkChanges& chunk, Kind kind) {
  switch (kind) {
  case Kind::FORWARD:
    return chunk.forward;
  case Kind::BACKWARD:
    return chunk.backward;
  case Kind::INPUT_GRADIENT:
    return chunk.inputs;
  case Kind::WEIGHT_GRADIENT:
    break;
  }
  return chunk.weights;
}

class StageMemory {
public:
  StageMemory(PartBook& book, const model::LanguageModel& model, const workload::ParallelPlan& plan)
      : book_(book), model_(model), plan_(plan), ranges_(workload::split_layers(model, plan)),
        state_(workload::state_bytes(plan.layer.precision, plan.optimizer, plan.layer.fp32_gradients)) {}

  double peak(int stage) {
    std::vector<ChunkChanges> chunks;
    workload::RankParameters own;
    const bool gathers = plan_.zero == 3 && plan_.shards() > 1;
    for (int chunk = 0; chunk < plan_.vpp; ++chunk) {
      const auto parts = parts_of(chunk * plan_.pp + stage);
      for (const auto* part : parts) {
        own.shared += part->parameters.shared;
        own.expert += part->parameters.expert;
      }
      chunks.push_back(changes_of(parts, gathers ? state_.weight : 0.0));
    }
    double held = 0.0, most = 0.0;
    for (const auto& step :
         workload::pipeline_order(plan_.schedule, plan_.pp, stage, plan_.micro_batches(), plan_.vpp)) {
      const auto& change = change_of(chunks[static_cast<std::size_t>(step.chunk)], step.kind);
      most = std::max(most, held + change.most);
      held += change.after;
    }
    return states(own) + most;
  }

private:
  std::vector<const Held*> parts_of(int place) {
    std::vector<const Held*> parts;
    if (place == 0)
      parts.push_back(&book_.held(PartKind::EMBEDDING, 0, plan_));
    const auto& range = ranges_[static_cast<std::size_t>(place)];
    for (int layer = range.first; layer < range.end; ++layer) {
      const int kind = model_.layers[static_cast<std::size_t>(layer)];
      auto& known = layers_[kind];
      if (known == nullptr)
        known = &book_.held(PartKind::LAYER, kind, plan_);
      parts.push_back(known);
    }
    if (place == plan_.virtual_stages() - 1)
      parts.push_back(&book_.held(PartKind::HEAD, 0, plan_));
    return parts;
  }

  [[nodiscard]] double states(const workload::RankParameters& own) const {
    const int expert_group = plan_.layer.cp * plan_.dp / plan_.layer.ep;
    const double sharded = own.shared / plan_.shards() + own.expert / (plan_.zero == 0 ? 1 : expert_group);
    const auto held = [&](double bytes, int from_zero) {
      return bytes * (plan_.zero >= from_zero ? sharded : own.total());
    };
    return held(state_.weight, 3) + held(state_.gradient, 2) + held(state_.optimizer(), 1);
  }

  PartBook& book_;
  const model::LanguageModel& model_;
  const workload::ParallelPlan& plan_;
  std::vector<workload::LayerRange> ranges_;
  workload::StateBytes state_;
  std::map<int, const Held*> layers_; ///< by kind
};

} // namespace

double peak_memory(PartBook& book, const model::LanguageModel& model, const workload::ParallelPlan& plan,
                   double capacity) {
  StageMemory memory(book, model, plan);
  double peak = 0.0;
  for (int stage = 0; stage < plan.pp && peak <= capacity; ++stage)
    peak = std::max(peak, memory.peak(stage));
  return peak;
}

} // namespace tandem::study
