// ring: each message goes to the next rank. All-reduce, reduce-scatter and all-gather in several channels side by side;
// broadcast and reduce as a chain through which chunks follow each other.
#include "collective/messages.h"
#include "collective/plain.h"
#include "collective/strategies/strategies.h"

namespace tandem::collective {

namespace {

using model::CollectiveKind;
using model::Phase;

class RingStrategy : public PlainStrategy {
public:
  explicit RingStrategy(const Parameters& parameters)
      : PlainStrategy("ring",
                      {CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER,
                       CollectiveKind::BROADCAST, CollectiveKind::REDUCE},
                      parameters),
        channels_(whole_parameter(parameters, "channels", 1, 64)),
        chunks_(whole_parameter(parameters, "chunks", 1, MOST_CHUNKS)) {}

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    switch (request.op.kind) {
    case CollectiveKind::BROADCAST:
    case CollectiveKind::REDUCE:
      return chain(request, cluster);
    default:
      return rings(request, cluster);
    }
  }

private:
  [[nodiscard]] model::Schedule rings(const Request& request, const model::Cluster& cluster) const {
    Composer composer(name(), request, cluster, static_cast<std::uint32_t>(channels_));
    for (int channel = 0; channel < channels_; ++channel) {
      const Slice slice{static_cast<std::uint32_t>(channel), 1};
      const Mover part = mover(composer, channels_, static_cast<std::uint16_t>(channel));
      std::vector<OpId> after;
      if (request.op.kind != CollectiveKind::ALL_GATHER)
        after = {append_ring_reduce_scatter(composer, part, slice, after)};
      if (request.op.kind != CollectiveKind::REDUCE_SCATTER)
        append_ring_all_gather(composer, part, slice, after);
    }
    return composer.finish(request.op.kind);
  }

  [[nodiscard]] model::Schedule chain(const Request& request, const model::Cluster& cluster) const {
    const PipelineParts parts(request.op, chunks_);
    Composer composer(name(), request, cluster, parts.pieces_per_chunk(), parts.piece_bytes());
    for (int rank = 0; rank < request.op.ranks; ++rank) {
      append_link_of_chain(composer, request.op, parts, rank);
      composer.end_program();
    }
    return composer.finish(request.op.kind);
  }

  /// A broadcast begins at the root, a reduce ends there.
  void append_link_of_chain(Composer& composer, const model::CollectiveOp& op, const PipelineParts& parts,
                            int rank) const {
    const bool adds = op.kind == CollectiveKind::REDUCE;
    const int place = (rank - op.root - (adds ? 1 : 0) + 2 * op.ranks) % op.ranks;
    const bool first = place == 0, last = place == op.ranks - 1;
    const OpId begin = composer.launch(adds ? "reduce launch" : "broadcast launch", adds ? Phase::RS : Phase::AG, {});
    const Mover all = mover(composer);
    for (int chunk = 0; chunk < chunks_; ++chunk) {
      const auto span = parts.span(composer, rank, chunk);
      const auto message =
          adds ? add_message(Phase::RS, "reduce", RING_NEXT, span)
               : copy_message(Phase::AG, "broadcast", RING_NEXT, first ? model::FROM_LOCAL : model::FROM_RESULT,
                              model::Buffer::RESULT, span);
      std::vector<OpId> after{begin};
      if (!first)
        after.push_back(composer.add(receive(composer, all, message, span), {begin}));
      if (!last)
        composer.add(send(composer, all, message), after);
    }
  }

  int channels_, chunks_;
};

} // namespace

StrategyInfo ring_strategy() {
  return {"ring",
          "collective on its own: messages to the next rank, in channels; broadcast and reduce as a pipelined chain",
          {sms_of_collective(),
           {"channels", "1", "rings side by side, each with its part of the payload"},
           chunks_of_pipeline()},
          [](const Parameters& parameters) { return std::make_unique<RingStrategy>(parameters); }};
}

} // namespace tandem::collective
