// Links and routes through SimGrid's API.
#include "engine/wiring.h"

#include <cmath>

namespace tandem::engine {

Machine::Wiring::Names Machine::Wiring::names(std::uint32_t flow_class) const {
  Names list;
  for (const auto& crossing : folding_.classes().crossings_of(flow_class))
    if (folding_.classes().link_classes[crossing.link_class].limits)
      list.emplace_back(crossing.link_class, crossing.times);
  return list;
}

bool Machine::Wiring::is_direct(sg4::Host* from, sg4::Host* to, const Names& names) {
  const auto [known, is_new] = direct_.try_emplace({from, to}, names);
  if (is_new && !names.empty())
    add_route(gpus_, from, to, names);
  return known->second == names;
}

std::pair<sg4::Host*, sg4::Host*> Machine::Wiring::ends(const Names& names) {
  const auto [known, is_new] = known_.try_emplace(names);
  auto& [from, to] = known->second;
  if (!is_new)
    return known->second;
  if (names.empty()) {
    nowhere_ = wires_->create_host("nowhere", 1.0)->seal();
    from = to = nowhere_;
    return known->second;
  }
  // n ways need about the root of n hosts: the ways of number s^2 to (s+1)^2 - 1 begin or end at host s.
  const auto number = known_.size() - 1;
  auto shell = static_cast<std::size_t>(std::sqrt(static_cast<double>(number)));
  const auto rest = number - shell * shell;
  from = end(rest <= shell ? shell : rest - shell - 1);
  to = end(rest <= shell ? rest : shell);
  add_route(wires_, from, to, names);
  return known->second;
}

sg4::Host* Machine::Wiring::end(std::size_t number) {
  if (number == ends_.size())
    ends_.push_back(wires_->create_host("end-" + std::to_string(number), 1.0)->seal());
  return ends_[number];
}

void Machine::Wiring::add_route(sg4::NetZone* zone, sg4::Host* from, sg4::Host* to, const Names& names) {
  std::vector<sg4::LinkInRoute> crossed;
  for (const auto& [link_class, times] : names)
    for (std::uint32_t i = 0; i < times; ++i)
      crossed.emplace_back(link(link_class));
  zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, crossed, false);
}

sg4::Link* Machine::Wiring::link(std::uint32_t link_class) {
  auto*& known = links_[link_class];
  if (known == nullptr) {
    const auto& described = folding_.classes().link_classes[link_class];
    const auto id = folding_.graph().links()[described.representative].id;
    known = wires_->create_link(cluster_.links[id.index].name, described.bandwidth.value());
    if (folding_.graph().is_fatpipe(described.representative))
      known->set_sharing_policy(sg4::Link::SharingPolicy::FATPIPE);
    known->seal();
  }
  return known;
}

} // namespace tandem::engine
