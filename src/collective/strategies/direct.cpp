// direct: every rank sends to every other one straight. All-to-all is pairwise; an all-reduce takes two shots.
#include "collective/messages.h"
#include "collective/plain.h"
#include "collective/strategies/strategies.h"

#include <fmt/format.h>

namespace tandem::collective {

namespace {

using model::Buffer;
using model::CollectiveKind;
using model::Phase;

class DirectStrategy : public PlainStrategy {
public:
  explicit DirectStrategy(const Parameters& parameters)
      : PlainStrategy("direct",
                      {CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER,
                       CollectiveKind::ALL_TO_ALL, CollectiveKind::BROADCAST, CollectiveKind::REDUCE,
                       CollectiveKind::SCATTER, CollectiveKind::GATHER, CollectiveKind::SEND_RECV},
                      parameters),
        window_(whole_parameter(parameters, "window", 0, 1 << 20)) {}

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    Composer composer(name(), request, cluster);
    const int flows = request.op.kind == CollectiveKind::SEND_RECV ? 1 : sends_in_flight(composer, window_);
    prepare(composer, cluster, flows, flows);
    switch (request.op.kind) {
    case CollectiveKind::ALL_REDUCE:
      append_all_gather(composer, {append_reduce_scatter(composer)});
      break;
    case CollectiveKind::REDUCE_SCATTER:
      append_reduce_scatter(composer);
      break;
    case CollectiveKind::ALL_GATHER:
      append_all_gather(composer, {});
      break;
    case CollectiveKind::ALL_TO_ALL:
      append_direct_all_to_all(composer, mover(composer), composer.whole(), {}, window_);
      break;
    case CollectiveKind::SEND_RECV:
      append_send_receive(composer);
      break;
    default:
      for (int rank = 0; rank < request.op.ranks; ++rank) {
        append_rooted(composer, request.op, rank);
        composer.end_program();
      }
    }
    return composer.finish(request.op.kind);
  }

private:
  OpId append_reduce_scatter(Composer& composer) const {
    return append_direct_reduce_scatter(composer, mover(composer), composer.whole(), {}, window_);
  }

  OpId append_all_gather(Composer& composer, const std::vector<OpId>& after) const {
    return append_exchanges(
        composer, mover(composer), window_, "AG", Phase::AG,
        [&](int offset) {
          return Exchange{copy_message(Phase::AG, fmt::format("AG to +{}", offset), offset, model::FROM_LOCAL,
                                       Buffer::RESULT, composer.chunk(0, composer.whole())),
                          composer.chunk(-offset, composer.whole())};
        },
        after);
  }

  OpId append_send_receive(Composer& composer) const {
    const OpId begin = composer.launch("sendrecv launch", Phase::OTHER, {});
    if (composer.ranks() == 1)
      return begin;
    const auto message = copy_message(Phase::OTHER, "sendrecv", 1, model::FROM_LOCAL, Buffer::RESULT, composer.all());
    composer.add(send(composer, mover(composer), message), {begin});
    const Span from_before{composer.chunk(-1, composer.whole()).first, composer.schedule().pieces()};
    return composer.add(receive(composer, mover(composer), message, from_before), {begin});
  }

  void append_rooted(Composer& composer, const model::CollectiveOp& op, int rank) const {
    const bool from_root = op.kind == CollectiveKind::BROADCAST || op.kind == CollectiveKind::SCATTER;
    const bool in_parts = op.kind == CollectiveKind::SCATTER || op.kind == CollectiveKind::GATHER;
    const auto text = model::to_string(op.kind);
    const auto phase = op.kind == CollectiveKind::REDUCE ? Phase::RS : Phase::AG;
    const OpId begin = composer.launch(text + " launch", phase, {});
    std::vector<OpId> sent;
    const int peers = sends_in_flight(composer, window_);
    for (int other = 1; other < op.ranks; ++other) {
      const int peer = (op.root + other) % op.ranks;
      if (rank != op.root && rank != peer)
        continue;
      const int to = from_root ? peer - op.root : op.root - peer;
      const auto owner = static_cast<std::uint32_t>(peer);
      const auto span =
          in_parts ? composer.pieces_at(rank, owner, 1) : composer.pieces_at(rank, 0, composer.schedule().pieces());
      const auto message = op.kind == CollectiveKind::REDUCE
                               ? add_message(phase, text, to, span)
                               : copy_message(phase, text, to, model::FROM_LOCAL, Buffer::RESULT, span);
      const Mover part = mover(composer, from_root && rank == op.root ? peers : 1);
      if ((rank == op.root) != from_root) {
        composer.add(receive(composer, part, message, span), {begin});
        continue;
      }
      std::vector<OpId> ready{begin};
      if (sent.size() >= static_cast<std::size_t>(peers))
        ready.push_back(sent[sent.size() - static_cast<std::size_t>(peers)]);
      sent.push_back(composer.add(send(composer, part, message), ready));
    }
  }

  int window_;
};

} // namespace

StrategyInfo direct_strategy() {
  return {
      "direct",
      "collective on its own: every rank to every other one straight (all-to-all pairwise, all-reduce in two shots)",
      plain_parameters({{"window", "0", "sends of a rank in flight at a time; 0: all"}}),
      [](const Parameters& parameters) { return std::make_unique<DirectStrategy>(parameters); }};
}

} // namespace tandem::collective
