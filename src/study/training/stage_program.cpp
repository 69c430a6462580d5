// Micro-batches forward and backward, and what a stage hands to its neighbours.
#include "study/training/stage_program.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::study {

using model::Bytes;
using model::CollectiveKind;
using model::Dimension;
using model::MemoryChange;
using StepKind = workload::PipelineStep::Kind;

StageProgram::StageProgram(const TrainingInputs& inputs, int stage, std::uint32_t rank)
    : inputs_(inputs), plan_(inputs.plan), stage_(stage), rank_(rank),
      state_(workload::state_bytes(plan_.layer.precision, plan_.optimizer, plan_.layer.fp32_gradients)) {
  const auto& layer = plan_.layer;
  if (const auto* transformer = std::get_if<model::LanguageModel>(&inputs.model)) { // others have one stage
    const double bytes = static_cast<double>(layer.tokens()) * static_cast<double>(transformer->hidden) * state_.weight;
    gathers_message_ = layer.tp > 1 && plan_.scatter_gather && !layer.sequence_parallel;
    message_bytes_ = layer.sequence_parallel || gathers_message_ ? bytes / layer.tp : bytes;
  }
  prepare();
}

void StageProgram::prepare() {
  for (int chunk = 0; chunk < plan_.vpp; ++chunk) {
    const auto first = parts_.size();
    for (const auto& part : workload::model_parts(inputs_.model, plan_, virtual_stage(chunk)))
      parts_.push_back(make_part(part));
    chunks_.emplace_back(first, parts_.size());
  }
}

StageProgram::Part StageProgram::make_part(const workload::ModelPart& described) {
  const auto backward = plan_.overlap_tp ? described.backward : without_overlap(described.backward, "tp");
  const auto group_of = [this](const std::string& dimension) {
    const auto grouping = dimension == "tp" ? TP_GROUPS : dimension == "cp" ? CP_GROUPS : EP_GROUPS;
    return GroupUse{grouping, &members(grouping)};
  };
  StepTasks tasks(inputs_.book, ALONE, group_of);
  for (const auto* steps : {&described.forward, &backward})
    for (const auto& step : *steps)
      if (const auto* kernel = std::get_if<model::Kernel>(&step))
        flops_ += kernel->nominal_flops.value();
  Part part;
  part.name = described.name;
  part.kept = described.memory.kept.value();
  part.recomputed = described.memory.recomputed.value();
  part.parameters = described.parameters;
  part.forward = tasks.make("forward", described.forward);
  const bool apart = plan_.schedule == workload::PipelineSchedule::ZERO_BUBBLE;
  part.backward = tasks.make("backward", apart ? without_weight_gradients(backward) : backward);
  if (apart)
    part.weights = tasks.make("weight gradients", weight_gradients(backward));
  return part;
}

model::TaskProgram StageProgram::make() {
  const auto order = workload::pipeline_order(plan_.schedule, plan_.pp, stage_, plan_.micro_batches(), plan_.vpp);
  for (int iteration = 0; iteration < inputs_.iterations; ++iteration) {
    await_input(iteration + 1 == inputs_.iterations);
    for (const auto& step : order) {
      const bool last = step.micro_batch == plan_.micro_batches() - 1;
      if (step.kind == StepKind::FORWARD)
        pass_forward(step);
      else if (step.kind == StepKind::WEIGHT_GRADIENT)
        pass_weights(step, last);
      else
        pass_backward(step, last);
    }
    update();
  }
  auto program = program_.build();
  const auto own = parameters();
  const double shared = own.shared, expert = own.expert;
  const int shards = plan_.shards();
  const int expert_shards = plan_.zero == 0 ? 1 : static_cast<int>(members(EXPERT_DP_GROUPS).size());
  const auto held = [&](double bytes, int from_zero) {
    const bool sharded = plan_.zero >= from_zero;
    return bytes * (sharded ? shared / shards + expert / expert_shards : shared + expert);
  };
  program.memory_at_start = {Bytes(held(state_.weight, 3) + own.tables * state_.weight),
                             Bytes(held(state_.gradient, 2)),
                             Bytes(held(state_.optimizer(), 1) + own.tables * state_.moments), Bytes(0.0), Bytes(0.0)};
  return program;
}

