// Cuts steps into blocks where the set of collectives that a kernel needs changes.
#include "study/training/step_tasks.h"

#include "base/error.h"

#include <algorithm>

namespace tandem::study {

using model::Communication;
using model::Dimension;
using model::Kernel;
using model::Purpose;

const std::vector<std::string>& stream_names() {
  static const std::vector<std::string> names{
      "compute",         "tp",   "cp", "ep", "dp", "pp forward, out", "pp forward, in", "pp backward, out",
      "pp backward, in", "input"};
  return names;
}

namespace {

Purpose purpose_of(model::Pass pass) {
  switch (pass) {
  case model::Pass::FORWARD:
    return Purpose::FORWARD;
  case model::Pass::RECOMPUTE:
    return Purpose::RECOMPUTE;
  case model::Pass::BACKWARD:
    return Purpose::BACKWARD;
  case model::Pass::UPDATE:
    return Purpose::OPTIMIZER;
  }
  throw base::Bug("a pass without a purpose");
}

std::pair<Dimension, StreamId> lane_of(const std::string& dimension) {
  if (dimension == "tp")
    return {Dimension::TP, TP};
  if (dimension == "cp")
    return {Dimension::CP, CP};
  if (dimension == "ep")
    return {Dimension::EP, EP};
  if (dimension == "dp")
    return {Dimension::DP, DP};
  throw base::Bug("communication of dimension '" + dimension + "'");
}

} // namespace

class StepTasks::Maker {
public:
  Maker(StepTasks& owner, std::string name) : owner_(owner), name_(std::move(name)) {}

  void operator()(const Kernel& kernel) {
    const auto due = take_due();
    if (!block_.empty() && (!due.empty() || block_.back().pass != kernel.pass))
      end_block();
    block_after_.insert(block_after_.end(), due.begin(), due.end());
    block_.push_back(kernel);
    for (auto& pending : pending_)
      --pending.independent;
  }

  void operator()(const Communication& communication) {
    const auto group = owner_.group_of_(communication.dimension);
    const auto [dimension, stream] = lane_of(communication.dimension);
    auto use = use_of(communication, group);
    if (!block_.empty() && block_.back().gemm && block_.back().launches == 1)
      use.producer = block_.back().gemm;
    const auto entry = owner_.book_.collective(use, *group.members);
    auto after = take_due();
    if (entry.fused) { // the GEMM runs in the collective's schedule, and what follows waits for it
      const auto gemm = block_.back();
      block_.pop_back();
      if (block_.empty())
        after.insert(after.end(), block_after_.begin(), block_after_.end());
      end_block();
      add_fused(entry.schedule, group, communication, gemm.pass, gemm.name + " with " + communication.name, after);
      return;
    }
    end_block();
    if (last_compute_)
      after.push_back(*last_compute_);
    add({.schedule = entry.schedule,
         .grouping = group.grouping,
         .stream = stream,
         .lane = stream,
         .dimension = dimension,
         .purpose = purpose_of(communication.pass)},
        communication.name, after);
    if (communication.until.empty())
      pending_.push_back({last(), communication.independent});
    else
      made_.held.emplace_back(last(), communication.until);
  }

  /// Both as one schedule, where the dimension's strategy can: an all-gather that the GEMM behind it awaits.
  bool gather_into(const Communication& communication, const Kernel& kernel) {
    const auto group = owner_.group_of_(communication.dimension);
    auto use = use_of(communication, group);
    use.consumer = kernel.gemm;
    if (!owner_.book_.fuses(use, *group.members))
      return false;
    const auto after = take_due();
    end_block();
    add_fused(owner_.book_.collective(use, *group.members).schedule, group, communication, kernel.pass,
              communication.name + " with " + kernel.name, after);
    for (auto& pending : pending_)
      --pending.independent;
    return true;
  }

  TaskTemplate take() {
    end_block();
    for (const auto& pending : pending_)
      made_.ends.push_back(pending.task);
    return std::move(made_);
  }

private:
  struct Pending {
    std::uint32_t task;
    int independent; ///< kernels that may still begin before it is done
  };

  static CollectiveUse use_of(const Communication& communication, const GroupUse& group) {
    CollectiveUse use;
    use.dimension = lane_of(communication.dimension).first;
    use.op.kind = communication.kind;
    use.op.ranks = static_cast<int>(group.members->size());
    use.op.bytes = communication.bytes;
    return use;
  }

