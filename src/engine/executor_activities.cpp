// How a GPU's actor turns operations into SimGrid activities: SM work, memory accesses, messages.
#include "engine/executor.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tandem::engine {

using model::Access;
using model::Stream;

void Executor::track(sg4::ActivityPtr activity, const InFlight& flight) {
  ++activities_;
  flights_.push_back(std::move(activity));
  meanings_.push_back(flight);
}

/// An activity and not a time-out: those that end together wake their actors in the order in which they began, and
/// neighbours that run one after the other find what they share in the cache.
void Executor::delay(double seconds, const InFlight& flight) {
  track(exec_on(world_.machine.gpu(rank_).clock, seconds)->start(), flight);
  --activities_; // not work
}

double Executor::book(int at, const std::vector<model::Traffic>& traffic, double span_bytes) {
  auto& dram = world_.ranks[static_cast<std::size_t>(at)]->dram_;
  const double update_cost = world_.machine.device(at).near_memory.update_cost;
  double amount = 0.0;
  for (const auto& part : traffic) {
    const double bytes = part.per_span * span_bytes + part.fixed.value();
    dram.at(part.account, part.access) += bytes;
    amount += part.access == Access::UPDATE ? bytes * update_cost : bytes;
  }
  return amount;
}

/// `pace_s`: the access is issued evenly over this time at least; 0: as fast as the memory takes it.
sg4::ExecPtr Executor::memory_access(int at, double amount, Stream stream, InFlight flight, double pace_s) {
  if (amount <= 0.0)
    return nullptr;
  auto access = exec_on(world_.machine.gpu(at).hbm, amount);
  if (pace_s > 0.0)
    access->set_bound(amount / pace_s);
  auto& arbiter = world_.ranks[static_cast<std::size_t>(at)]->arbiter_;
  access->start();
  if (arbiter.keeps()) {
    arbiter.add(access, stream);
    flight.arbiter = &arbiter;
  }
  track(access, flight);
  return access;
}

double Executor::sm_seconds(const model::Op& op, double span_bytes) const {
  const double moved = op.sm_bytes_per_span * span_bytes / world_.machine.device(rank_).sm_copy_bandwidth.value();
  return op.sm_seconds + (op.sm_bytes_per_span > 0.0 ? moved : 0.0);
}

sg4::ExecPtr Executor::sm_work(const model::Op& op, double span_bytes, InFlight flight) {
  const auto& device = world_.machine.device(rank_);
  const double amount = sm_seconds(op, span_bytes);
  if (op.sms == 0 || amount <= 0.0)
    return nullptr;
  auto work = exec_on(world_.machine.gpu(rank_).sm, amount);
  work->set_priority(op.sms);
  if (op.sms < device.sms)
    work->set_bound(op.sms);
  work->start();
  track(work, flight);
  return work;
}

void Executor::begin_work(std::uint32_t op) {
  const auto& described = program_->ops[op];
  const double now = sg4::Engine::get_clock();
  states_[op].state = State::RUNNING;
  if (described.delay.value() <= 0.0) { // else launch() has started the clock
    states_[op].began_s = now;
    meter_.start(described, now);
  }
  const double bytes = span_bytes(described);
  const double amount = book(rank_, described.traffic, bytes);
  if (described.stream == Stream::COMPUTE)
    note_kernel_traffic(amount);
  const InFlight part{Waits::OP_PART, op, nullptr, nullptr};
  states_[op].parts = 0;
  if (sm_work(described, bytes, part))
    ++states_[op].parts;
  if (memory_access(rank_, amount, described.stream, part))
    ++states_[op].parts;
  if (states_[op].parts == 0)
    complete(op);
}

void Executor::note_kernel_traffic(double amount) {
  if (amount <= 0.0)
    return;
  if (kernel_traffic_s_ == 0.0)
    kernel_began_s_ = sg4::Engine::get_clock();
  kernel_traffic_s_ += amount / world_.machine.hbm_rate(rank_);
}

void Executor::begin_transfers(std::uint32_t channel) {
  auto& out = outgoing_[channel];
  const auto& order = index_->outgoing[channel].ops;
  if (out.busy || out.next == order.size())
    return;
  const auto op = order[out.next];
  if (states_[op].parts == 1 && states_[op].state == State::QUEUED)
    begin_transfer(op, out);
}

