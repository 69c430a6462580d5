// The order of a schedule's operations on one rank: what is ready starts, what has ended lets others start.
#include "engine/player.h"

#include "engine/executor.h"
#include "engine/world.h"

#include <fmt/format.h>

namespace tandem::engine {

using model::OpKind;

void Player::begin(std::uint32_t task, const model::Task& described, const SharedSchedule& shared, std::uint32_t lane,
                   std::uint32_t position, const std::vector<std::uint32_t>& members) {
  task_ = task;
  described_ = &described;
  shared_ = &shared;
  schedule_ = &shared.schedule;
  position_ = static_cast<int>(position);
  members_ = &members;
  const std::size_t which = schedule_->program_of.empty() ? 0 : schedule_->program_of[position];
  program_ = &schedule_->programs[which];
  index_ = &shared.indices[which];
  remaining_ = program_->ops.size();
  states_.assign(remaining_, {});
  for (std::size_t op = 0; op < remaining_; ++op)
    states_[op].waiting = program_->dag.in_degrees()[op];
  kernel_traffic_s_ = 0.0;
  meter_.begin_item(sg4::Engine::get_clock());
  slots_.clear();
  for (std::size_t resource = 0; resource < schedule_->resources.size(); ++resource)
    slots_.emplace_back(schedule_->resources[resource], index_->acquirers[resource]);
  open_channels(lane);
  for (std::uint32_t op = 0; op < states_.size(); ++op)
    if (states_[op].waiting == 0)
      ready_.push_back(op);
}

void Player::open_channels(std::uint32_t lane) {
  const auto key = [&](const ChannelOrder& order) {
    return ChannelKey{lane, static_cast<std::uint32_t>(order.peer), order.channel};
  };
  outgoing_.clear();
  for (const auto& order : index_->outgoing) {
    auto& port = executor_.out_port(key(order));
    outgoing_.push_back({.port = &port, .hop = hop_over(*port.path)});
  }
  incoming_.clear();
  for (const auto& order : index_->incoming) {
    auto& port = executor_.in_port(key(order));
    const double hop = hop_over(*port.path).latency.value();
    incoming_.push_back({.port = &port, .latency_s = port.path->latency_s + hop, .hop_latency_s = hop});
  }
}

model::Protocol::Hop Player::hop_over(const Path& path) const {
  return schedule_->protocol ? schedule_->protocol->over(path.medium) : model::Protocol::Hop{};
}

void Player::settle() {
  std::size_t next = 0;
  while (next < ready_.size()) // it grows on the way
    ready(ready_[next++]);
  ready_.clear();
}

void Player::ended(Waits waits, std::uint32_t index) {
  switch (waits) {
  case Waits::OP_DELAY:
    begin_op(index);
    break;
  case Waits::OP_PART:
  case Waits::ARRIVAL_PART:
    part_done(index);
    break;
  case Waits::MET:
    met(index);
    break;
  case Waits::MESSAGE:
    arrived(index);
    break;
  case Waits::LATENCY:
    complete(index);
    break;
  case Waits::HOST: // the executor's
  case Waits::NOTHING:
    break;
  }
}

void Player::ready(std::uint32_t op) {
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

void Player::grant_slots(std::size_t resource) {
  std::uint32_t op = 0;
  while (slots_[resource].grant(op))
    launch(op);
}

void Player::start_clock(std::uint32_t op) {
  const double now = sg4::Engine::get_clock();
  const auto& described = program_->ops[op];
  states_[op].began_s = now;
  if (executor_.world().options.record_items)
    meter_.start(described, now);
  if (!waits_unseen(described))
    executor_.started(*described_, described, now);
}

/// Another pipeline stage may be late: waiting for it is no communication.
bool Player::waits_unseen(const model::Op& op) const {
  const bool moves = op.kind == OpKind::RECV || op.kind == OpKind::TRANSFER;
  return moves && described_->dimension == model::Dimension::PP;
}

void Player::other_end_comes(std::uint32_t op) {
  executor_.started(*described_, program_->ops[op], sg4::Engine::get_clock());
}

void Player::launch(std::uint32_t op) {
  const auto& described = program_->ops[op];
  if (described.delay.value() <= 0.0) {
    begin_op(op);
    return;
  }
  states_[op].state = State::RUNNING;
  start_clock(op);
  executor_.delay(described.delay.value(), {this, Waits::OP_DELAY, op});
}

void Player::begin_op(std::uint32_t op) {
  const auto& described = program_->ops[op];
  switch (described.kind) {
  case OpKind::WORK:
    begin_work(op);
    break;
  case OpKind::TRANSFER:
    states_[op].state = State::QUEUED;
    if (described.delay.value() > 0.0) {
      if (executor_.world().options.record_items)
        meter_.stop(described, sg4::Engine::get_clock());
      if (!waits_unseen(described))
        executor_.stopped(*described_, described, sg4::Engine::get_clock());
    }
    states_[op].parts = 1;
    begin_transfers(index_->channel_of[op]);
    break;
  case OpKind::RECV:
    states_[op].parts = 1;
    post_receive(index_->channel_of[op]);
    break;
  case OpKind::TRIGGER:
    if (described.delay.value() <= 0.0)
      start_clock(op);
    complete(op);
    break;
  }
}

void Player::part_done(std::uint32_t op) {
  if (--states_[op].parts > 0 || tracks_rest(op))
    return;
  const auto& described = program_->ops[op];
  if (described.kind == OpKind::RECV) {
    const auto& channel = incoming_[index_->channel_of[op]];
    const double each = described.latency ? described.latency->value() + channel.hop_latency_s : channel.latency_s;
    const double latency = each * described.repeats;
    if (latency > 0.0)
      executor_.delay(latency, {this, Waits::LATENCY, op});
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

void Player::complete(std::uint32_t op) {
  const auto& described = program_->ops[op];
  const double now = sg4::Engine::get_clock();
  if (executor_.world().options.record_items)
    meter_.stop(described, now);
  executor_.stopped(*described_, described, now);
  states_[op].state = State::DONE;
  --remaining_;
  executor_.op_ended(task_, op, states_[op].began_s, now);
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

void Player::choose_threshold() {
  const double elapsed = sg4::Engine::get_clock() - kernel_began_s_;
  executor_.note_intensity(elapsed > 0.0 ? kernel_traffic_s_ / elapsed : 0.0, schedule_->arbitration);
}

std::vector<std::string> Player::stuck(std::size_t limit) const {
  std::vector<std::string> lines;
  const auto rank = executor_.rank();
  for (std::uint32_t op = 0; op < states_.size() && lines.size() < limit; ++op) {
    const auto& described = program_->ops[op];
    if (states_[op].state != State::RUNNING && states_[op].state != State::QUEUED)
      continue;
    const auto& label = schedule_->labels[described.label];
    const double bytes = span_bytes(described);
    const double since = states_[op].began_s;
    if (states_[op].state == State::QUEUED && states_[op].parts == 0 && described.acquires >= 0)
      lines.push_back(fmt::format("rank {}: {} waits for a slot of '{}' (since {:.9g} s)", rank, label,
                                  schedule_->resources[static_cast<std::size_t>(described.acquires)].name, since));
    else if (described.kind == OpKind::RECV)
      lines.push_back(fmt::format("rank {}: {} waits to receive {:.0f} B from rank {} (since {:.9g} s)", rank, label,
                                  bytes, peer(described), since));
    else
      lines.push_back(fmt::format("rank {}: {} waits to send {:.0f} B to rank {} (since {:.9g} s)", rank, label, bytes,
                                  peer(described), since));
  }
  if (lines.empty() && !finished())
    lines.push_back(fmt::format("rank {}: {} operations wait for dependencies that never end", rank, remaining_));
  return lines;
}

double Player::span_bytes(const model::Op& op) const {
  return shared_->bytes(position_, op.effect.span) * op.repeats;
}

int Player::peer(const model::Op& op) const {
  return static_cast<int>((*members_)[static_cast<std::size_t>(schedule_->peer(position_, op.peer))]);
}

const model::Device& Player::device() const {
  return executor_.world().machine.device(executor_.number());
}

} // namespace tandem::engine
