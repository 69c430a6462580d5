// Trees of switches: one switch, fat trees, and rail-optimised fat trees. A card's place in the tree is its port; a
// subtree of level l holds the ports [s capacity, (s + 1) capacity) and has `switches` equal switches at its top.
#include "base/error.h"
#include "platform/fabric.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::platform {

namespace {

/// One level of switches, from the leaves (0) upwards.
struct Level {
  std::uint64_t capacity = 0; ///< ports of cards below a subtree of this level
  std::uint64_t subtrees = 0;
  std::uint64_t switches = 1; ///< of one subtree
  std::uint64_t ups = 0;      ///< links up from one switch; 0 at the top
  std::uint64_t first_link = 0;
  std::string name;
};

class TreeFabric : public Fabric {
public:
  TreeFabric(const FabricSettings& settings, std::uint32_t nodes, std::uint32_t nics) : Fabric(settings, nodes, nics) {
    ports_ = cards();
    if (settings.kind == "switch")
      add_level(ports_, 0);
    else
      grow();
    name_levels();
    std::uint64_t next = 2 * cards();
    for (Level& level : levels_) {
      level.first_link = next;
      next += 2 * links_up(level);
    }
    links_ = next;
  }

  [[nodiscard]] std::uint64_t links() const override { return links_; }

  [[nodiscard]] model::Link link(std::uint64_t number) const override {
    const bool up = number % 2 == 0;
    if (number < 2 * cards())
      return card_link(number);
    const auto after = std::ranges::find_if(levels_, [&](const Level& l) { return l.first_link > number; });
    const Level& level = *(after - 1);
    const std::uint64_t at = (number - level.first_link) / 2;
    const char* direction = up ? "UP" : "DOWN";
    if (!sprays())
      return switch_link(fmt::format("{}{}.up{}_{}", level.name, at / level.ups, at % level.ups, direction));
    model::Link pool = switch_link(fmt::format("{}{}.ups_{}", level.name, at, direction));
    pool.bandwidth = pool.bandwidth * static_cast<double>(level.switches * level.ups);
    return pool;
  }

  void append_way(Nic from, Nic to, std::vector<std::uint64_t>& links) const override {
    const std::uint64_t source = port(from);
    const std::uint64_t target = port(to);
    links.push_back(2 * card(from));
    std::vector<std::uint64_t> down;
    std::uint64_t position = 0; // of the switch in its subtree, the same on the way down
    std::uint64_t digits = target;
    for (std::size_t l = 0; source / levels_[l].capacity != target / levels_[l].capacity; ++l) {
      const Level& level = levels_[l];
      if (sprays()) {
        links.push_back(level.first_link + 2 * (source / level.capacity));
        down.push_back(level.first_link + 2 * (target / level.capacity) + 1);
        continue;
      }
      // Deterministic: by the target's port, level by level, so that the ways down to a port share their links.
      const std::uint64_t choice = settings_.routing == RoutingPolicy::ECMP
                                       ? flow_hash(settings_.seed, card(from), card(to), l) % level.ups
                                       : digits % level.ups;
      digits /= level.ups;
      const auto number = [&](std::uint64_t subtree) {
        return level.first_link + 2 * ((subtree * level.switches + position) * level.ups + choice);
      };
      links.push_back(number(source / level.capacity));
      down.push_back(number(target / level.capacity) + 1);
      position = position * level.ups + choice;
    }
    links.insert(links.end(), down.rbegin(), down.rend());
    links.push_back(2 * card(to) + 1);
  }

  [[nodiscard]] model::Fabric description() const override {
    model::Fabric result{settings_.kind, routing_text(settings_), static_cast<int>(nics_), 0, {}};
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      const std::string name = fmt::format("{} to {}", l == 0 ? "NIC" : plain_name(l - 1), plain_name(l));
      auto stage = l == 0 ? card_stage(name)
                          : switch_stage(name, levels_[l - 1].subtrees * levels_[l - 1].switches * levels_[l - 1].ups);
      stage.switches = levels_[l].subtrees * levels_[l].switches;
      if (l > 0 && l + 1 == levels_.size()) // the top is filled up: its switches have no place to keep
        stage.switches = (stage.links + static_cast<std::uint64_t>(settings_.radix) - 1) /
                         static_cast<std::uint64_t>(settings_.radix);
      stage.switch_name = plain_name(l);
      result.stages.push_back(stage);
    }
    return result;
  }

private:
  [[nodiscard]] bool sprays() const { return settings_.routing == RoutingPolicy::SPRAY; }
  [[nodiscard]] bool is_rail() const { return settings_.kind == "rail"; }

