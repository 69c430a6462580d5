// Longest path through the micro-batches of all stages.
#include "study/planning/iteration_bound.h"

#include "study/planning/step_bound.h"
#include "workload/optimizer_kernels.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <tuple>

namespace tandem::study {

namespace {

using model::CollectiveKind;
using model::Dimension;
using workload::ParallelPlan;
using workload::PipelineStep;
using Kind = PipelineStep::Kind;

constexpr double ROUNDING = 1.0 - 1e-9; // SimGrid adds up times in another order
constexpr double NOT_YET = -1.0;
constexpr std::size_t PASSES = 8; ///< kinds of a step, the last micro-batch apart

class IterationBound {
public:
  IterationBound(PartBook& book, const model::LanguageModel& model, const ParallelPlan& plan)
      : book_(book), model_(model), plan_(plan), layout_(book.layout(plan)), job_(layout_.job()),
        ranges_(workload::split_layers(model, plan)),
        state_(workload::state_bytes(plan.layer.precision, plan.optimizer, plan.layer.fp32_gradients)),
        stage_ranks_(static_cast<double>(plan.ranks()) / plan.pp) {
    for (int place = 0; place < plan.virtual_stages(); ++place)
      parts_.push_back(parts_of(place));
  }

  IterationLeast quick() {
    const double m = plan_.micro_batches();
    double before = 0.0, most = 0.0;
    // What earlier stages have still to do with the last micro-batch when a stage has passed it back.
    const bool drains = plan_.schedule != workload::PipelineSchedule::ZERO_BUBBLE;
    double behind = 0.0;
    for (int stage = 0; stage < plan_.pp; ++stage) {
      double own = 0.0;
      for (int chunk = 0; chunk < plan_.vpp; ++chunk)
        for (const auto kind : kinds()) {
          const auto& passage = step(chunk * plan_.pp + stage, kind, false, false);
          own += passage.seconds;
          joules_ += m * stage_ranks_ * passage.joules;
        }
      const double step_s = optimizer_seconds(stage);
      most = std::max(most, before + m * own + std::max(behind, step_s));
      before += step(stage, Kind::FORWARD, false, false).seconds;
      if (drains)
        behind += step(stage, Kind::BACKWARD, false, false).seconds;
    }
    return {most * ROUNDING, joules_ * ROUNDING};
  }

  IterationLeast full() {
    prepare();
    std::deque<int> work;
    for (int stage = 0; stage < plan_.pp; ++stage)
      work.push_back(stage);
    while (!work.empty()) {
      const int stage = work.front();
      work.pop_front();
      advance(stage, work);
    }
    const double end = last_end();
    return {end * ROUNDING, joules_ * ROUNDING};
  }

private:
  struct Stage {
    std::vector<PipelineStep> order;
    std::size_t next = 0;
    double ready = 0.0;     ///< for the next step or message
    double computed = 0.0;  ///< the last computing
    double data_free = 0.0; ///< stream of data parallelism
    PartBound forward_message, backward_message, gathered;
  };

  [[nodiscard]] RankGroups groups(int stage) { return {job_, job_.job().groupings, layout_.first_rank(stage)}; }

  std::vector<const BoundPart*> parts_of(int place) {
    const auto own = groups(place % plan_.pp);
    std::vector<const BoundPart*> parts;
    if (place == 0)
      parts.push_back(&book_.part(PartKind::EMBEDDING, 0, plan_, own));
    const auto& range = ranges_[static_cast<std::size_t>(place)];
    for (int layer = range.first; layer < range.end; ++layer) {
      const int kind = model_.layers[static_cast<std::size_t>(layer)];
      auto& known = layers_[{place % plan_.pp, kind}];
      if (known == nullptr)
        known = &book_.part(PartKind::LAYER, kind, plan_, own);
      parts.push_back(known);
    }
    if (place == plan_.virtual_stages() - 1)
      parts.push_back(&book_.part(PartKind::HEAD, 0, plan_, own));
    return parts;
  }

  [[nodiscard]] const std::vector<Kind>& kinds() const {
    static const std::vector<Kind> whole{Kind::FORWARD, Kind::BACKWARD};
    static const std::vector<Kind> halves{Kind::FORWARD, Kind::INPUT_GRADIENT, Kind::WEIGHT_GRADIENT};
    return plan_.schedule == workload::PipelineSchedule::ZERO_BUBBLE ? halves : whole;
  }

  /// Chunks of equal parts share their steps.
  const StepBound& step(int place, Kind kind, bool last, bool with_data) {
    const int stage = place % plan_.pp;
    // Groups of data parallelism of other stages may lie differently.
    auto& known = steps_[{parts_[static_cast<std::size_t>(place)], kind, last, with_data ? stage : -1}];
    if (!known) {
      const auto own = groups(stage);
      known = step_bound(book_, parts_[static_cast<std::size_t>(place)], {plan_, own, kind, last, with_data});
    }
    return *known;
  }

