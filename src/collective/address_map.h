// Where T3 maps the chunks of a GEMM's output: the order in which a rank makes them, and the way of each to its owner.
#pragma once

namespace tandem::collective {

/// Which way the chunks go: along the ring, block by block; each straight to its owner; or within the node first and as
/// the node's sum between nodes.
enum class Topology { RING, DIRECT, HIERARCHICAL };

/// Of rank `place` of a node of G GPUs, in K nodes of them; without nodes G is all ranks and K is 1.
///
/// At position j G + p a rank makes a chunk of the node j + 1 before its own one, and of the GPU p + 1 before its own
/// place there: so every G positions complete the sums of a node for one chunk of each of its GPUs, which go on between
/// nodes while the next G are made. The own chunk comes last.
class AddressMap {
public:
  /// `within`, `between`: RING or DIRECT.
  AddressMap(int gpus, int nodes, int place, Topology within, Topology between)
      : gpus_(gpus), nodes_(nodes), place_(place), within_(within), between_(between) {}

  [[nodiscard]] int positions() const { return gpus_ * nodes_; }
  [[nodiscard]] bool is_own(int position) const { return position == positions() - 1; }
  /// The node's sum of it comes together at this rank.
  [[nodiscard]] bool is_node_sum(int position) const { return position % gpus_ == gpus_ - 1; }
  /// The kernel's stores go straight to a peer's memory.
  [[nodiscard]] bool goes_remote(int position) const {
    return !is_node_sum(position) && (position % gpus_ == 0 || within_ == Topology::DIRECT);
  }
  /// Offset of the owner of the chunk.
  [[nodiscard]] int owner(int position) const { return owner_in_node(position) - (position / gpus_ + 1) * gpus_; }

  struct Way {
    int to;       ///< offset of the rank that the sum goes to
    int from;     ///< of the rank that sends this one its own sum of this position
    int position; ///< at which the receiver counts it
  };
  /// Precondition: not is_own().
  [[nodiscard]] Way way(int position) const {
    if (is_node_sum(position))
      return between_ == Topology::RING ? Way{gpus_, -gpus_, position + gpus_}
                                        : Way{owner(position), -owner(position), positions() - 1};
    if (within_ == Topology::RING)
      return {in_node(1), in_node(-1), position + 1};
    return {owner_in_node(position), in_node(position % gpus_ + 1), position - position % gpus_ + gpus_ - 1};
  }

private:
  /// Offset of the rank of the node that is so many places further.
  [[nodiscard]] int in_node(int places) const { return (place_ + places + gpus_) % gpus_ - place_; }
  [[nodiscard]] int owner_in_node(int position) const { return in_node(-(position % gpus_) - 1); }

  int gpus_, nodes_, place_;
  Topology within_, between_;
};

} // namespace tandem::collective
