// Links and routes of the machine, made when a flow needs them.
#pragma once

#include "engine/machine.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tandem::engine {

class Machine::Wiring {
public:
  /// Links of the route of a flow class: those classes of them that limit, and how often each is named.
  using Names = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  /// `wires`: the zone for ends of bytes' ways that are not GPUs.
  Wiring(const model::Cluster& cluster, const Folding& folding, sg4::NetZone* gpus, sg4::NetZone* wires)
      : cluster_(cluster), folding_(folding), gpus_(gpus), wires_(wires),
        links_(folding.classes().link_classes.size()) {}

  [[nodiscard]] Names names(std::uint32_t flow_class) const;
  /// Whether messages between the two take this way: the first that is asked for is theirs.
  bool is_direct(sg4::Host* from, sg4::Host* to, const Names& names);
  /// Two hosts with this way between them, for bytes whose sender and receiver have another one.
  std::pair<sg4::Host*, sg4::Host*> ends(const Names& names);

private:
  void add_route(sg4::NetZone* zone, sg4::Host* from, sg4::Host* to, const Names& names);
  sg4::Link* link(std::uint32_t link_class);
  sg4::Host* end(std::size_t number);

  const model::Cluster& cluster_;
  const Folding& folding_;
  sg4::NetZone* gpus_;
  sg4::NetZone* wires_;
  std::vector<sg4::Link*> links_; ///< by class
  std::map<std::pair<sg4::Host*, sg4::Host*>, Names> direct_;
  std::vector<sg4::Host*> ends_;
  std::map<Names, std::pair<sg4::Host*, sg4::Host*>> known_;
  sg4::Host* nowhere_ = nullptr; ///< bytes from here to here cross nothing
};

} // namespace tandem::engine
