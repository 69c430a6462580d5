// nvls: the switch of a node adds what its GPUs send and copies what they spread (NVLink SHARP), so that a sum leaves
// it once and a copy reaches it once. Between nodes each GPU's part goes up and down a binary tree.
#include "collective/binary_tree.h"
#include "collective/in_switch.h"
#include "collective/messages.h"
#include "collective/plain.h"
#include "collective/ring_place.h"
#include "collective/strategies/strategies.h"

namespace tandem::collective {

namespace {

using model::Buffer;
using model::CollectiveKind;
using model::Phase;

/// Channels of a rank: to and from the switch, up and down the tree.
enum Channel : std::uint16_t { GATHERS, SPREADS, UP, DOWN };

/// GPU i of a node owns part i of the payload there, or the root owns all. A part goes in chunks that follow each
/// other.
class NvlsProgram {
public:
  NvlsProgram(Composer& composer, Mover mover, const PipelineParts& parts, int rank, int gpus)
      : composer_(composer), parts_(parts), rank_(rank), gpus_(gpus), node_(rank / gpus),
        nodes_(composer.ranks() / gpus) {
    phase_.algorithm = GroupAlgorithm::IN_SWITCH;
    phase_.group.place = local();
    for (int gpu = 0; gpu < gpus; ++gpu)
      phase_.group.members.push_back(gpu - local());
    phase_.sums = {mover.sms, GATHERS};
    phase_.results = {mover.sms, SPREADS};
    up_ = {mover.sms, UP};
    down_ = {mover.sms, DOWN};
  }

  void append(CollectiveKind kind, int root) {
    const bool sums = kind != CollectiveKind::ALL_GATHER && kind != CollectiveKind::BROADCAST;
    const bool spreads = kind != CollectiveKind::REDUCE_SCATTER && kind != CollectiveKind::REDUCE;
    const OpId begin = composer_.launch("nvls launch", sums ? Phase::RS : Phase::AG, {});
    for (int chunk = 0; chunk < parts_.chunks(); ++chunk) {
      phase_.shares.clear();
      for (int gpu = 0; gpu < gpus_; ++gpu)
        phase_.shares.push_back(
            model::has_root(kind) && gpu != root ? Spans{} : Spans{span(model::has_root(kind) ? 0 : gpu, chunk)});
      std::vector<OpId> ready{begin};
      if (sums)
        ready = append_switch_sums(composer_, phase_, begin, {begin});
      if (nodes_ > 1)
        ready = append_tree(chunk, begin, ready);
      if (spreads)
        append_switch_copies(composer_, phase_, has_result_ ? model::FROM_RESULT : model::FROM_LOCAL, begin, ready);
    }
  }

private:
  [[nodiscard]] int local() const { return rank_ % gpus_; }
  [[nodiscard]] Span span(int owner, int chunk) const { return parts_.span(composer_, rank_, owner, chunk); }
  OpId add(Op op, const std::vector<OpId>& after) { return composer_.add(std::move(op), after); }

  /// Sums of the own part go up the tree of nodes, the result comes down. Returns when it is there.
  std::vector<OpId> append_tree(int chunk, OpId begin, std::vector<OpId> summed) {
    const BinaryTree tree(nodes_, chunk % 2);
    const auto own = span(local(), chunk);
    const auto offset = [&](int node) { return (node - node_) * gpus_; };
    for (const int child : tree.children(node_))
      summed.push_back(add(receive(composer_, up_, add_message(Phase::RS, "up", -offset(child), own), own), summed));
    const auto parent = tree.parent(node_);
    if (parent) {
      add(send(composer_, up_, add_message(Phase::RS, "up", offset(*parent), own)), summed);
      const auto down = copy_message(Phase::AG, "down", -offset(*parent), model::FROM_RESULT, Buffer::RESULT, own);
      summed = {begin, add(receive(composer_, down_, down, own), {begin})};
    }
    for (const int child : tree.children(node_))
      add(send(composer_, down_,
               copy_message(Phase::AG, "down", offset(child), parent ? model::FROM_RESULT : model::FROM_LOCAL,
                            Buffer::RESULT, own)),
          summed);
    has_result_ = parent.has_value();
    return summed;
  }

  Composer& composer_;
  const PipelineParts& parts_;
  int rank_, gpus_, node_, nodes_;
  GroupPhase phase_;
  Mover up_, down_;
  bool has_result_ = false;
};

class NvlsStrategy : public PlainStrategy {
public:
  NvlsStrategy(bool between_nodes, const Parameters& parameters)
      : PlainStrategy(between_nodes ? "nvls-tree" : "nvls", kinds(between_nodes), parameters),
        between_nodes_(between_nodes), cut_(pipeline_cut(parameters)) {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (auto reason = PlainStrategy::why_not(request, cluster); !reason.empty())
      return reason;
    if (!cluster.node_reduces_in_switch)
      return "no switch of a node of platform " + cluster.name + " reduces (in_switch_reduction)";
    if (between_nodes_)
      return spans_nodes(cluster, request.op.ranks) ? "" : "the ranks are not several whole nodes";
    return cluster.gpus_per_node > 0 && request.op.ranks > cluster.gpus_per_node ? "the ranks are not in one node" : "";
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    const int ranks = request.op.ranks;
    const int gpus = between_nodes_ ? cluster.gpus_per_node : ranks;
    const bool rooted = model::has_root(request.op.kind); // one share, which crosses each wire in one message
    const PipelineParts parts(request.op, rooted ? 1 : gpus, cut_);
    Composer composer(name(), request, cluster, parts.pieces_per_chunk(), parts.piece_bytes());
    prepare(composer, cluster, rooted ? 1 : gpus - 1, 2);
    const auto part = mover(composer, between_nodes_ ? FLOWS_BETWEEN : 1);
    for (int rank = 0; rank < ranks; ++rank) {
      NvlsProgram(composer, part, parts, rank, gpus).append(request.op.kind, request.op.root);
      composer.end_program();
    }
    return composer.finish(request.op.kind);
  }

private:
  /// Messages that take SMs at the same time: what a GPU stores into the switch, and a tree's one up and two down. Sums
  /// come out of the switch, and the other copies are its own.
  static constexpr int FLOWS_BETWEEN = 4;

  static std::vector<CollectiveKind> kinds(bool between_nodes) {
    if (between_nodes)
      return {CollectiveKind::ALL_REDUCE};
    return {CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER,
            CollectiveKind::BROADCAST, CollectiveKind::REDUCE};
  }

  bool between_nodes_;
  PipelineCut cut_;
};

} // namespace

StrategyInfo nvls_strategy() {
  return {"nvls", "collective on its own, in a node: its switch adds and copies (NVLink SHARP)",
          plain_parameters(pipeline_parameters()),
          [](const Parameters& parameters) { return std::make_unique<NvlsStrategy>(false, parameters); }};
}

StrategyInfo nvls_tree_strategy() {
  return {"nvls-tree",
          "collective on its own, over nodes: nvls in each, and a pair of binary trees between them for each GPU",
          plain_parameters(pipeline_parameters()),
          [](const Parameters& parameters) { return std::make_unique<NvlsStrategy>(true, parameters); }};
}

} // namespace tandem::collective
