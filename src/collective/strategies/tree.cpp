// tree: chunks go up a binary tree as sums and down as results. An all-reduce uses two trees for a half each, and a
// leaf of one is an inner node of the other. Along the links, trees are between nodes, and a chain serves the GPUs of
// each. Sanders, Speck, Traeff, "Two-tree algorithms for full bandwidth broadcast,
// reduction and scan", Parallel Computing 35 (2009).
#include "collective/binary_tree.h"
#include "collective/messages.h"
#include "collective/plain.h"
#include "collective/ring_place.h"
#include "collective/strategies/strategies.h"

#include <optional>

namespace tandem::collective {

namespace {

using model::Buffer;
using model::CollectiveKind;
using model::Phase;

/// Whom a rank gets sums from and sends its own to.
struct Place {
  std::optional<int> parent;
  std::vector<int> children;
};

constexpr std::size_t TREES_OF_NIC = 2;

/// The tree's place of each rank, tree by tree.
using Trees = std::vector<std::vector<Place>>;

Trees rank_trees(const model::CollectiveOp& op) {
  const bool two = op.kind == CollectiveKind::ALL_REDUCE;
  Trees trees;
  for (int which = 0; which < (two ? 2 : 1); ++which) {
    const BinaryTree tree(op.ranks, which, two ? std::nullopt : std::optional(op.root));
    auto& places = trees.emplace_back();
    for (int rank = 0; rank < op.ranks; ++rank)
      places.push_back({tree.parent(rank), tree.children(rank)});
  }
  return trees;
}

/// Two trees for each NIC of a node, over the GPUs that use it; the other GPUs of the node hang below in a chain.
Trees link_trees(const model::Cluster& cluster, int ranks) {
  const bool in_one = !spans_nodes(cluster, ranks);
  const int gpus = in_one ? ranks : cluster.gpus_per_node, nodes = ranks / gpus;
  Trees trees;
  std::vector<int> leaders{0};
  if (!in_one) {
    leaders.clear();
    for (const int gpu : nic_gpus(cluster))
      leaders.insert(leaders.end(), TREES_OF_NIC, gpu);
  }
  for (const int leader : leaders) {
    const BinaryTree tree(nodes, static_cast<int>(trees.size() % TREES_OF_NIC));
    auto& places = trees.emplace_back();
    for (int rank = 0; rank < ranks; ++rank) {
      const int node = rank / gpus, depth = (rank % gpus - leader + gpus) % gpus;
      const auto in_node = [&](int at) { return node * gpus + (leader + at) % gpus; };
      auto& place = places.emplace_back();
      if (depth > 0)
        place.parent = in_node(depth - 1);
      else if (const auto above = tree.parent(node))
        place.parent = *above * gpus + leader;
      if (depth == 0)
        for (const int below : tree.children(node))
          place.children.push_back(below * gpus + leader);
      if (depth + 1 < gpus)
        place.children.push_back(in_node(depth + 1));
    }
  }
  return trees;
}

class TreeStrategy : public PlainStrategy {
public:
  explicit TreeStrategy(const Parameters& parameters)
      : PlainStrategy("tree", {CollectiveKind::ALL_REDUCE, CollectiveKind::BROADCAST, CollectiveKind::REDUCE},
                      parameters),
        along_links_(word_parameter(parameters, "order", {"ranks", "links"}) == "links"),
        cut_(pipeline_cut(parameters)) {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (auto reason = PlainStrategy::why_not(request, cluster); !reason.empty())
      return reason;
    if (along_links_ && request.op.kind != CollectiveKind::ALL_REDUCE)
      return "along the links it does an all-reduce only";
    return {};
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    const int ranks = request.op.ranks;
    const auto trees = along_links_ ? link_trees(cluster, ranks) : rank_trees(request.op);
    const PipelineParts parts(request.op, static_cast<int>(trees.size()), cut_);
    Composer composer(name(), request, cluster, parts.pieces_per_chunk(), parts.piece_bytes());
    prepare(composer, cluster, static_cast<int>(trees.size()),
            along_links_ ? static_cast<int>(TREES_OF_NIC) : static_cast<int>(trees.size()));
    const int flows = flows_of(request.op.kind) * static_cast<int>(trees.size());
    for (int rank = 0; rank < ranks; ++rank) {
      const bool only_down = request.op.kind == CollectiveKind::BROADCAST;
      const OpId begin = composer.launch("tree launch", only_down ? Phase::AG : Phase::RS, {});
      for (int chunk = 0; chunk < parts.chunks(); ++chunk)
        for (std::size_t which = 0; which < trees.size(); ++which)
          append_chunk(composer, request.op.kind, trees[which][static_cast<std::size_t>(rank)], rank,
                       {mover(composer, flows, static_cast<std::uint16_t>(2 * which)),
                        mover(composer, flows, static_cast<std::uint16_t>(2 * which + 1))},
                       begin, parts.span(composer, rank, static_cast<int>(which), chunk));
      composer.end_program();
    }
    return composer.finish(request.op.kind);
  }

private:
  /// A rank of a binary tree sends up once, down twice.
  static constexpr int flows_of(CollectiveKind kind) {
    return kind == CollectiveKind::REDUCE ? 1 : kind == CollectiveKind::BROADCAST ? 2 : 3;
  }

  struct Movers {
    Mover up, down;
  };

  static void append_chunk(Composer& composer, CollectiveKind kind, const Place& place, int rank, const Movers& movers,
                           OpId begin, Span span) {
    const auto& [up, down] = movers;
    std::vector<OpId> ready{begin};
    if (kind != CollectiveKind::BROADCAST) {
      for (const int child : place.children)
        ready.push_back(
            composer.add(receive(composer, up, add_message(Phase::RS, "up", rank - child, span), span), {begin}));
      if (place.parent)
        composer.add(send(composer, up, add_message(Phase::RS, "up", *place.parent - rank, span)), ready);
    }
    if (kind == CollectiveKind::REDUCE)
      return;
    const auto source = place.parent ? model::FROM_RESULT : model::FROM_LOCAL;
    const auto message = [&](int to) { return copy_message(Phase::AG, "down", to, source, Buffer::RESULT, span); };
    if (place.parent)
      ready = {begin, composer.add(receive(composer, down, message(rank - *place.parent), span), {begin})};
    for (const int child : place.children)
      composer.add(send(composer, down, message(child - rank)), ready);
  }

  bool along_links_;
  PipelineCut cut_;
};

} // namespace

StrategyInfo tree_strategy() {
  return {"tree", "collective on its own: pipelined binary tree; an all-reduce on two trees (double binary tree)",
          plain_parameters(pipeline_parameters(
              {{"order", "ranks",
                "ranks: trees over all ranks; links: one over the nodes for each NIC, and chains within "
                "nodes"}})),
          [](const Parameters& parameters) { return std::make_unique<TreeStrategy>(parameters); }};
}

} // namespace tandem::collective