std::uint32_t StageProgram::load_input() {
  return add({.schedule = inputs_.book.waiting("input", plan_.input_time),
              .grouping = ALONE,
              .stream = INPUT,
              .lane = INPUT,
              .name = inputs_.job.name("input")},
             last_compute_ ? std::vector{*last_compute_} : std::vector<std::uint32_t>());
}

void StageProgram::await_input(bool last_iteration) {
  if (plan_.input_time.value() <= 0.0 || stage_ > 0)
    return;
  awaited_.push_back(next_input_ ? *next_input_ : load_input());
  next_input_.reset();
  if (plan_.prefetch_input && !last_iteration)
    next_input_ = load_input(); // from the end of the iteration before on: one iteration's samples wait at most
}

workload::RankParameters StageProgram::parameters() const {
  workload::RankParameters sum;
  for (const auto& part : parts_) {
    sum.shared += part.parameters.shared;
    sum.expert += part.parameters.expert;
    sum.tables += part.parameters.tables;
  }
  return sum;
}

std::uint32_t StageProgram::add(const model::Task& task, const std::vector<std::uint32_t>& after) {
  auto placed = task;
  if (plan_.one_stream && task.stream != COMPUTE && task.stream != INPUT)
    placed.stream = DP;
  const auto id = program_.add(placed, after);
  if (task.stream == COMPUTE) {
    last_compute_ = id;
    awaited_.clear();
  }
  return id;
}

void StageProgram::append(const TaskTemplate& made, std::vector<std::uint32_t>& names, const std::string& prefix,
                          int micro_batch, const std::vector<MemoryChange>& begin,
                          const std::vector<MemoryChange>& end) {
  if (names.empty())
    for (const auto& entry : made.tasks)
      names.push_back(inputs_.job.name(prefix + " " + entry.name));
  const auto base = program_.size();
  bool computes = false;
  for (std::size_t i = 0; i < made.tasks.size(); ++i) {
    auto task = made.tasks[i].task;
    task.name = names[i];
    task.micro_batch = micro_batch;
    const bool first = i == 0, last = i + 1 == made.tasks.size();
    task.memory =
        inputs_.job.memory(first ? begin : std::vector<MemoryChange>(), last ? end : std::vector<MemoryChange>());
    std::vector<std::uint32_t> after;
    for (const auto on : made.tasks[i].after)
      after.push_back(base + on);
    if (!computes) { // what comes before the first computing waits as that does
      after.insert(after.end(), awaited_.begin(), awaited_.end());
      if (task.stream != COMPUTE && last_compute_)
        after.push_back(*last_compute_);
      computes = task.stream == COMPUTE;
    }
    add(task, after);
  }
  for (const auto task : made.ends)
    awaited_.push_back(base + task);
  for (const auto& [task, part] : made.held)
    held_.emplace_back(base + task, part);
}

void StageProgram::await_held(const std::string& part) {
  for (const auto& [task, needed_by] : held_)
    if (needed_by == part)
      awaited_.push_back(task);
  std::erase_if(held_, [&](const auto& entry) { return entry.second == part; });
}

std::vector<std::size_t> StageProgram::parts_of(int chunk) const {
  std::vector<std::size_t> list;
  for (auto part = chunks_[static_cast<std::size_t>(chunk)].first;
       part < chunks_[static_cast<std::size_t>(chunk)].second; ++part)
    list.push_back(part);
  return list;
}

std::vector<std::size_t> StageProgram::parts_backwards(int chunk) const {
  auto list = parts_of(chunk);
  std::reverse(list.begin(), list.end());
  return list;
}

void StageProgram::pass_forward(const workload::PipelineStep& step) {
  const int place = virtual_stage(step.chunk);
  if (place > 0 && plan_.pp > 1)
    receive((stage_ + plan_.pp - 1) % plan_.pp, PP_FORWARD_IN, step.micro_batch);
  const auto parts = parts_of(step.chunk);
  for (const auto index : parts) {
    auto& part = parts_[index];
    gather_parameters(index, index == parts.back() ? std::nullopt : std::optional(index + 1));
    await_held(part.name);
    append(part.forward, part.forward_names, part.name, step.micro_batch, {{model::ACTIVATIONS, Bytes(part.kept)}},
           gathers_parameters()
               ? std::vector<MemoryChange>{{model::BUFFERS, Bytes(-part.parameters.total() * state_.weight)}}
               : std::vector<MemoryChange>());
  }
  if (place < plan_.virtual_stages() - 1 && plan_.pp > 1)
    send((stage_ + 1) % plan_.pp, PP_FORWARD_OUT, step.micro_batch);
}

