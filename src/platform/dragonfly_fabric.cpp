// A dragonfly (Kim et al., ISCA 2008): routers of a group are all connected, and so are the groups. Ways are minimal:
// at most a link in the group, one between groups, and a link in the other group.
#include "base/error.h"
#include "platform/fabric.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::platform {

namespace {

class DragonflyFabric : public Fabric {
public:
  DragonflyFabric(const FabricSettings& settings, std::uint32_t nodes, std::uint32_t nics)
      : Fabric(settings, nodes, nics), routers_(static_cast<std::uint64_t>(settings.group_routers)),
        cards_per_router_(static_cast<std::uint64_t>(settings.router_nics)) {
    if (settings.routing == RoutingPolicy::SPRAY)
      throw base::UserError("routing spray is not supported on a dragonfly, whose equal ways share links; allowed: "
                            "deterministic, ecmp");
    if (settings.group_routers < 1 || settings.router_nics < 1 || settings.router_globals < 1)
      throw base::UserError("a dragonfly needs the properties group_routers, router_nics and router_globals, each 1 or "
                            "more");
    const std::uint64_t in_group = routers_ * cards_per_router_;
    groups_ = (cards() + in_group - 1) / in_group;
    const std::uint64_t globals = routers_ * static_cast<std::uint64_t>(settings.router_globals);
    if (groups_ > globals + 1)
      throw base::UserError(fmt::format("{} nodes of {} network cards need {} groups of {} routers with {} cards each, "
                                        "and {} links out of a group reach {} groups in all",
                                        nodes, nics, groups_, routers_, cards_per_router_, globals, globals + 1));
    copies_ = groups_ > 1 ? globals / (groups_ - 1) : 0;
    first_local_ = 2 * cards();
    first_global_ = first_local_ + groups_ * routers_ * (routers_ - 1);
  }

  [[nodiscard]] std::uint64_t links() const override { return first_global_ + groups_ * globals_per_group(); }

  [[nodiscard]] model::Link link(std::uint64_t number) const override {
    if (number < first_local_)
      return card_link(number);
    if (number < first_global_) {
      const std::uint64_t at = number - first_local_;
      const std::uint64_t from = at / (routers_ - 1) % routers_;
      const std::uint64_t other = at % (routers_ - 1);
      return switch_link(fmt::format("group{}.router{}-router{}", at / (routers_ * (routers_ - 1)), from,
                                     other < from ? other : other + 1));
    }
    const std::uint64_t at = number - first_global_;
    return switch_link(fmt::format("group{}.global{}", at / globals_per_group(), at % globals_per_group()));
  }

  void append_way(Nic from, Nic to, std::vector<std::uint64_t>& links) const override {
    const std::uint64_t source = card(from);
    const std::uint64_t target = card(to);
    const std::uint64_t source_router = source / cards_per_router_;
    const std::uint64_t target_router = target / cards_per_router_;
    const std::uint64_t group = source_router / routers_;
    const std::uint64_t other = target_router / routers_;
    links.push_back(2 * source);
    if (group == other) {
      append_local(group, source_router % routers_, target_router % routers_, links);
    } else {
      // Group g's link number `offset` of a copy leads to group g + 1 + offset; the way back is the other's
      // number groups - 2 - offset.
      const std::uint64_t choice = settings_.routing == RoutingPolicy::ECMP
                                       ? flow_hash(settings_.seed, source, target, 0) % copies_
                                       : (source + target) % copies_;
      const std::uint64_t offset = (other + groups_ - group - 1) % groups_;
      const std::uint64_t out = choice * (groups_ - 1) + offset;
      const std::uint64_t in = choice * (groups_ - 1) + groups_ - 2 - offset;
      append_local(group, source_router % routers_, out % routers_, links);
      links.push_back(first_global_ + group * globals_per_group() + out);
      append_local(other, in % routers_, target_router % routers_, links);
    }
    links.push_back(2 * target + 1);
  }

  [[nodiscard]] model::Fabric description() const override {
    model::Fabric result{fmt::format("dragonfly of {} groups of {} routers", groups_, routers_),
                         routing_text(settings_),
                         static_cast<int>(nics_),
                         0,
                         {}};
    result.stages = {card_stage("NIC to router"),
                     switch_stage("router to router of the group", groups_ * routers_ * (routers_ - 1) / 2),
                     switch_stage("group to group", groups_ * globals_per_group() / 2)};
    result.stages.front().switches = groups_ * routers_;
    result.stages.front().switch_name = "router";
    return result;
  }

private:
  [[nodiscard]] std::uint64_t globals_per_group() const { return groups_ > 1 ? copies_ * (groups_ - 1) : 0; }

  void append_local(std::uint64_t group, std::uint64_t from, std::uint64_t to,
                    std::vector<std::uint64_t>& links) const {
    if (from != to)
      links.push_back(first_local_ + (group * routers_ + from) * (routers_ - 1) + (to < from ? to : to - 1));
  }

  std::uint64_t routers_, cards_per_router_;
  std::uint64_t groups_ = 1;
  std::uint64_t copies_ = 0; ///< links from one group to each other one
  std::uint64_t first_local_ = 0, first_global_ = 0;
};

} // namespace

std::unique_ptr<Fabric> make_dragonfly(const FabricSettings& settings, std::uint32_t nodes, std::uint32_t nics) {
  return std::make_unique<DragonflyFabric>(settings, nodes, nics);
}

} // namespace tandem::platform
