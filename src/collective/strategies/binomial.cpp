// binomial: a binomial tree from or to the root, for any N and any root; a rank serves one child after the other.
#include "collective/messages.h"
#include "collective/plain.h"
#include "collective/ring_place.h"
#include "collective/strategies/strategies.h"

#include <algorithm>
#include <bit>

namespace tandem::collective {

namespace {

using model::Buffer;
using model::CollectiveKind;
using model::Phase;

/// A rank by its distance from the root. Those below it are the next size() - 1.
class Node {
public:
  Node(const model::CollectiveOp& op, int number) : op_(op), number_(number) {}
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] int rank() const { return (number_ + op_.root) % op_.ranks; }
  [[nodiscard]] bool is_root() const { return number_ == 0; }
  [[nodiscard]] Node parent() const { return {op_, number_ & (number_ - 1)}; }
  [[nodiscard]] int size() const { return std::min(reach(), op_.ranks - number_); }
  /// The one with the largest subtree last.
  [[nodiscard]] std::vector<Node> children() const {
    std::vector<Node> list;
    for (int distance = 1; distance < reach() && number_ + distance < op_.ranks; distance *= 2)
      list.emplace_back(op_, number_ + distance);
    return list;
  }

private:
  [[nodiscard]] int reach() const {
    return is_root() ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(op_.ranks))) : number_ & -number_;
  }
  const model::CollectiveOp& op_;
  int number_;
};

class BinomialStrategy : public PlainStrategy {
public:
  explicit BinomialStrategy(const Parameters& parameters)
      : PlainStrategy(
            "binomial",
            {CollectiveKind::BROADCAST, CollectiveKind::REDUCE, CollectiveKind::SCATTER, CollectiveKind::GATHER},
            parameters, "ring") {}

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    Composer composer(name(), request, cluster);
    prepare(composer, cluster, 1, gpus_of_nic(cluster, request.op.ranks));
    const auto& op = request.op;
    for (int rank = 0; rank < op.ranks; ++rank) {
      const Node node(op, (rank - op.root + op.ranks) % op.ranks);
      const OpId begin = composer.launch(model::to_string(op.kind) + " launch", phase(op), {});
      if (op.kind == CollectiveKind::BROADCAST || op.kind == CollectiveKind::SCATTER)
        append_down(composer, op, node, begin);
      else
        append_up(composer, op, node, begin);
      composer.end_program();
    }
    return composer.finish(op.kind);
  }

private:
  [[nodiscard]] static Phase phase(const model::CollectiveOp& op) {
    return op.kind == CollectiveKind::REDUCE ? Phase::RS : Phase::AG;
  }
  /// What passes between a node and its parent: the chunks of all below it, or everything.
  [[nodiscard]] static Span passed(Composer& composer, const model::CollectiveOp& op, int rank, const Node& node) {
    const bool in_parts = op.kind == CollectiveKind::SCATTER || op.kind == CollectiveKind::GATHER;
    return in_parts ? composer.pieces_at(rank, static_cast<std::uint32_t>(node.rank()),
                                         static_cast<std::uint32_t>(node.size()))
                    : composer.pieces_at(rank, 0, composer.schedule().pieces());
  }

  void append_down(Composer& composer, const model::CollectiveOp& op, const Node& node, OpId begin) const {
    const auto text = model::to_string(op.kind);
    const auto message = [&](int from, int to, Span span) {
      return copy_message(phase(op), text, to - from, node.is_root() ? model::FROM_LOCAL : model::FROM_RESULT,
                          Buffer::RESULT, span);
    };
    std::vector<OpId> ready{begin};
    if (!node.is_root()) {
      const auto span = passed(composer, op, node.rank(), node);
      const int parent = node.parent().rank();
      ready = {composer.add(receive(composer, mover(composer), message(parent, node.rank(), span), span), {begin})};
    }
    const auto children = node.children();
    for (std::size_t left = children.size(); left > 0; --left) { // the one with the longest way to go first
      const auto& child = children[left - 1];
      const auto span = passed(composer, op, node.rank(), child);
      const OpId sent = composer.add(send(composer, mover(composer), message(node.rank(), child.rank(), span)), ready);
      ready = {ready.front(), sent};
    }
  }

  void append_up(Composer& composer, const model::CollectiveOp& op, const Node& node, OpId begin) const {
    const auto text = model::to_string(op.kind);
    const bool adds = op.kind == CollectiveKind::REDUCE;
    const auto message = [&](int from, int to, Span span) {
      return adds ? add_message(phase(op), text, to - from, span)
                  : copy_message(phase(op), text, to - from, model::FROM_RESULT, Buffer::RESULT, span);
    };
    std::vector<OpId> ready{begin};
    if (!adds)
      ready.push_back(append_in_place(
          composer, composer.pieces_at(node.rank(), static_cast<std::uint32_t>(node.rank()), 1), {begin}));
    for (const auto& child : node.children()) {
      const auto span = passed(composer, op, node.rank(), child);
      ready.push_back(composer.add(receive(composer, mover(composer), message(child.rank(), node.rank(), span), span),
                                   {ready.back()}));
    }
    if (!node.is_root())
      composer.add(send(composer, mover(composer),
                        message(node.rank(), node.parent().rank(), passed(composer, op, node.rank(), node))),
                   ready);
  }
};

} // namespace

StrategyInfo binomial_strategy() {
  return {"binomial", "collective on its own: binomial tree from or to the root, any N", plain_parameters(),
          [](const Parameters& parameters) { return std::make_unique<BinomialStrategy>(parameters); }};
}

} // namespace tandem::collective