void StageProgram::pass_backward(const workload::PipelineStep& step, bool last) {
  const int place = virtual_stage(step.chunk);
  if (place < plan_.virtual_stages() - 1 && plan_.pp > 1)
    receive((stage_ + 1) % plan_.pp, PP_BACKWARD_IN, step.micro_batch);
  const bool whole = step.kind == StepKind::BACKWARD;
  const auto first = chunks_[static_cast<std::size_t>(step.chunk)].first;
  for (const auto index : parts_backwards(step.chunk)) {
    auto& part = parts_[index];
    gather_parameters(index, index == first ? std::nullopt : std::optional(index - 1));
    std::vector<MemoryChange> end{{model::ACTIVATIONS, Bytes(-part.recomputed)}};
    if (whole)
      end.push_back({model::ACTIVATIONS, Bytes(-part.kept)});
    if (gathers_parameters())
      end.push_back({model::BUFFERS, Bytes(-part.parameters.total() * state_.weight)});
    await_held(part.name);
    append(part.backward, part.backward_names, part.name, step.micro_batch,
           {{model::ACTIVATIONS, Bytes(part.recomputed)}}, end);
    if (whole)
      gradients_ready(part, last);
  }
  if (place > 0 && plan_.pp > 1)
    send((stage_ + plan_.pp - 1) % plan_.pp, PP_BACKWARD_OUT, step.micro_batch);
  if (whole)
    flush_gradients(last);
}

void StageProgram::pass_weights(const workload::PipelineStep& step, bool last) {
  for (const auto index : parts_backwards(step.chunk)) {
    auto& part = parts_[index];
    append(part.weights, part.weights_names, part.name, step.micro_batch, {},
           {{model::ACTIVATIONS, Bytes(-part.kept)}});
    gradients_ready(part, last);
  }
  flush_gradients(last);
}

namespace {

/// Messages of the two directions have lanes of their own.
std::uint16_t is_backward(StreamId stream) {
  return stream == PP_BACKWARD_IN || stream == PP_BACKWARD_OUT ? 1 : 0;
}

} // namespace

std::uint32_t StageProgram::communicate(model::Task task, CollectiveKind kind, double bytes,
                                        const std::vector<std::uint32_t>& after) {
  const auto& group = members(task.grouping);
  task.schedule =
      inputs_.book
          .collective({.dimension = task.dimension,
                       .op = {.kind = kind, .ranks = static_cast<int>(group.size()), .bytes = Bytes(bytes)}},
                      group)
          .schedule;
  return add(task, after);
}

std::vector<std::uint32_t> StageProgram::all_before() const {
  auto before = awaited_;
  if (last_compute_)
    before.push_back(*last_compute_);
  return before;
}

void StageProgram::receive(int from, StreamId stream, int micro_batch) {
  awaited_.push_back(communicate({.grouping = inputs_.job.stages(from, stage_),
                                  .stream = stream,
                                  .lane = is_backward(stream),
                                  .name = inputs_.job.name(fmt::format("from stage {}", from)),
                                  .dimension = Dimension::PP,
                                  .micro_batch = micro_batch,
                                  .host_waits = !plan_.overlap_p2p}, // torch.cuda.synchronize() in its communication
                                 CollectiveKind::BROADCAST, message_bytes_, {}));
  gather_message();
}

/// Each rank of a tensor-parallel group has received its part of the message.
void StageProgram::gather_message() {
  if (!gathers_message_)
    return;
  awaited_.push_back(communicate({.grouping = TP_GROUPS,
                                  .stream = TP,
                                  .lane = TP,
                                  .name = inputs_.job.name("gather of a message between stages"),
                                  .dimension = Dimension::PP},
                                 CollectiveKind::ALL_GATHER, message_bytes_ * plan_.layer.tp, all_before()));
}

void StageProgram::send(int to, StreamId stream, int micro_batch) {
  const auto sent = communicate({.grouping = inputs_.job.stages(stage_, to),
                                 .stream = stream,
                                 .lane = is_backward(stream),
                                 .name = inputs_.job.name(fmt::format("to stage {}", to)),
                                 .dimension = Dimension::PP,
                                 .micro_batch = micro_batch},
                                CollectiveKind::BROADCAST, message_bytes_, all_before());
  if (!plan_.overlap_p2p)
    awaited_.push_back(sent);
}

} // namespace tandem::study