  /// Links up of the whole level, or the pools of them that spraying makes of a subtree's.
  [[nodiscard]] std::uint64_t links_up(const Level& level) const {
    if (level.ups == 0)
      return 0;
    return sprays() ? level.subtrees : level.subtrees * level.switches * level.ups;
  }

  /// On rails, a leaf takes the same card of as many nodes as it has ports; otherwise the cards of a node are
  /// neighbours.
  [[nodiscard]] std::uint64_t port(Nic nic) const {
    if (!is_rail())
      return card(nic);
    const std::uint64_t unit = nic.node / leaf_ports_;
    return (unit * nics_ + nic.nic) * leaf_ports_ + nic.node % leaf_ports_;
  }

  void add_level(std::uint64_t capacity, std::uint64_t ups) {
    Level level;
    level.capacity = capacity;
    level.subtrees = (ports_ + capacity - 1) / capacity;
    level.switches = levels_.empty() ? 1 : levels_.back().switches * levels_.back().ups;
    level.ups = ups;
    levels_.push_back(level);
  }

  /// Adds levels until one subtree holds all ports. The top has all its ports downwards.
  void grow() {
    const auto radix = static_cast<std::uint64_t>(settings_.radix);
    const auto over = static_cast<std::uint64_t>(settings_.oversubscription);
    if (radix < 4 || radix % 2 != 0) // 2 ports would make a chain that never grows
      throw base::UserError(fmt::format("a {} needs the property fabric_radix, an even number of ports of a switch "
                                        "from 4 on, as 64",
                                        settings_.kind));
    if (radix % (over + 1) != 0)
      throw base::UserError(fmt::format("fabric_oversubscription {} does not split the {} ports of a leaf; allowed: 1, "
                                        "or another whole number o so that o + 1 divides fabric_radix",
                                        over, radix));
    const std::uint64_t leaf_ups = radix / (over + 1);
    leaf_ports_ = radix - leaf_ups;
    if (is_rail())
      ports_ = (nodes_ + leaf_ports_ - 1) / leaf_ports_ * nics_ * leaf_ports_;
    if (!is_rail() && ports_ <= radix) {
      add_level(radix, 0);
      return;
    }
    if (is_rail() && ports_ <= leaf_ports_) {
      add_level(leaf_ports_, 0);
      return;
    }
    add_level(leaf_ports_, leaf_ups);
    const std::uint64_t half = radix / 2;
    while (ports_ > levels_.back().capacity * radix)
      add_level(levels_.back().capacity * half, half);
    add_level(levels_.back().capacity * radix, 0);
  }

  /// Without the dash that keeps "level2" and a number apart.
  [[nodiscard]] std::string plain_name(std::size_t l) const {
    return levels_[l].name.ends_with('-') ? levels_[l].name.substr(0, levels_[l].name.size() - 1) : levels_[l].name;
  }

  void name_levels() {
    for (std::size_t l = 0; l < levels_.size(); ++l)
      levels_[l].name = levels_.size() == 1      ? "switch"
                        : l == 0                 ? "leaf"
                        : l + 1 < levels_.size() ? (levels_.size() == 3 ? "spine" : fmt::format("level{}-", l + 1))
                        : levels_.size() == 2    ? "spine"
                                                 : "core";
  }

  std::uint64_t leaf_ports_ = 1; ///< of a leaf, towards the nodes
  std::uint64_t ports_ = 0;      ///< places for cards, in use or not
  std::vector<Level> levels_;
  std::uint64_t links_ = 0;
};

} // namespace

std::unique_ptr<Fabric> make_tree(const FabricSettings& settings, std::uint32_t nodes, std::uint32_t nics) {
  return std::make_unique<TreeFabric>(settings, nodes, nics);
}

} // namespace tandem::platform
