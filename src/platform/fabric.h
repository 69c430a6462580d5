// What connects the nodes of a structured cluster: links and routes between network cards, by arithmetic.
#pragma once

#include "model/cluster.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::platform {

/// How a flow chooses among equally short ways (docs/models.md, "Fabrics").
enum class RoutingPolicy { DETERMINISTIC, ECMP, SPRAY };

/// What a platform file says of the fabric; 0 where it says nothing.
struct FabricSettings {
  std::string kind; ///< empty: none
  RoutingPolicy routing = RoutingPolicy::DETERMINISTIC;
  std::uint64_t seed = 0;
  base::BytesPerSecond bandwidth{}; ///< of a link between switches
  base::Seconds latency{};
  std::optional<base::BytesPerSecond> nic_bandwidth; ///< of a link between card and switch; none: as the others
  std::optional<base::Seconds> nic_latency;
  int radix = 0;            ///< ports of a switch
  int oversubscription = 1; ///< of a leaf: ports to nodes per port to the next level
  std::vector<int> dims;    ///< of a torus
  int dimensions = 0;       ///< of a torus whose sizes follow from the number of nodes
  int group_routers = 0, router_nics = 0, router_globals = 0; ///< of a dragonfly
};

/// A network card.
struct Nic {
  std::uint32_t node, nic;
};

/// Links are numbered from 0, each one direction. All functions are pure; symbols and sources in docs/models.md.
class Fabric {
public:
  Fabric(const FabricSettings& settings, std::uint32_t nodes, std::uint32_t nics)
      : settings_(settings), nodes_(nodes), nics_(nics) {}
  virtual ~Fabric() = default;
  [[nodiscard]] virtual std::uint64_t links() const = 0;
  [[nodiscard]] virtual model::Link link(std::uint64_t number) const = 0;
  /// Latency of link(number), without making its name.
  [[nodiscard]] base::Seconds latency(std::uint64_t number) const;
  /// Appends the links from one card to one of another node, in the order of travel.
  virtual void append_way(Nic from, Nic to, std::vector<std::uint64_t>& links) const = 0;
  [[nodiscard]] virtual model::Fabric description() const = 0;

protected:
  // The links between cards and switches come first: of card c, 2c up to the switch and 2c + 1 down from it.
  [[nodiscard]] std::uint64_t cards() const { return std::uint64_t{nodes_} * nics_; }
  [[nodiscard]] std::uint64_t card(Nic nic) const { return std::uint64_t{nic.node} * nics_ + nic.nic; }
  [[nodiscard]] model::Link card_link(std::uint64_t number) const;
  [[nodiscard]] model::Link switch_link(std::string name) const;
  [[nodiscard]] model::Fabric::Stage card_stage(std::string name) const;
  [[nodiscard]] model::Fabric::Stage switch_stage(std::string name, std::uint64_t links) const;

  FabricSettings settings_;
  std::uint32_t nodes_, nics_;
};

/// "fat-tree", ...
const std::vector<std::string>& fabric_kinds();
const std::vector<std::string>& routing_policies();

/// For `nodes` nodes of `nics` cards. Throws UserError without a place: settings that are missing, that contradict each
/// other, or too many nodes for them.
std::unique_ptr<Fabric> make_fabric(const FabricSettings& settings, std::uint32_t nodes, std::uint32_t nics);

// One function per implementation, as make_fabric().
std::unique_ptr<Fabric> make_tree(const FabricSettings& settings, std::uint32_t nodes, std::uint32_t nics);
std::unique_ptr<Fabric> make_torus(const FabricSettings& settings, std::uint32_t nodes, std::uint32_t nics);
std::unique_ptr<Fabric> make_dragonfly(const FabricSettings& settings, std::uint32_t nodes, std::uint32_t nics);

/// A number that depends on all of the arguments evenly: what ECMP chooses by.
std::uint64_t flow_hash(std::uint64_t seed, std::uint64_t from, std::uint64_t to, std::uint64_t at);

/// "ecmp, seed 3".
std::string routing_text(const FabricSettings& settings);

} // namespace tandem::platform
