// The model of NCCL's tuner (facts: NVIDIA/nccl src/graph/tuning.cc); docs/models.md, "Libraries".
#include "collective/selector.h"

#include "collective/plain.h"
#include "collective/ring_place.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace tandem::collective {

namespace {

using model::CollectiveKind;
using model::CollectiveOp;

/// A pipeline goes in this many chunks per step of its depth, none smaller than the protocol's smallest, bytes: LL and
/// LL128 have a flag in every line, so that lines follow each other.
constexpr int CHUNKS_PER_STEP = 8;
constexpr int smallest_chunk(std::string_view protocol) {
  return protocol == "LL" ? 512 : protocol == "LL128" ? 2048 : 16384;
}
constexpr int MOST_CHUNKS_CHOSEN = 256;

/// A step over one medium: latency, and the bandwidth that a rank's (or a NIC's) messages reach together.
struct Step {
  double latency_s = 0.0, bandwidth = 0.0;
};

} // namespace

/// The ranks as a tuner sees them.
class Tuner::Shape {
public:
  Shape(CollectiveKind kind, int ranks, const model::Cluster& cluster) : kind_(kind), ranks_(ranks) {
    const bool spans = spans_nodes(cluster, ranks);
    gpus_ = spans ? cluster.gpus_per_node : ranks;
    const auto rings = link_rings(cluster, ranks).size();
    // Rings of a mesh have links of their own; rings through a switch share one port.
    if (gpus_ > 1)
      within_ = way(cluster, 1, !spans && rings > 1 ? rings : 1, 1);
    if (spans) {
      const auto nics = std::max<std::size_t>(1, nic_gpus(cluster).size());
      between_ = way(cluster, first_across_network(cluster), nics, nics);
    }
    adds_in_switch_ = cluster.node_reduces_in_switch && gpus_ > 1 &&
                      (spans || cluster.gpus_per_node == 0 || ranks <= cluster.gpus_per_node);
  }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] int gpus() const { return gpus_; }
  [[nodiscard]] int nodes() const { return ranks_ / gpus_; }
  [[nodiscard]] double bytes() const { return bytes_; }
  void set_bytes(double bytes) { bytes_ = bytes; }
  [[nodiscard]] CollectiveKind kind() const { return kind_; }
  [[nodiscard]] bool reduces_in_switch() const { return adds_in_switch_; }
  [[nodiscard]] Step within(const model::Protocol& protocol) const { return step(protocol, within_); }
  [[nodiscard]] Step between(const model::Protocol& protocol) const { return step(protocol, between_); }
  /// Whether the protocol has costs for the ways that there are.
  [[nodiscard]] bool is_known(const model::Protocol& protocol) const {
    return (!within_ || protocol.over(within_->medium).is_known) &&
           (!between_ || protocol.over(between_->medium).is_known);
  }

private:
  /// Links side by side, and how many times a protocol's rate there is.
  struct Way {
    model::Medium medium;
    double latency_s, bandwidth;
    std::size_t rates;
  };

  static Way way(const model::Cluster& cluster, int to, std::size_t links, std::size_t rates) {
    const auto route = cluster.route(rank_at(0), rank_at(to));
    return {cluster.medium(route), route.latency.value(),
            cluster.narrowest(route.links).value() * static_cast<double>(links), rates};
  }
  static Step step(const model::Protocol& protocol, const std::optional<Way>& way) {
    if (!way)
      return {};
    const auto& hop = protocol.over(way->medium);
    double width = way->bandwidth / hop.wire_factor;
    if (hop.rate.value() > 0.0)
      width = std::min(width, hop.rate.value() * static_cast<double>(way->rates));
    return {way->latency_s + hop.latency.value(), width};
  }

  CollectiveKind kind_;
  int ranks_, gpus_ = 1;
  double bytes_ = 0.0;
  bool adds_in_switch_ = false;
  std::optional<Way> within_, between_;
};

