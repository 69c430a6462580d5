// The channels of a GPU, made when first asked for, and bytes that go a way of their own.
#include "engine/executor.h"
#include "engine/world.h"

#include <fmt/format.h>
#include <utility>

namespace tandem::engine {

namespace {

const Path NO_PATH; ///< of a message that nobody sends

} // namespace

// Looking up a mailbox lets other actors run, who may ask for the same channel: what is entered is whole.

OutPort& Executor::out_port(const ChannelKey& key) {
  const auto place = role_.place_out.at(key);
  if (out_ports_[place])
    return *out_ports_[place];
  const auto flow = world_.folding.classes().first_flow[number_] + place;
  const auto& described = world_.folding.classes().flow_classes[flow];
  auto port = std::make_unique<OutPort>();
  port->peer = described.receiver;
  port->path = &world_.machine.path(flow);
  for (std::uint32_t i = 0; i < role_.legs.size(); ++i)
    if (role_.legs[i].first == place)
      port->legs[static_cast<std::size_t>(role_.legs[i].second)] = &world_.machine.path(
          world_.folding.classes().first_flow[number_] + static_cast<std::uint32_t>(role_.out.size()) + i);
  port->far = &world_.gpu(described.receiver).in_port(described.incoming);
  port->mailbox = port->far->mailbox;
  out_ports_[place] = std::move(port);
  return *out_ports_[place];
}

InPort& Executor::in_port(const ChannelKey& key) {
  return in_port(role_.place_in.at(key));
}

InPort& Executor::in_port(std::uint32_t place) {
  if (place >= in_ports_.size())
    in_ports_.resize(place + std::size_t{1});
  if (in_ports_[place])
    return *in_ports_[place];
  const auto flow = world_.folding.incoming(number_, place);
  auto port = std::make_unique<InPort>();
  port->path = flow == model::TalkGraph::NO_FLOW ? &NO_PATH : &world_.machine.path(flow);
  port->mailbox = sg4::Mailbox::by_name(fmt::format("{}:{}", number_, place));
  if (!in_ports_[place]) // else another actor was faster
    in_ports_[place] = std::move(port);
  return *in_ports_[place];
}

void Message::send_bytes() {
  const auto* along = std::exchange(way, nullptr);
  if (along == nullptr)
    return;
  const auto sent = sg4::Comm::sendto_init();
  parts[3] = sent; // before the kernel has it, where other actors run
  if (rate > 0.0)
    sent->set_rate(rate);
  sent->set_payload_size(bytes)->set_source(along->from)->set_destination(along->to); // the second end starts it
}

} // namespace tandem::engine
