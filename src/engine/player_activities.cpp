// How a schedule's operations become SimGrid activities: SM work, memory accesses, messages.
#include "engine/executor.h"
#include "engine/player.h"
#include "engine/world.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tandem::engine {

using model::Access;
using model::Stream;

double Player::sm_seconds(const model::Op& op, double span_bytes) const {
  const double moved = op.sm_bytes_per_span * span_bytes / device().sm_copy_bandwidth.value();
  return op.sm_seconds + (op.sm_bytes_per_span > 0.0 ? moved : 0.0);
}

sg4::ExecPtr Player::sm_work(const model::Op& op, double span_bytes) {
  const double amount = sm_seconds(op, span_bytes);
  if (op.sms == 0 || amount <= 0.0)
    return nullptr;
  const double pace = op.pace.value(); // of WORK
  double bound = 0.0;
  if (op.sms < device().sms || pace > 0.0)
    bound = pace > 0.0 ? std::min<double>(op.sms, amount / pace) : op.sms;
  return start_exec(executor_.world().machine.gpu(executor_.number()).sm, amount,
                    {.bound = bound, .priority = static_cast<double>(op.sms)});
}

void Player::begin_work(std::uint32_t op) {
  const auto& described = program_->ops[op];
  states_[op].state = State::RUNNING;
  if (described.delay.value() <= 0.0) // else launch() has started the clock
    start_clock(op);
  const double bytes = span_bytes(described);
  const auto gpu = executor_.number();
  const double amount = executor_.book(gpu, described.traffic, bytes);
  if (described.stream == Stream::COMPUTE)
    note_kernel_traffic(amount);
  const Flight part{this, Waits::OP_PART, op};
  states_[op].parts = 0;
  const auto work = sm_work(described, bytes);
  if (work) {
    executor_.track(work, part);
    ++states_[op].parts;
  }
  const auto access = executor_.memory_access(gpu, amount, described.stream, part, described.pace.value());
  if (access && work && !executor_.sees_accesses()) {
    rest_.emplace_back(op, access);
  } else if (access) {
    if (!executor_.sees_accesses())
      executor_.track_uncounted(access, part);
    ++states_[op].parts;
  }
  if (states_[op].parts == 0)
    complete(op);
}

/// Of what an operation waits for, only what ends last has to wake the actor: here are the parts that nobody has waited
/// for yet, and those that go on are waited for now. True if there are any.
bool Player::tracks_rest(std::uint32_t op) {
  const auto track = [&](const sg4::ActivityPtr& part, sg4::ActivityPtr* slot) {
    ++states_[op].parts;
    executor_.track_uncounted(part, {this, Waits::OP_PART, op, slot});
  };
  switch (program_->ops[op].kind) {
  case model::OpKind::TRANSFER: {
    auto& port = *outgoing_[index_->channel_of[op]].port;
    auto& message = port.messages[(port.turn - 1) % 2];
    for (const std::size_t part : {0, 1})
      if (message.parts[part] && message.is_part_over(part))
        message.parts[part].reset();
      else if (message.parts[part])
        track(message.parts[part], &message.parts[part]);
    break;
  }
  case model::OpKind::WORK: {
    const auto found = std::find_if(rest_.begin(), rest_.end(), [&](const auto& part) { return part.first == op; });
    if (found == rest_.end())
      break;
    const auto part = found->second;
    rest_.erase(found);
    if (!is_over(*part))
      track(part, nullptr);
    break;
  }
  default:
    break;
  }
  return states_[op].parts > 0;
}

void Player::note_kernel_traffic(double amount) {
  if (amount <= 0.0)
    return;
  if (kernel_traffic_s_ == 0.0)
    kernel_began_s_ = sg4::Engine::get_clock();
  kernel_traffic_s_ += amount / executor_.world().machine.hbm_rate(executor_.number());
}

void Player::begin_transfers(std::uint32_t channel) {
  auto& out = outgoing_[channel];
  const auto& order = index_->outgoing[channel].ops;
  if (out.busy || out.next == order.size())
    return;
  const auto op = order[out.next];
  if (states_[op].parts == 1 && states_[op].state == State::QUEUED)
    begin_transfer(op, out);
}

void Player::begin_transfer(std::uint32_t op, Outgoing& channel) {
  const auto& described = program_->ops[op];
  const double bytes = span_bytes(described);
  auto& port = *channel.port;
  states_[op].state = State::RUNNING;
  start_clock(op);
  channel.busy = true;
  if ((described.effect.sources & model::FRESH) !=
      0) // a kernel's stores count as its traffic, wherever the address map sends them
    note_kernel_traffic(bytes);
  const auto gpu = executor_.number();
  const double sent = bytes * described.wire_factor;
  const double rate = channel.hop.rate.value();
  const double bandwidth = way_of(described, port).bandwidth;

  // A kernel on SMs loads as it stores; a DMA engine posts all of its command at once, and its memory accesses come as
  // a burst.
  const double fastest = std::max(sent * channel.hop.wire_factor / bandwidth, rate > 0.0 ? sent / rate : 0.0);
  const double pace = described.sms > 0 ? std::max(fastest, sm_seconds(described, bytes) / described.sms) : 0.0;
  auto& message = port.messages[port.turn++ % 2];
  const auto part = [&](Waits waits, std::size_t slot) { return Flight{this, waits, op, &message.parts[slot]}; };
  message.parts[0] = executor_.memory_access(gpu, executor_.book(gpu, described.traffic, bytes), described.stream,
                                             part(Waits::OP_PART, 0), pace);
  const auto work = sm_work(described, bytes);
  message.parts[1] = work;
  const bool seen = executor_.sees_accesses();
  if (work && seen)
    executor_.track(work, part(Waits::OP_PART, 1));
  else if (work)
    executor_.keep(work);
  states_[op].parts = 1;
  for (const auto slot : {0, 1})
    if (message.parts[slot] && seen) // else the wire is waited for first
      ++states_[op].parts;
  // Writes are posted: the sender goes on when its data has left, the transfer has arrived when the peer's memory has
  // taken it.
  message.parts[2] =
      executor_.memory_access(port.peer, executor_.book(port.peer, described.peer_traffic, bytes),
                              Stream::COMMUNICATION, {nullptr, Waits::NOTHING, 0, &message.parts[2]}, pace);
  begin_wire(described, channel, message, bytes, part(Waits::OP_PART, 3));
  if (message.parts[3])
    ++states_[op].parts;
}

