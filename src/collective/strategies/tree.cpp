// tree: chunks go up a binary tree as sums and down as results. An all-reduce uses two trees for a half each, and a
// leaf of one is an inner node of the other. Sanders, Speck, Traeff, "Two-tree algorithms for full bandwidth broadcast,
// reduction and scan", Parallel Computing 35 (2009).
#include "collective/messages.h"
#include "collective/plain.h"
#include "collective/strategies/strategies.h"

#include <bit>
#include <optional>

namespace tandem::collective {

namespace {

using model::Buffer;
using model::CollectiveKind;
using model::Phase;

/// In-order binary tree on the numbers 1 .. ranks: those with the lowest bit set are leaves.
class Tree {
public:
  /// Tree 0 hangs its root on `root`, or where the numbers put it; tree 1 is the mirror image, shifted where that would
  /// leave the leaves the same.
  Tree(int ranks, int which, std::optional<int> root) : ranks_(ranks), mirrored_(which == 1 && ranks % 2 == 0) {
    shift_ = which == 1 && ranks % 2 == 1 ? 1 : 0;
    if (root)
      shift_ = (*root - (top() - 1) + ranks_) % ranks_;
  }
  [[nodiscard]] std::optional<int> parent(int rank) const {
    const int up = parent_number(number(rank));
    return up == 0 ? std::nullopt : std::optional(rank_of(up));
  }
  [[nodiscard]] std::vector<int> children(int rank) const {
    const int own = number(rank);
    std::vector<int> list;
    int reach = (own & -own) / 2;
    if (reach > 0)
      list.push_back(rank_of(own - reach));
    while (reach > 0 && own + reach > ranks_) // where the right half is not full, its top is lower
      reach /= 2;
    if (reach > 0)
      list.push_back(rank_of(own + reach));
    return list;
  }

private:
  [[nodiscard]] int top() const { return static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks_))); }
  [[nodiscard]] int number(int rank) const {
    const int place = (rank - shift_ + ranks_) % ranks_;
    return mirrored_ ? ranks_ - place : place + 1;
  }
  [[nodiscard]] int rank_of(int number) const { return ((mirrored_ ? ranks_ - number : number - 1) + shift_) % ranks_; }
  /// 0: it is the root.
  [[nodiscard]] int parent_number(int number) const {
    const int lowest = number & -number;
    const int above = (number ^ lowest) | (lowest << 1);
    return above <= ranks_ ? above : number ^ lowest;
  }

  int ranks_, shift_ = 0;
  bool mirrored_;
};

class TreeStrategy : public PlainStrategy {
public:
  explicit TreeStrategy(const Parameters& parameters)
      : PlainStrategy("tree", {CollectiveKind::ALL_REDUCE, CollectiveKind::BROADCAST, CollectiveKind::REDUCE},
                      parameters),
        chunks_(whole_parameter(parameters, "chunks", 1, MOST_CHUNKS)) {}

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    const int ranks = request.op.ranks;
    const bool two = request.op.kind == CollectiveKind::ALL_REDUCE;
    const PipelineParts parts(request.op, (two ? 2 : 1) * chunks_);
    Composer composer(name(), request, cluster, parts.pieces_per_chunk(), parts.piece_bytes());
    std::vector<Tree> trees{Tree(ranks, 0, two ? std::nullopt : std::optional(request.op.root))};
    if (two)
      trees.emplace_back(ranks, 1, std::nullopt);
    for (int rank = 0; rank < ranks; ++rank) {
      const bool only_down = request.op.kind == CollectiveKind::BROADCAST;
      const OpId begin = composer.launch("tree launch", only_down ? Phase::AG : Phase::RS, {});
      for (int chunk = 0; chunk < chunks_; ++chunk)
        for (std::size_t which = 0; which < trees.size(); ++which) {
          const int part = static_cast<int>(which) * chunks_ + chunk;
          append_chunk(composer, request.op.kind, trees[which], rank, static_cast<std::uint16_t>(which), begin,
                       parts.span(composer, rank, part));
        }
      composer.end_program();
    }
    return composer.finish(request.op.kind);
  }

private:
  /// A rank of a binary tree sends up once and down twice.
  static constexpr int FLOWS = 3;

  void append_chunk(Composer& composer, CollectiveKind kind, const Tree& tree, int rank, std::uint16_t which,
                    OpId begin, Span span) const {
    const int flows = FLOWS * (kind == CollectiveKind::ALL_REDUCE ? 2 : 1);
    const Mover up = mover(composer, flows, static_cast<std::uint16_t>(2 * which));
    const Mover down = mover(composer, flows, static_cast<std::uint16_t>(2 * which + 1));
    const auto parent = tree.parent(rank);
    const auto children = tree.children(rank);
    std::vector<OpId> ready{begin};
    if (kind != CollectiveKind::BROADCAST) {
      for (const int child : children)
        ready.push_back(
            composer.add(receive(composer, up, add_message(Phase::RS, "up", rank - child, span), span), {begin}));
      if (parent)
        composer.add(send(composer, up, add_message(Phase::RS, "up", *parent - rank, span)), ready);
    }
    if (kind == CollectiveKind::REDUCE)
      return;
    const auto source = parent ? model::FROM_RESULT : model::FROM_LOCAL;
    const auto message = [&](int to) { return copy_message(Phase::AG, "down", to, source, Buffer::RESULT, span); };
    if (parent)
      ready = {begin, composer.add(receive(composer, down, message(rank - *parent), span), {begin})};
    for (const int child : children)
      composer.add(send(composer, down, message(child - rank)), ready);
  }

  int chunks_;
};

} // namespace

StrategyInfo tree_strategy() {
  return {"tree",
          "collective on its own: pipelined binary tree; an all-reduce on two trees (double binary tree)",
          {sms_of_collective(), chunks_of_pipeline()},
          [](const Parameters& parameters) { return std::make_unique<TreeStrategy>(parameters); }};
}

} // namespace tandem::collective
