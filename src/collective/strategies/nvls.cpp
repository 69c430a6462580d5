// nvls: the switch of a node adds what its GPUs send and copies what they spread (NVLink SHARP), so that a sum leaves
// it once and a copy reaches it once. Between nodes each GPU's part goes up and down a binary tree.
#include "collective/binary_tree.h"
#include "collective/messages.h"
#include "collective/plain.h"
#include "collective/ring_place.h"
#include "collective/strategies/strategies.h"

namespace tandem::collective {

namespace {

using model::Access;
using model::Buffer;
using model::CollectiveKind;
using model::Leg;
using model::Phase;

/// Channels of a rank: to and from the switch, up and down the tree.
enum Channel : std::uint16_t { GATHERS, SPREADS, UP, DOWN };

/// GPU i of a node owns part i of the payload there. A part goes in chunks that follow each other.
class NvlsProgram {
public:
  NvlsProgram(Composer& composer, Mover mover, const PipelineParts& parts, int rank, int gpus, int chunks)
      : composer_(composer), mover_(mover), parts_(parts), rank_(rank), gpus_(gpus), chunks_(chunks),
        node_(rank / gpus), nodes_(composer.ranks() / gpus) {}

  void append() {
    const OpId begin = composer_.launch("nvls launch", Phase::RS, {});
    for (int chunk = 0; chunk < chunks_; ++chunk) {
      auto summed = append_sum(chunk, begin);
      if (nodes_ > 1)
        summed = append_tree(chunk, begin, summed);
      append_spread(chunk, begin, summed);
    }
  }

private:
  [[nodiscard]] int local() const { return rank_ % gpus_; }
  /// The k-th other GPU of the node, as an offset: no two GPUs turn to one at the same time.
  [[nodiscard]] int other(int k) const { return (local() + k) % gpus_ - local(); }
  [[nodiscard]] Span span(int owner, int chunk) const { return parts_.span(composer_, rank_, owner * chunks_ + chunk); }
  [[nodiscard]] Mover on(Channel channel) const { return {mover_.sms, channel}; }
  OpId add(Op op, const std::vector<OpId>& after) { return composer_.add(std::move(op), after); }

  /// Each GPU's contribution goes as far as the switch; the sum, which the last of them stands for, goes on.
  std::vector<OpId> append_sum(int chunk, OpId begin) {
    std::vector<OpId> in{begin};
    for (int k = 1; k < gpus_; ++k) {
      const int to = other(k);
      auto message = add_message(Phase::RS, "to switch", to, span(local() + to, chunk));
      message.sm_bytes = 0.0; // the owner's load makes the switch read
      message.at_peer = k == gpus_ - 1 ? std::vector{Access::WRITE} : std::vector<Access>{};
      Op op = send(composer_, on(GATHERS), message);
      op.leg = k == gpus_ - 1 ? Leg::WHOLE : Leg::TO_SWITCH;
      add(std::move(op), {begin});
      const int from = other(gpus_ - k);
      message.to = -from;
      in.push_back(add(receive(composer_, on(GATHERS), message, span(local(), chunk)), {begin}));
    }
    return in;
  }

  /// Sums of the own part go up the tree of nodes, the result comes down. Returns when it is there.
  std::vector<OpId> append_tree(int chunk, OpId begin, std::vector<OpId> summed) {
    const BinaryTree tree(nodes_, chunk % 2);
    const auto own = span(local(), chunk);
    const auto offset = [&](int node) { return (node - node_) * gpus_; };
    for (const int child : tree.children(node_))
      summed.push_back(add(receive(composer_, on(UP), add_message(Phase::RS, "up", -offset(child), own), own), summed));
    const auto parent = tree.parent(node_);
    if (parent) {
      add(send(composer_, on(UP), add_message(Phase::RS, "up", offset(*parent), own)), summed);
      const auto down = copy_message(Phase::AG, "down", -offset(*parent), model::FROM_RESULT, Buffer::RESULT, own);
      summed = {begin, add(receive(composer_, on(DOWN), down, own), {begin})};
    }
    for (const int child : tree.children(node_))
      add(send(composer_, on(DOWN),
               copy_message(Phase::AG, "down", offset(child), parent ? model::FROM_RESULT : model::FROM_LOCAL,
                            Buffer::RESULT, own)),
          summed);
    has_result_ = parent.has_value();
    return summed;
  }

  /// The owner's store reaches the switch once, which gives each GPU its copy.
  void append_spread(int chunk, OpId begin, const std::vector<OpId>& summed) {
    for (int k = 1; k < gpus_; ++k) {
      auto message =
          copy_message(Phase::AG, "from switch", other(k), has_result_ ? model::FROM_RESULT : model::FROM_LOCAL,
                       Buffer::RESULT, span(local(), chunk));
      message.reads = k == 1 ? 1.0 : 0.0;
      message.sm_bytes = k == 1 ? COPY : 0.0;
      Op op = send(composer_, on(SPREADS), message);
      op.leg = k == 1 ? Leg::WHOLE : Leg::FROM_SWITCH;
      add(std::move(op), summed);
      const int from = other(gpus_ - k);
      message.to = -from;
      add(receive(composer_, on(SPREADS), message, span(local() + from, chunk)), {begin});
    }
  }

  Composer& composer_;
  Mover mover_;
  const PipelineParts& parts_;
  int rank_, gpus_, chunks_, node_, nodes_;
  bool has_result_ = false;
};

class NvlsStrategy : public PlainStrategy {
public:
  NvlsStrategy(bool between_nodes, const Parameters& parameters)
      : PlainStrategy(between_nodes ? "nvls-tree" : "nvls", {CollectiveKind::ALL_REDUCE}, parameters),
        between_nodes_(between_nodes), chunks_(whole_parameter(parameters, "chunks", 1, MOST_CHUNKS)) {}

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
    const PipelineParts parts(request.op, gpus * chunks_);
    Composer composer(name(), request, cluster, parts.pieces_per_chunk(), parts.piece_bytes());
    prepare(composer, cluster, gpus - 1, 2);
    for (int rank = 0; rank < ranks; ++rank) {
      NvlsProgram(composer, mover(composer, gpus), parts, rank, gpus, chunks_).append();
      composer.end_program();
    }
    return composer.finish(request.op.kind);
  }

private:
  bool between_nodes_;
  int chunks_;
};

} // namespace

StrategyInfo nvls_strategy() {
  return {"nvls", "collective on its own, in a node: its switch adds and copies (NVLink SHARP)",
          plain_parameters({chunks_of_pipeline()}),
          [](const Parameters& parameters) { return std::make_unique<NvlsStrategy>(false, parameters); }};
}

StrategyInfo nvls_tree_strategy() {
  return {"nvls-tree",
          "collective on its own, over nodes: nvls in each, and a pair of binary trees between them for each GPU",
          plain_parameters({chunks_of_pipeline()}),
          [](const Parameters& parameters) { return std::make_unique<NvlsStrategy>(true, parameters); }};
}

} // namespace tandem::collective
