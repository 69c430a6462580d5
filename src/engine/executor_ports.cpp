// The channels of a rank, made when first asked for.
#include "engine/executor.h"
#include "engine/world.h"

#include <fmt/format.h>
#include <utility>

namespace tandem::engine {

namespace {

/// Looking up a mailbox lets other actors run, who may ask for the same channel: what is entered is whole.
sg4::Mailbox* mailbox(std::uint32_t lane, int from, int to, std::uint16_t channel) {
  return sg4::Mailbox::by_name(fmt::format("{}/{}>{}:{}", lane, from, to, channel));
}

} // namespace

OutPort& Executor::out_port(std::uint32_t lane, int peer, std::uint16_t channel) {
  const PortKey key{lane, peer, channel};
  if (const auto known = out_ports_.find(key); known != out_ports_.end())
    return *known->second;
  auto port = std::make_unique<OutPort>();
  port->peer = peer;
  port->mailbox = mailbox(lane, rank_, peer, channel);
  port->path = &world_.machine.path(rank_, peer);
  port->far = &world_.rank(peer).in_port(lane, rank_, channel);
  return *out_ports_.emplace(key, std::move(port)).first->second;
}

InPort& Executor::in_port(std::uint32_t lane, int peer, std::uint16_t channel) {
  const PortKey key{lane, peer, channel};
  if (const auto known = in_ports_.find(key); known != in_ports_.end())
    return *known->second;
  auto port = std::make_unique<InPort>();
  port->peer = peer;
  port->mailbox = mailbox(lane, peer, rank_, channel);
  port->path = &world_.machine.path(peer, rank_);
  return *in_ports_.emplace(key, std::move(port)).first->second; // the other actor's, where that was faster
}

} // namespace tandem::engine