void Executor::begin_transfer(std::uint32_t op, Outgoing& channel) {
  const auto& described = program_->ops[op];
  const double now = sg4::Engine::get_clock();
  const double bytes = span_bytes(described);
  states_[op].state = State::RUNNING;
  states_[op].began_s = now;
  meter_.start(described, now);
  channel.busy = true;
  if ((described.effect.sources & model::FRESH) !=
      0) // a kernel's stores count as its traffic, wherever the address map sends them
    note_kernel_traffic(bytes);
  message_bytes_ += bytes;
  const double sent = bytes * described.wire_factor;
  const double rate = channel.hop.rate.value();
  const double bandwidth = described.leg == model::Leg::WHOLE
                               ? channel.path->bandwidth
                               : world_.machine.half(rank_, channel.peer, described.leg).bandwidth;

  // A kernel on SMs loads as it stores; a DMA engine posts all of its command at once, and its memory accesses come as
  // a burst.
  const double fastest = std::max(sent * channel.hop.wire_factor / bandwidth, rate > 0.0 ? sent / rate : 0.0);
  const double pace = described.sms > 0 ? std::max(fastest, sm_seconds(described, bytes) / described.sms) : 0.0;
  auto& message = *channel.messages[channel.next % 2];
  const auto part = [&](Waits waits, std::size_t slot) { return InFlight{waits, op, &message.parts[slot], nullptr}; };
  message.parts[0] =
      memory_access(rank_, book(rank_, described.traffic, bytes), described.stream, part(Waits::OP_PART, 0), pace);
  message.parts[1] = sm_work(described, bytes, part(Waits::OP_PART, 1));
  states_[op].parts = 1;
  for (const auto slot : {0, 1})
    if (message.parts[slot])
      ++states_[op].parts;
  // Writes are posted: the sender goes on when its data has left, the transfer has arrived when the peer's memory has
  // taken it.
  message.parts[2] = memory_access(channel.peer, book(channel.peer, described.peer_traffic, bytes),
                                   Stream::COMMUNICATION, part(Waits::NOTHING, 2), pace);
  begin_wire(described, channel, message, sent, part(Waits::OP_PART, 3));
  if (message.parts[3])
    ++states_[op].parts;
}

/// `sent` bytes of data on the links, with what the protocol adds. Where the bytes go half of the way only, the message
/// itself is empty and the half a part of it.
void Executor::begin_wire(const model::Op& op, Outgoing& channel, Message& message, double sent, const InFlight& part) {
  const double wire = sent * channel.hop.wire_factor;
  const double rate = channel.hop.rate.value() * channel.hop.wire_factor;
  const bool whole = op.leg == model::Leg::WHOLE;
  const auto& links = whole ? channel.path->links : world_.machine.half(rank_, channel.peer, op.leg).links;
  wire_bytes_ += wire;
  wire_hop_bytes_ += wire * static_cast<double>(links.size());
  for (const auto link : links)
    world_.link_bytes[link.index] += wire;
  const auto size = static_cast<std::uint64_t>(std::llround(wire));
  const auto comm = channel.mailbox->put_init(&message, whole ? size : 0);
  if (rate > 0.0)
    comm->set_rate(rate);
  comm->vetoable_start();
  track(comm, {Waits::OP_PART, part.index, nullptr, nullptr});
  message.parts[3] = nullptr;
  if (whole || size == 0)
    return;
  const auto& half = world_.machine.half(rank_, channel.peer, op.leg);
  const auto way = sg4::Comm::sendto_init();
  if (rate > 0.0)
    way->set_rate(rate);
  way->set_payload_size(size)->set_source(half.from)->set_destination(half.to); // the second end starts it
  message.parts[3] = way;
  track(way, part);
}

void Executor::post_receive(std::uint32_t channel) {
  auto& in = incoming_[channel];
  const auto& order = index_->incoming[channel].ops;
  if (in.posted || in.next == order.size())
    return;
  const auto op = order[in.next];
  if (states_[op].parts != 1 || (states_[op].state != State::QUEUED && states_[op].state != State::RUNNING))
    return;
  if (states_[op].state == State::QUEUED) { // without a delay the clock starts here
    states_[op].state = State::RUNNING;
    states_[op].began_s = sg4::Engine::get_clock();
    meter_.start(program_->ops[op], states_[op].began_s);
  }
  in.posted = true;
  track(in.mailbox->get_async<Message>(&in.message), {Waits::MESSAGE, channel, nullptr, nullptr});
}

void Executor::arrived(std::uint32_t channel) {
  auto& in = incoming_[channel];
  const auto op = index_->incoming[channel].ops[in.next];
  // The wire is done; the transfer has arrived when its memory accesses and SM work are done too.
  // The sender collects its parts from the first to the last: from the other end there is less to do twice.
  for (const std::size_t part : {3, 2, 1, 0}) {
    const auto& beside = in.message->parts[part];
    if (!beside)
      continue;
    ++states_[op].parts;
    track(beside, {Waits::ARRIVAL_PART, op, nullptr, nullptr});
    --activities_; // the sender's, counted there
  }
  in.posted = false;
  ++in.next;
  part_done(op);
  post_receive(channel);
}

void Executor::spill(std::size_t resource) {
  const double bytes = schedule_->resources[resource].spill_bytes.value();
  const std::vector<model::Traffic> traffic{{model::Phase::OTHER, Access::READ, 0.0, model::Bytes(bytes)},
                                            {model::Phase::OTHER, Access::WRITE, 0.0, model::Bytes(bytes)}};
  memory_access(rank_, book(rank_, traffic, 0.0), Stream::COMMUNICATION, {Waits::NOTHING, 0, nullptr, nullptr});
}

} // namespace tandem::engine