/// `bytes` of data on the links, as a codec and the protocol change them. Where they go a way of their own, the message
/// itself is empty: half of the way is a part of the transfer beside it, a whole way begins when the two have met.
void Player::begin_wire(const model::Op& op, Outgoing& channel, Message& message, double bytes, const Flight& part) {
  auto& port = *channel.port;
  const auto& way = way_of(op, port);
  const double wire = bytes * op.wire_factor * channel.hop.wire_factor;
  executor_.count_message(bytes, wire, way);
  auto& far = *port.far;
  ++far.under_way;
  if (const auto waits = std::exchange(far.receiver, {}); waits.player != nullptr)
    waits.player->other_end_comes(waits.op);
  if (waits_unseen(op)) {
    if (far.posted >= far.under_way)
      other_end_comes(part.index);
    else
      far.sender = {this, part.index};
  }
  message.parts[3] = nullptr;
  message.way = nullptr;
  message.bytes = static_cast<std::uint64_t>(std::llround(wire));
  message.rate = channel.hop.rate.value() * channel.hop.wire_factor;
  const bool whole = op.leg == model::Leg::WHOLE;
  const bool goes_along = whole && way.from == nullptr;
  if (!goes_along && whole && message.bytes > 0)
    message.way = &way;
  const auto comm = port.mailbox->put_init(&message, goes_along ? message.bytes : 0);
  if (message.rate > 0.0)
    comm->set_rate(message.rate);
  comm->vetoable_start();
  executor_.track(comm, {this, whole && !goes_along ? Waits::MET : Waits::OP_PART, part.index});
  if (whole || message.bytes == 0)
    return;
  message.way = &way;
  message.send_bytes();
  executor_.track(message.parts[3], part);
}

const Path& Player::way_of(const model::Op& op, const OutPort& port) {
  return op.leg == model::Leg::WHOLE ? *port.path : *port.legs[static_cast<std::size_t>(op.leg)];
}

void Player::met(std::uint32_t op) {
  auto& port = *outgoing_[index_->channel_of[op]].port;
  auto& message = port.messages[(port.turn - 1) % 2];
  message.send_bytes();
  if (message.parts[3]) {
    ++states_[op].parts;
    executor_.track(message.parts[3], {this, Waits::OP_PART, op, &message.parts[3]});
  }
  part_done(op);
}

void Player::post_receive(std::uint32_t channel) {
  auto& in = incoming_[channel];
  const auto& order = index_->incoming[channel].ops;
  if (in.posted || in.next == order.size())
    return;
  const auto op = order[in.next];
  if (states_[op].parts != 1 || (states_[op].state != State::QUEUED && states_[op].state != State::RUNNING))
    return;
  if (states_[op].state == State::QUEUED) { // without a delay the clock starts here
    states_[op].state = State::RUNNING;
    start_clock(op);
  }
  auto& port = *in.port;
  ++port.posted;
  if (const auto waits = std::exchange(port.sender, {}); waits.player != nullptr)
    waits.player->other_end_comes(waits.op);
  if (waits_unseen(program_->ops[op])) {
    if (port.under_way > 0)
      other_end_comes(op);
    else
      port.receiver = {this, op};
  }
  in.posted = true;
  executor_.track(port.mailbox->get_async<Message>(&port.message), {this, Waits::MESSAGE, channel});
}

void Player::arrived(std::uint32_t channel) {
  auto& in = incoming_[channel];
  const auto op = index_->incoming[channel].ops[in.next];
  --in.port->under_way;
  --in.port->posted;
  in.port->message->send_bytes();
  // The wire is done; the transfer has arrived when its memory accesses and SM work are done too.
  // The sender collects its parts from the first to the last: from the other end there is less to do twice.
  for (const std::size_t part : {3, 2, 1, 0}) {
    const auto& beside = in.port->message->parts[part];
    if (!beside || (part != Message::BYTES && in.port->message->is_part_over(part)))
      continue;
    ++states_[op].parts;
    executor_.track_uncounted(beside, {this, Waits::ARRIVAL_PART, op}); // the sender counts it
  }
  in.posted = false;
  ++in.next;
  part_done(op);
  post_receive(channel);
}

void Player::spill(std::size_t resource) {
  const double bytes = schedule_->resources[resource].spill_bytes.value();
  const std::vector<model::Traffic> traffic{{model::Phase::OTHER, Access::READ, 0.0, model::Bytes(bytes)},
                                            {model::Phase::OTHER, Access::WRITE, 0.0, model::Bytes(bytes)}};
  const auto gpu = executor_.number();
  executor_.memory_access(gpu, executor_.book(gpu, traffic, 0.0), Stream::COMMUNICATION, {});
}

} // namespace tandem::engine