namespace {

using Shape = Tuner::Shape;

double narrowest(const Step& within, const Step& between) {
  if (between.bandwidth == 0.0)
    return within.bandwidth;
  return within.bandwidth == 0.0 ? between.bandwidth : std::min(within.bandwidth, between.bandwidth);
}

double ring_time(const Shape& shape, const model::Protocol& protocol) {
  const auto within = shape.within(protocol), between = shape.between(protocol);
  const int rounds = shape.kind() == CollectiveKind::ALL_REDUCE ? 2 : 1;
  const int steps = rounds * (shape.ranks() - 1);
  const int outside = shape.nodes() > 1 ? rounds * (shape.nodes() - 1) : 0;
  const bool chain = shape.kind() == CollectiveKind::BROADCAST || shape.kind() == CollectiveKind::REDUCE;
  const double share = chain ? 1.0 : static_cast<double>(steps) / shape.ranks();
  return protocol.base.value() + (steps - outside) * within.latency_s + outside * between.latency_s +
         share * shape.bytes() / narrowest(within, between);
}

int tree_depth(const Shape& shape) {
  return 2 * (shape.gpus() - 1 + static_cast<int>(std::ceil(std::log2(shape.nodes()))));
}

double tree_time(const Shape& shape, const model::Protocol& protocol) {
  const auto within = shape.within(protocol), between = shape.between(protocol);
  // Data goes up and down: on average each byte passes a port twice, but for what a root keeps.
  const auto twice = [&](int members) { return 2.0 * shape.bytes() * (members - 1) / members; };
  return protocol.base.value() +
         2.0 * ((shape.gpus() - 1) * within.latency_s + std::log2(shape.nodes()) * between.latency_s) +
         std::max(shape.gpus() > 1 ? twice(shape.gpus()) / within.bandwidth : 0.0,
                  shape.nodes() > 1 ? twice(shape.nodes()) / between.bandwidth : 0.0);
}

/// Each GPU sends its contributions to all parts but its own; what comes back flows at the same time.
double nvls_time(const Shape& shape, const model::Protocol& protocol) {
  const auto within = shape.within(protocol), between = shape.between(protocol);
  const double sent = shape.bytes() * (shape.gpus() - 1) / shape.gpus();
  return protocol.base.value() + 2.0 * (within.latency_s + std::log2(shape.nodes()) * between.latency_s) +
         std::max(sent / within.bandwidth,
                  shape.nodes() > 1 ? 2.0 * shape.bytes() * (shape.nodes() - 1) / shape.nodes() / between.bandwidth
                                    : 0.0);
}

double direct_time(const Shape& shape, const model::Protocol& protocol) {
  const auto within = shape.within(protocol), between = shape.between(protocol);
  const double share = shape.bytes() / shape.ranks();
  return protocol.base.value() + std::max(within.latency_s, between.latency_s) +
         std::max(within.bandwidth > 0.0 ? share * (shape.gpus() - 1) / within.bandwidth : 0.0,
                  between.bandwidth > 0.0 ? share * (shape.ranks() - shape.gpus()) * shape.gpus() / between.bandwidth
                                          : 0.0);
}

std::string word_of(const std::string& protocol) {
  const auto* found = std::find_if(PROTOCOLS.begin(), PROTOCOLS.end(),
                                   [&](const ProtocolName& known) { return known.name == protocol; });
  return found == PROTOCOLS.end() ? std::string() : found->word;
}

/// Parameters of a pipeline through so many steps.
std::string pipeline(int depth, const std::string& protocol) {
  return fmt::format("chunks={}:smallest_chunk={}", std::clamp(CHUNKS_PER_STEP * depth, 1, MOST_CHUNKS_CHOSEN),
                     smallest_chunk(protocol));
}

/// Empty strategy: the algorithm does not do this operation here.
Choice choice_of(const Shape& shape, const model::LibraryEntry& entry) {
  Choice choice{entry.algorithm, entry.protocol.name, {}, 0.0};
  const auto protocol = word_of(entry.protocol.name);
  const auto kind = shape.kind();
  const bool in_chunks = kind == CollectiveKind::ALL_REDUCE || kind == CollectiveKind::REDUCE_SCATTER ||
                         kind == CollectiveKind::ALL_GATHER;
  const bool chain = kind == CollectiveKind::BROADCAST || kind == CollectiveKind::REDUCE;
  if (protocol.empty())
    return choice;
  if (entry.algorithm == "ring" && in_chunks) {
    choice.strategy = fmt::format("ring:protocol={}:order=links", protocol);
    choice.predicted_s = ring_time(shape, entry.protocol);
  } else if (entry.algorithm == "ring" && chain) {
    choice.strategy = fmt::format("ring:protocol={}:{}", protocol, pipeline(shape.ranks() - 1, entry.protocol.name));
    choice.predicted_s = ring_time(shape, entry.protocol);
  } else if (entry.algorithm == "tree" && kind == CollectiveKind::ALL_REDUCE && shape.nodes() > 1) {
    choice.strategy =
        fmt::format("tree:protocol={}:order=links:{}", protocol, pipeline(tree_depth(shape), entry.protocol.name));
    choice.predicted_s = tree_time(shape, entry.protocol);
  } else if (entry.algorithm == (shape.nodes() > 1 ? "nvls-tree" : "nvls") && kind == CollectiveKind::ALL_REDUCE &&
             shape.reduces_in_switch()) {
    const int depth = 2 * (2 + static_cast<int>(std::ceil(std::log2(shape.nodes()))));
    choice.strategy = fmt::format("{}:protocol={}:{}", entry.algorithm, protocol, pipeline(depth, entry.protocol.name));
    choice.predicted_s = nvls_time(shape, entry.protocol);
  } else if (entry.algorithm == "direct" && !in_chunks && !chain) {
    choice.strategy = fmt::format("direct:protocol={}", protocol);
    choice.predicted_s = direct_time(shape, entry.protocol);
  }
  return choice;
}

} // namespace

Tuner::Tuner(CollectiveKind kind, int ranks, const model::Cluster& cluster)
    : shape_(std::make_unique<Shape>(kind, ranks, cluster)) {}
Tuner::~Tuner() = default;

std::vector<Choice> Tuner::choices(double bytes, const model::Library& library) const {
  Shape shape = *shape_;
  shape.set_bytes(bytes);
  std::vector<Choice> list;
  for (const auto& entry : library.entries) {
    if (!shape.is_known(entry.protocol))
      continue;
    if (auto choice = choice_of(shape, entry); !choice.strategy.empty())
      list.push_back(std::move(choice));
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Choice& a, const Choice& b) { return a.predicted_s < b.predicted_s; });
  return list;
}

std::vector<Choice> choices(const CollectiveOp& op, const model::Cluster& cluster) {
  return Tuner(op.kind, op.ranks, cluster).choices(op.bytes.value(), *cluster.library);
}

std::string to_string(const std::vector<Choice>& choices) {
  constexpr double PER_US = 1e6;
  std::vector<std::string> texts;
  for (const auto& choice : choices)
    texts.push_back(fmt::format("{} {} {:.4g} us", choice.algorithm, choice.protocol, choice.predicted_s * PER_US));
  return fmt::format("{}", fmt::join(texts, ", "));
}

} // namespace tandem::collective