  workload::RankParameters parameters(int stage) {
    workload::RankParameters sum;
    for (int chunk = 0; chunk < plan_.vpp; ++chunk)
      for (const auto* part : parts_[static_cast<std::size_t>(chunk) * static_cast<std::size_t>(plan_.pp) +
                                     static_cast<std::size_t>(stage)]) {
        sum.shared += part->parameters.shared;
        sum.expert += part->parameters.expert;
      }
    return sum;
  }

  /// Its energy is added up.
  double optimizer_seconds(int stage) {
    const auto own = parameters(stage);
    const int expert_group = plan_.layer.cp * plan_.dp / plan_.layer.ep;
    const double updated = plan_.zero == 0 ? own.total() : own.shared / plan_.shards() + own.expert / expert_group;
    const auto bound = book_.optimizer(updated, state_, plan_.optimizer, layout_.first_rank(stage));
    joules_ += stage_ranks_ * bound.joules;
    return bound.seconds;
  }

  void prepare() {
    const auto& layer = plan_.layer;
    const double bytes = static_cast<double>(layer.tokens()) * static_cast<double>(model_.hidden) * state_.weight;
    const bool gathers = layer.tp > 1 && plan_.scatter_gather && !layer.sequence_parallel;
    const double message = layer.sequence_parallel || gathers ? bytes / layer.tp : bytes;
    for (int index = 0; index < plan_.pp; ++index) {
      auto& stage = stages_.emplace_back();
      stage.order = workload::pipeline_order(plan_.schedule, plan_.pp, index, plan_.micro_batches(), plan_.vpp);
    }
    if (plan_.pp > 1)
      for (int index = 0; index < plan_.pp; ++index) {
        auto& stage = stages_[static_cast<std::size_t>(index)];
        stage.forward_message = message_bound(index, (index + 1) % plan_.pp, message);
        stage.backward_message = message_bound(index, (index + plan_.pp - 1) % plan_.pp, message);
        if (gathers)
          stage.gathered =
              book_.collective(groups(index), TP_GROUPS, Dimension::PP, CollectiveKind::ALL_GATHER, message * layer.tp);
      }
    const auto places =
        static_cast<std::size_t>(plan_.virtual_stages()) * static_cast<std::size_t>(plan_.micro_batches());
    passes_.assign(static_cast<std::size_t>(plan_.virtual_stages()) * PASSES, nullptr);
    forward_arrival_.assign(places, NOT_YET);
    backward_arrival_.assign(places, NOT_YET);
  }

  /// From the begin of the sender's task: `seconds` until it has sent, `received` until the receiver has it all.
  PartBound message_bound(int from, int to, double bytes) {
    const auto grouping = job_.stages(from, to);
    auto sent = book_.collective(groups(from), grouping, Dimension::PP, CollectiveKind::BROADCAST, bytes);
    auto receiver = groups(to);
    receiver.rank = partner(grouping, layout_.first_rank(from));
    const auto received = book_.collective(receiver, grouping, Dimension::PP, CollectiveKind::BROADCAST, bytes);
    sent.received = sent.first_send + received.received;
    return sent;
  }

  [[nodiscard]] std::uint32_t partner(std::uint32_t grouping, std::uint32_t rank) {
    const auto& all = job_.job().groupings[grouping];
    const auto place = *all.place(rank);
    const auto& group = all.groups()[place.group];
    return group[group.size() - 1 - place.position];
  }

  [[nodiscard]] std::size_t at(int place, int micro_batch) const {
    return static_cast<std::size_t>(place) * static_cast<std::size_t>(plan_.micro_batches()) +
           static_cast<std::size_t>(micro_batch);
  }

  /// As far as the messages that have been sent allow.
  void advance(int index, std::deque<int>& work) {
    auto& stage = stages_[static_cast<std::size_t>(index)];
    const int last_place = plan_.virtual_stages() - 1;
    for (; stage.next < stage.order.size(); ++stage.next) {
      const auto& step = stage.order[stage.next];
      const int place = step.chunk * plan_.pp + index;
      const bool forward = step.kind == Kind::FORWARD;
      const bool talks = plan_.pp > 1 && step.kind != Kind::WEIGHT_GRADIENT;
      double begin = stage.ready;
      if (talks && place != (forward ? 0 : last_place)) {
        const double arrival = (forward ? forward_arrival_ : backward_arrival_)[at(place, step.micro_batch)];
        if (arrival == NOT_YET)
          return;
        begin = std::max(begin, arrival) + stage.gathered.seconds;
        joules_ += stage_ranks_ * stage.gathered.joules;
      }
      pass(stage, place, step, begin);
      if (talks && place != (forward ? last_place : 0)) {
        const auto& message = forward ? stage.forward_message : stage.backward_message;
        auto& arrivals = forward ? forward_arrival_ : backward_arrival_;
        const int next_place = forward ? place + 1 : place - 1;
        arrivals[at(next_place, step.micro_batch)] = stage.ready + message.received;
        joules_ += 2.0 * stage_ranks_ * message.joules; // a mean over both ends of each pair
        work.push_back(next_place % plan_.pp);
        if (!plan_.overlap_p2p)
          stage.ready += message.seconds;
      }
    }
  }

