// The main loop of a GPU's actor: what is ready starts, what has ended lets others start.
#include "engine/executor.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>

namespace tandem::engine {

using model::OpKind;

SharedSchedule::SharedSchedule(const model::Schedule& described) : schedule(described), bytes(described) {
  for (const auto& program : described.programs)
    indices.emplace_back(described, program);
}

Executor::Executor(World& world, int rank, double start_s)
    : world_(world), rank_(rank), start_s_(start_s), arbiter_(world.machine.device(rank)) {}

void Executor::run() {
  try {
    if (start_s_ > 0.0)
      sg4::this_actor::sleep_for(start_s_);
    for (auto& shared : world_.sequence) {
      begin_schedule(shared);
      play_schedule();
      if (remaining_ > 0)
        return; // stuck: play() reports it
      items_.push_back(meter_.end_item(sg4::Engine::get_clock()));
      for (std::size_t resource = 0; resource < slots_.size(); ++resource)
        resources_.push_back({schedule_->resources[resource].name, schedule_->resources[resource].capacity,
                              slots_[resource].peak(), slots_[resource].spills()});
      ++item_;
    }
    finished_ = true;
    while (!flights_.empty()) // posted writes: SimGrid would cancel them with their actor
      ended(static_cast<std::size_t>(sg4::Activity::wait_any(flights_)));
  } catch (const std::exception& error) {
    // An exception that leaves an actor would abort the process.
    if (world_.failure.empty())
      world_.failure = fmt::format("rank {}: {}", rank_, error.what());
  }
}

void Executor::begin_schedule(SharedSchedule& shared) {
  shared_ = &shared;
  schedule_ = &shared.schedule;
  const std::size_t which = schedule_->program_of.empty() ? 0 : schedule_->program_of[static_cast<std::size_t>(rank_)];
  program_ = &schedule_->programs[which];
  index_ = &shared.indices[which];
  remaining_ = program_->ops.size();
  states_.assign(remaining_, {});
  for (std::size_t op = 0; op < remaining_; ++op)
    states_[op].waiting = program_->dag.in_degrees()[op];
  kernel_traffic_s_ = 0.0;
  arbiter_.set_policy(schedule_->arbitration);
  meter_.begin_item(sg4::Engine::get_clock());

  slots_.clear();
  for (std::size_t resource = 0; resource < schedule_->resources.size(); ++resource)
    slots_.emplace_back(schedule_->resources[resource], index_->acquirers[resource]);
  outgoing_.clear();
  outgoing_.reserve(index_->outgoing.size());
  for (const auto& order : index_->outgoing) {
    auto& channel = outgoing_.emplace_back();
    channel.peer = schedule_->peer(rank_, order.peer);
    channel.mailbox = sg4::Mailbox::by_name(fmt::format("{}>{}:{}", rank_, channel.peer, order.channel));
    channel.path = &world_.machine.path(rank_, channel.peer);
    channel.hop = hop_over(*channel.path);
    for (auto& message : channel.messages)
      message = &messages_.emplace_back();
  }
  incoming_.clear();
  incoming_.reserve(index_->incoming.size());
  for (const auto& order : index_->incoming) {
    auto& channel = incoming_.emplace_back();
    channel.peer = schedule_->peer(rank_, order.peer);
    channel.mailbox = sg4::Mailbox::by_name(fmt::format("{}>{}:{}", channel.peer, rank_, order.channel));
    const auto& path = world_.machine.path(channel.peer, rank_);
    channel.latency_s = path.latency_s + hop_over(path).latency.value();
  }
  for (std::uint32_t op = 0; op < states_.size(); ++op)
    if (states_[op].waiting == 0)
      ready_.push_back(op);
}

model::Protocol::Hop Executor::hop_over(const Path& path) const {
  return schedule_->protocol ? schedule_->protocol->over(path.medium) : model::Protocol::Hop{};
}

void Executor::play_schedule() {
  while (true) {
    std::size_t next = 0;
    while (next < ready_.size()) // it grows on the way
      ready(ready_[next++]);
    ready_.clear();
    if (remaining_ == 0 || flights_.empty())
      return;
    wait_for_event();
  }
}

void Executor::wait_for_event() {
  // What another actor has waited for too, and first, needs no call into SimGrid.
  for (std::size_t flight = 0; flight < flights_.size(); ++flight)
    if (flights_[flight]->get_state() == sg4::Activity::State::FINISHED) {
      ended(flight);
      return;
    }
  ended(static_cast<std::size_t>(sg4::Activity::wait_any(flights_)));
}

void Executor::ended(std::size_t flight) {
  const auto meaning = meanings_[flight];
  if (meaning.arbiter != nullptr)
    meaning.arbiter->remove(boost::static_pointer_cast<sg4::Exec>(flights_[flight]));
  if (meaning.slot != nullptr && *meaning.slot == flights_[flight]) // else the slot serves a later message by now
    meaning.slot->reset();
  flights_[flight].swap(flights_.back());
  flights_.pop_back();
  meanings_[flight] = meanings_.back();
  meanings_.pop_back();
  switch (meaning.waits) {
  case Waits::OP_DELAY:
    begin(meaning.index);
    break;
  case Waits::OP_PART:
  case Waits::ARRIVAL_PART:
    part_done(meaning.index);
    break;
  case Waits::MESSAGE:
    arrived(meaning.index);
    break;
  case Waits::LATENCY:
    complete(meaning.index);
    break;
  case Waits::NOTHING:
    break;
  }
}

void Executor::ready(std::uint32_t op) {
  const auto& described = program_->ops[op];
  states_[op].state = State::QUEUED;
  states_[op].began_s = sg4::Engine::get_clock();
  if (described.acquires < 0) {
    launch(op);
    return;
  }
  const auto resource = static_cast<std::size_t>(described.acquires);
  if (schedule_->resources[resource].when_full == model::WhenFull::SPILL) {
    if (!slots_[resource].take())
      spill(resource);
    launch(op);
    return;
  }
  slots_[resource].request(op);
  grant_slots(resource);
}

void Executor::grant_slots(std::size_t resource) {
  std::uint32_t op = 0;
  while (slots_[resource].grant(op))
    launch(op);
}

void Executor::launch(std::uint32_t op) {
  const auto& described = program_->ops[op];
  if (described.delay.value() <= 0.0) {
    begin(op);
    return;
  }
  const double now = sg4::Engine::get_clock();
  states_[op].state = State::RUNNING;
  states_[op].began_s = now;
  meter_.start(described, now);
  delay(described.delay.value(), {Waits::OP_DELAY, op, nullptr, nullptr});
}

void Executor::begin(std::uint32_t op) {
  const auto& described = program_->ops[op];
  switch (described.kind) {
  case OpKind::WORK:
    begin_work(op);
    break;
  case OpKind::TRANSFER:
    states_[op].state = State::QUEUED;
    if (described.delay.value() > 0.0)
      meter_.stop(described, sg4::Engine::get_clock());
    states_[op].parts = 1;
    begin_transfers(index_->channel_of[op]);
    break;
  case OpKind::RECV:
    states_[op].parts = 1;
    post_receive(index_->channel_of[op]);
    break;
  case OpKind::TRIGGER:
    if (described.delay.value() <= 0.0) {
      states_[op].began_s = sg4::Engine::get_clock();
      meter_.start(described, states_[op].began_s);
    }
    complete(op);
    break;
  }
}

void Executor::part_done(std::uint32_t op) {
  if (--states_[op].parts > 0)
    return;
  const auto& described = program_->ops[op];
  if (described.kind == OpKind::RECV) {
    const double latency = incoming_[index_->channel_of[op]].latency_s;
    if (latency > 0.0)
      delay(latency, {Waits::LATENCY, op, nullptr, nullptr});
    else
      complete(op);
    return;
  }
  complete(op);
  if (described.kind == OpKind::TRANSFER) {
    auto& channel = outgoing_[index_->channel_of[op]];
    channel.busy = false;
    ++channel.next;
    begin_transfers(index_->channel_of[op]);
  }
}

void Executor::complete(std::uint32_t op) {
  const auto& described = program_->ops[op];
  const double now = sg4::Engine::get_clock();
  meter_.stop(described, now);
  states_[op].state = State::DONE;
  --remaining_;
  if (world_.record_ops)
    records_.push_back({static_cast<std::uint32_t>(rank_), item_, op, states_[op].began_s, now});
  if (described.first_stage_end)
    choose_threshold();
  if (described.kind == OpKind::TRIGGER && schedule_->tracker)
    slots_[static_cast<std::size_t>(*schedule_->tracker)].release();
  if (described.releases >= 0) {
    slots_[static_cast<std::size_t>(described.releases)].release();
    grant_slots(static_cast<std::size_t>(described.releases));
  }
  for (const auto successor : program_->dag.successors(op)) {
    const bool first_event = states_[successor].waiting == program_->dag.in_degrees()[successor];
    if (first_event && schedule_->tracker && program_->ops[successor].kind == OpKind::TRIGGER) {
      const auto tracker = static_cast<std::size_t>(*schedule_->tracker);
      if (!slots_[tracker].take())
        spill(tracker);
    }
    if (--states_[successor].waiting == 0)
      ready_.push_back(successor);
  }
}

void Executor::choose_threshold() {
  const double elapsed = sg4::Engine::get_clock() - kernel_began_s_;
  intensity_ = elapsed > 0.0 ? kernel_traffic_s_ / elapsed : 0.0;
  if (schedule_->arbitration == model::Arbitration::COMPUTE_FIRST)
    arbiter_.choose_threshold(intensity_);
}

void Executor::report(model::Recording& recording) const {
  for (std::size_t item = 0; item < items_.size(); ++item)
    recording.items[item].push_back(items_[item]);
  recording.dram.push_back(dram_);
  recording.message_bytes += message_bytes_;
  recording.wire_bytes += wire_bytes_;
  recording.wire_hop_bytes += wire_hop_bytes_;
  recording.activities += activities_;
  recording.ops.insert(recording.ops.end(), records_.begin(), records_.end());
  for (const auto& use : resources_) {
    const auto same = [&](const model::ResourceUse& other) { return other.name == use.name; };
    const auto known = std::find_if(recording.resources.begin(), recording.resources.end(), same);
    if (known == recording.resources.end()) {
      recording.resources.push_back(use);
      continue;
    }
    known->peak = std::max(known->peak, use.peak);
    known->spills += use.spills;
  }
  if (rank_ == 0) {
    recording.memory_intensity = intensity_;
    recording.queue_threshold = arbiter_.threshold();
  }
}

std::vector<std::string> Executor::stuck(std::size_t limit) const {
  std::vector<std::string> lines;
  for (std::uint32_t op = 0; op < states_.size() && lines.size() < limit; ++op) {
    const auto& described = program_->ops[op];
    if (states_[op].state != State::RUNNING && states_[op].state != State::QUEUED)
      continue;
    const auto& label = schedule_->labels[described.label];
    const double bytes = span_bytes(described);
    const int peer = schedule_->peer(rank_, described.peer);
    const double since = states_[op].began_s;
    if (states_[op].state == State::QUEUED && states_[op].parts == 0 && described.acquires >= 0)
      lines.push_back(fmt::format("rank {}: {} waits for a slot of '{}' (since {:.9g} s)", rank_, label,
                                  schedule_->resources[static_cast<std::size_t>(described.acquires)].name, since));
    else if (described.kind == OpKind::RECV)
      lines.push_back(fmt::format("rank {}: {} waits to receive {:.0f} B from rank {} (since {:.9g} s)", rank_, label,
                                  bytes, peer, since));
    else
      lines.push_back(fmt::format("rank {}: {} waits to send {:.0f} B to rank {} (since {:.9g} s)", rank_, label, bytes,
                                  peer, since));
  }
  if (lines.empty() && !finished_)
    lines.push_back(fmt::format("rank {}: {} operations wait for dependencies that never end", rank_, remaining_));
  return lines;
}

} // namespace tandem::engine
