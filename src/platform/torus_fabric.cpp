// A torus: the cards of a node join one router, and routers are neighbours in each dimension, around the edge as well.
#include "base/error.h"
#include "platform/fabric.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <numeric>

namespace tandem::platform {

namespace {

/// `count` sizes whose product is `nodes`, as equal as its prime factors allow, the largest first.
std::vector<int> even_dims(std::uint32_t nodes, int count) {
  std::vector<int> factors;
  for (std::uint32_t p = 2; p * p <= nodes; ++p)
    for (; nodes % p == 0; nodes /= p)
      factors.push_back(static_cast<int>(p));
  if (nodes > 1)
    factors.push_back(static_cast<int>(nodes));
  std::vector<int> dims(static_cast<std::size_t>(count), 1);
  std::reverse(factors.begin(), factors.end());
  for (const int factor : factors)
    *std::ranges::min_element(dims) *= factor;
  std::ranges::sort(dims, std::greater<>());
  return dims;
}

class TorusFabric : public Fabric {
public:
  TorusFabric(const FabricSettings& settings, std::uint32_t nodes, std::uint32_t nics)
      : Fabric(settings, nodes, nics), dims_(settings.dims) {
    if (settings.routing == RoutingPolicy::SPRAY)
      throw base::UserError("routing spray is not supported on a torus, whose equal ways share links; allowed: "
                            "deterministic, ecmp");
    if (dims_.empty() == (settings.dimensions == 0))
      throw base::UserError("a torus needs either fabric_dims, as 8x8x4, or fabric_dimensions, as 3");
    if (dims_.empty())
      dims_ = even_dims(nodes, settings.dimensions);
    double product = 1.0; // which may be beyond any whole number
    for (const int size : dims_)
      product *= size;
    if (product != static_cast<double>(nodes))
      throw base::UserError(
          fmt::format("a torus of {} has {:.0f} nodes, not {}; allowed: fabric_dims that multiply to the "
                      "nodes, or fabric_dimensions",
                      fmt::join(dims_, "x"), product, nodes));
    for (const int size : dims_) {
      first_out_.push_back(outs_);
      outs_ += static_cast<std::uint64_t>(std::min(size - 1, 2)); // 1 has no neighbour, 2 has one
    }
  }

  [[nodiscard]] std::uint64_t links() const override { return 2 * cards() + nodes_ * outs_; }

  [[nodiscard]] model::Link link(std::uint64_t number) const override {
    if (number < 2 * cards())
      return card_link(number);
    const std::uint64_t at = number - 2 * cards();
    const auto after = std::ranges::upper_bound(first_out_, at % outs_);
    const auto dim = static_cast<std::size_t>(after - first_out_.begin()) - 1;
    return switch_link(fmt::format("router{}.{}{}", at / outs_, at % outs_ == first_out_[dim] ? '+' : '-', axis(dim)));
  }

  void append_way(Nic from, Nic to, std::vector<std::uint64_t>& links) const override {
    const bool hashes = settings_.routing == RoutingPolicy::ECMP;
    const std::uint64_t source = card(from);
    const std::uint64_t target = card(to);
    std::vector<std::size_t> order(dims_.size()); // in which the dimensions are crossed
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); hashes && i > 1; --i)
      std::swap(order[i - 1], order[flow_hash(settings_.seed, source, target, i) % i]);
    links.push_back(2 * source);
    std::vector<int> at = place(from.node);
    const std::vector<int> goal = place(to.node);
    for (const std::size_t dim : order) {
      const int size = dims_[dim];
      const int ahead = (goal[dim] - at[dim] + size) % size;
      const bool tie = 2 * ahead == size;
      const bool forward =
          tie ? size == 2 || !hashes || flow_hash(settings_.seed, source, target, 64 + dim) % 2 == 0 : 2 * ahead < size;
      for (int step = forward ? ahead : size - ahead; step > 0 && ahead > 0; --step) {
        links.push_back(2 * cards() + node_at(at) * outs_ + first_out_[dim] + (forward ? 0U : 1U));
        at[dim] = (at[dim] + (forward ? 1 : size - 1)) % size;
      }
    }
    links.push_back(2 * target + 1);
  }

  [[nodiscard]] model::Fabric description() const override {
    model::Fabric result{
        fmt::format("torus of {}", fmt::join(dims_, "x")), routing_text(settings_), static_cast<int>(nics_), 0, {}};
    result.stages = {card_stage("NIC to router"), switch_stage("router to router", nodes_ * outs_ / 2)};
    result.stages.front().switches = nodes_;
    result.stages.front().switch_name = "router";
    return result;
  }

private:
  static std::string axis(std::size_t dim) { return dim < 3 ? std::string(1, "xyz"[dim]) : fmt::format("d{}", dim); }
  /// The last dimension counts fastest.
  [[nodiscard]] std::vector<int> place(std::uint32_t node) const {
    std::vector<int> at(dims_.size());
    for (std::size_t dim = dims_.size(); dim-- > 0;) {
      at[dim] = static_cast<int>(node % static_cast<std::uint32_t>(dims_[dim]));
      node /= static_cast<std::uint32_t>(dims_[dim]);
    }
    return at;
  }
  [[nodiscard]] std::uint64_t node_at(const std::vector<int>& at) const {
    std::uint64_t node = 0;
    for (std::size_t dim = 0; dim < dims_.size(); ++dim)
      node = node * static_cast<std::uint64_t>(dims_[dim]) + static_cast<std::uint64_t>(at[dim]);
    return node;
  }

  std::vector<int> dims_;
  std::vector<std::uint64_t> first_out_; ///< by dimension: its first link among those out of a router
  std::uint64_t outs_ = 0;               ///< links out of a router
};

} // namespace

std::unique_ptr<Fabric> make_torus(const FabricSettings& settings, std::uint32_t nodes, std::uint32_t nics) {
  return std::make_unique<TorusFabric>(settings, nodes, nics);
}

} // namespace tandem::platform