  /// A collective and a GEMM as one schedule, on the stream of the kernels.
  void add_fused(std::uint32_t schedule, const GroupUse& group, const Communication& communication, model::Pass pass,
                 const std::string& name, const std::vector<std::uint32_t>& after) {
    const auto [dimension, stream] = lane_of(communication.dimension);
    add({.schedule = schedule,
         .grouping = group.grouping,
         .stream = COMPUTE,
         .lane = stream,
         .dimension = dimension,
         .purpose = purpose_of(pass)},
        name, after);
    last_compute_ = last();
  }

  /// Collectives that the next step needs.
  std::vector<std::uint32_t> take_due() {
    std::vector<std::uint32_t> due;
    for (const auto& pending : pending_)
      if (pending.independent <= 0)
        due.push_back(pending.task);
    std::erase_if(pending_, [](const Pending& pending) { return pending.independent <= 0; });
    return due;
  }

  void end_block() {
    if (!block_.empty()) {
      add({.schedule = owner_.book_.kernels(block_),
           .grouping = owner_.alone_,
           .stream = COMPUTE,
           .purpose = purpose_of(block_.front().pass)},
          name_of_block(block_), block_after_);
      last_compute_ = last();
    }
    block_.clear();
    block_after_.clear();
  }

  void add(const model::Task& task, const std::string& name, const std::vector<std::uint32_t>& after) {
    made_.tasks.push_back({task, name_ + ": " + name, after});
  }
  [[nodiscard]] std::uint32_t last() const { return static_cast<std::uint32_t>(made_.tasks.size() - 1); }

  StepTasks& owner_;
  std::string name_;
  TaskTemplate made_;
  std::vector<Kernel> block_;
  std::vector<std::uint32_t> block_after_;
  std::optional<std::uint32_t> last_compute_;
  std::vector<Pending> pending_;
};

namespace {

bool is_awaited_gather(const model::Step& step) {
  const auto* communication = std::get_if<Communication>(&step);
  return communication != nullptr && communication->kind == model::CollectiveKind::ALL_GATHER &&
         communication->independent == 0;
}

/// A single GEMM whose rows are what is gathered.
bool reads_it(const model::Step& step, const model::Step& gather) {
  const auto* kernel = std::get_if<Kernel>(&step);
  if (kernel == nullptr || !kernel->gemm || kernel->launches != 1 || kernel->gemm->batch != 1)
    return false;
  return kernel->gemm->input() == std::get<Communication>(gather).bytes;
}

} // namespace

TaskTemplate StepTasks::make(const std::string& name, const model::Steps& steps) {
  Maker maker(*this, name);
  for (auto step = steps.begin(); step != steps.end(); ++step) {
    const auto next = std::next(step);
    if (next != steps.end() && is_awaited_gather(*step) && reads_it(*next, *step) &&
        maker.gather_into(std::get<Communication>(*step), std::get<Kernel>(*next)))
      step = next;
    else
      std::visit(maker, *step);
  }
  return maker.take();
}

namespace {

bool makes_weight_gradient(const model::Step& step) {
  const auto* kernel = std::get_if<Kernel>(&step);
  return kernel != nullptr && kernel->gradient == model::Gradient::WEIGHT;
}

} // namespace

model::Steps without_weight_gradients(const model::Steps& steps) {
  model::Steps kept;
  std::vector<std::pair<std::size_t, int>> open; // communication in `kept`, kernels of its that are still to come
  for (const auto& step : steps) {
    const bool is_kernel = std::holds_alternative<Kernel>(step);
    const bool dropped = makes_weight_gradient(step);
    if (is_kernel)
      for (auto& [place, left] : open) {
        if (left > 0 && dropped)
          --std::get<Communication>(kept[place]).independent;
        --left;
      }
    if (dropped)
      continue;
    kept.push_back(step);
    if (!is_kernel)
      open.emplace_back(kept.size() - 1, std::get<Communication>(step).independent);
  }
  return kept;
}

model::Steps without_overlap(const model::Steps& steps, const std::string& dimension) {
  auto awaited = steps;
  for (auto& step : awaited)
    if (auto* communication = std::get_if<Communication>(&step); communication != nullptr)
      if (communication->dimension == dimension)
        communication->independent = 0;
  return awaited;
}

model::Steps weight_gradients(const model::Steps& steps) {
  model::Steps kept;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(kept), makes_weight_gradient);
  return kept;
}

} // namespace tandem::study
