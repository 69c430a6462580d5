// Who sends to whom over which links: all that makes two ranks differ while they run equal programs. It is independent
// of schedules. Flat arrays, because 131,072 ranks with ten flows each over six links make eight million crossings;
// Boost.Graph's bidirectional CSR graph would take three times the memory and has no algorithm for them.
#pragma once

#include "model/cluster.h"
#include "model/medium.h"

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace tandem::model {

/// One ordered stream of transfers from a rank to a peer: a channel, or what of a channel goes over another route.
struct TalkFlow {
  std::uint32_t receiver = 0;
  std::uint32_t incoming = 0; ///< place among the receiver's incoming flows; some may be empty, none taken twice
  std::uint32_t route = 0;    ///< as add_route() numbered it
};

/// What makes links differ before anything crosses them.
struct LinkKind {
  BytesPerSecond bandwidth{};
  Sharing sharing = Sharing::SHARED;
  Medium medium = Medium::OTHER;
};

/// A link that some route crosses.
struct TalkLink {
  LinkId id;
  std::uint32_t kind; ///< links of equal kinds have equal numbers
};

/// What of a route is paid by its flow and not shared on links.
struct RouteKind {
  Seconds latency{};
  Medium medium = Medium::OTHER; ///< slowest of its links'
};

class TalkGraph {
public:
  /// `links` are those that routes name; looked at while routes are added, never afterwards.
  explicit TalkGraph(const Table<Link>& links);

  /// Ranks come in order, each followed by its flows. Ranks of different colours are never alike: the colour stands for
  /// all that is not in the graph (device, program, start). Returns the rank.
  std::uint32_t add_rank(std::uint64_t colour);
  /// Routes may be shared by flows.
  std::uint32_t add_route(std::span<const LinkId> crossed, Seconds latency);
  /// Of the rank added last; its flows are numbered in this order. Precondition: the route was added.
  void add_flow(const TalkFlow& flow);
  /// Links that cannot limit: KEPT is for tests of the classes themselves.
  enum class Implied { LEFT_OUT, KEPT };
  /// To be called when all is added, before anything is asked. Throws Bug unless every receiver exists and no
  /// place of incoming flows is taken twice.
  void finish(Implied implied = Implied::LEFT_OUT);

  [[nodiscard]] std::uint32_t ranks() const { return static_cast<std::uint32_t>(colours_.size()); }
  [[nodiscard]] std::uint64_t colour(std::uint32_t rank) const { return colours_[rank]; }
  /// Number of a rank's first flow among all; that of `ranks()` is the number of flows.
  [[nodiscard]] std::uint32_t first_flow(std::uint32_t rank) const { return first_flow_[rank]; }
  [[nodiscard]] std::span<const TalkFlow> flows(std::uint32_t rank) const {
    return {flows_.data() + first_flow_[rank], flows_.data() + first_flow_[rank + 1]};
  }
  /// Flows by the place in which their receivers see them: receive_at(rank) + place is an index into incoming(), which
  /// has NO_FLOW where none comes.
  [[nodiscard]] std::uint32_t receive_at(std::uint32_t rank) const { return receive_at_[rank]; }
  [[nodiscard]] const std::vector<std::uint32_t>& incoming() const { return incoming_; }
  [[nodiscard]] std::uint32_t sender(std::uint32_t flow) const { return sender_[flow]; }
  static constexpr std::uint32_t NO_FLOW = 0xffffffff;
  /// All flows, rank by rank.
  [[nodiscard]] const std::vector<TalkFlow>& flows() const { return flows_; }
  /// Numbers of the links that a route crosses, in order.
  [[nodiscard]] std::span<const std::uint32_t> crossed(std::uint32_t route) const {
    return {crossed_.data() + first_crossed_[route], crossed_.data() + first_crossed_[route + 1]};
  }
  /// Those of them that can limit a flow. The others carry only flows that also cross a narrower link, which limits
  /// them first: rates are the same without them.
  [[nodiscard]] std::span<const std::uint32_t> limiting(std::uint32_t route) const {
    return {limiting_.data() + first_limiting_[route], limiting_.data() + first_limiting_[route + 1]};
  }
  /// Routes of equal kinds have equal numbers.
  [[nodiscard]] std::uint32_t kind_number(std::uint32_t route) const { return kind_of_[route]; }
  [[nodiscard]] const RouteKind& kind(std::uint32_t route) const { return kinds_[kind_of_[route]]; }
  /// Links in use, numbered in the order in which routes named them first.
  [[nodiscard]] const std::vector<TalkLink>& links() const { return links_; }
  [[nodiscard]] const LinkKind& link_kind(std::uint32_t link) const { return link_kinds_[links_[link].kind]; }
  [[nodiscard]] bool is_fatpipe(std::uint32_t link) const { return link_kind(link).sharing == Sharing::FATPIPE; }

private:
  std::uint32_t number_of(LinkId link);
  void sort_incoming();
  void find_limits(Implied implied);
  [[nodiscard]] bool is_implied(std::uint32_t link, std::span<const std::uint32_t> routes,
                                const std::vector<std::uint32_t>& begin) const;
  [[nodiscard]] bool holds_back(std::uint32_t link, std::vector<std::uint32_t> narrower) const;

  const Table<Link>& table_;
  std::vector<std::uint32_t> numbers_; ///< by LinkId: one more than its number in links_; 0: not in use
  std::vector<TalkLink> links_;
  std::vector<LinkKind> link_kinds_;
  std::map<std::tuple<double, Sharing, Medium>, std::uint32_t> known_link_kinds_;
  std::vector<std::uint64_t> colours_;
  std::vector<std::uint32_t> first_flow_{0};
  std::vector<TalkFlow> flows_;
  std::vector<std::uint32_t> sender_;                     ///< by flow
  std::vector<std::uint32_t> receive_at_, incoming_;      ///< see incoming()
  std::vector<std::uint32_t> first_crossed_{0}, crossed_; ///< by route
  std::vector<std::uint32_t> first_limiting_, limiting_;  ///< by route, see limiting()
  std::vector<std::uint32_t> kind_of_;                    ///< by route
  std::vector<RouteKind> kinds_;
  std::map<std::pair<double, Medium>, std::uint32_t> known_kinds_;
};

} // namespace tandem::model