  void pass(Stage& stage, int place, const PipelineStep& step, double begin) {
    const bool last = step.micro_batch == plan_.micro_batches() - 1;
    auto& known =
        passes_[static_cast<std::size_t>(place) * PASSES + static_cast<std::size_t>(step.kind) * 2 + (last ? 1 : 0)];
    if (known == nullptr)
      known = &this->step(place, step.kind, last, true);
    const auto& bound = *known;
    for (const auto& data : bound.data)
      stage.data_free =
          (data.released ? std::max(stage.data_free, begin + *data.released) : stage.data_free) + data.seconds;
    joules_ += stage_ranks_ * bound.joules;
    stage.computed = begin + bound.computed;
    stage.ready = begin + bound.seconds;
  }

  double last_end() {
    double end = 0.0;
    for (int index = 0; index < plan_.pp; ++index)
      end = std::max(end, end_of(index));
    return end;
  }

  /// The rest of the gradients, the optimizer, and the parameters that it has changed.
  double end_of(int index) {
    const auto& stage = stages_[static_cast<std::size_t>(index)];
    const auto own = parameters(index);
    double data = stage.data_free;
    const auto reduce = [&](std::uint32_t grouping, CollectiveKind kind, double bytes, double released,
                            Dimension dimension = Dimension::DP) {
      const auto bound = book_.collective(groups(index), grouping, dimension, kind, std::floor(bytes));
      joules_ += stage_ranks_ * bound.joules;
      if (bound.seconds > 0.0)
        data = std::max(data, released) + bound.seconds;
    };
    if (!plan_.overlap_gradients) {
      const double shared = own.shared * state_.gradient;
      const auto kind = plan_.zero > 0 ? CollectiveKind::REDUCE_SCATTER : CollectiveKind::ALL_REDUCE;
      reduce(plan_.zero == 0 ? DP_GROUPS : SHARD_GROUPS, kind, shared, stage.computed);
      if (plan_.zero > 0)
        reduce(REPLICA_GROUPS, CollectiveKind::ALL_REDUCE, shared / plan_.shards(), stage.computed);
      reduce(EXPERT_DP_GROUPS, kind, own.expert * state_.gradient, stage.computed);
    }
    if (model_.tied_embeddings && plan_.pp > 1 && (index == 0 || index == plan_.pp - 1)) {
      const auto weights = workload::on_rank(workload::embedding_weights(model_), plan_.layer.tp, plan_.layer.ep);
      reduce(job_.stages(0, plan_.pp - 1), CollectiveKind::ALL_REDUCE, weights.total() * state_.gradient,
             stage.computed, Dimension::PP);
    }
    const double updated = std::max(stage.ready, data) + optimizer_seconds(index);
    data = updated;
    if (plan_.zero == 1 || plan_.zero == 2) {
      reduce(SHARD_GROUPS, CollectiveKind::ALL_GATHER, own.shared * state_.weight, updated);
      reduce(EXPERT_DP_GROUPS, CollectiveKind::ALL_GATHER, own.expert * state_.weight, updated);
    }
    return data;
  }

  using StepKey = std::tuple<std::vector<const BoundPart*>, Kind, bool, int>;

  PartBook& book_;
  const model::LanguageModel& model_;
  const ParallelPlan& plan_;
  RankLayout& layout_;
  JobMaker& job_;
  std::vector<workload::LayerRange> ranges_;
  workload::StateBytes state_;
  double stage_ranks_;
  double joules_ = 0.0;
  std::map<std::pair<int, int>, const BoundPart*> layers_; ///< by stage and kind
  std::vector<std::vector<const BoundPart*>> parts_;       ///< of each virtual stage
  std::map<StepKey, std::optional<StepBound>> steps_;
  std::vector<const StepBound*> passes_; ///< by virtual stage, kind, and whether it is the last micro-batch
  std::vector<Stage> stages_;
  std::vector<double> forward_arrival_, backward_arrival_; ///< by virtual stage and micro-batch
};

} // namespace

IterationLeast quick_bound(PartBook& book, const model::LanguageModel& model, const ParallelPlan& plan) {
  return IterationBound(book, model, plan).quick();
}

IterationLeast full_bound(PartBook& book, const model::LanguageModel& model, const ParallelPlan& plan) {
  return IterationBound(book, model, plan).full();
}

} // namespace tandem::study
