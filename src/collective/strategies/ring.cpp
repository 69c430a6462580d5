// ring: each message goes to the next rank of a ring. All-reduce, reduce-scatter and all-gather in several channels
// side by side; broadcast and reduce as a chain through which chunks follow each other.
#include "collective/messages.h"
#include "collective/plain.h"
#include "collective/strategies/strategies.h"

#include <algorithm>
#include <fmt/format.h>

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
        along_links_(word_parameter(parameters, "order", {"ranks", "links"}) == "links"),
        copy_engine_(word_parameter(parameters, "mover", {"sm", "ce"}) == "ce"),
        channels_(whole_parameter(parameters, "channels", 1, 64)), cut_(pipeline_cut(parameters)) {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (auto reason = PlainStrategy::why_not(request, cluster); !reason.empty())
      return reason;
    const auto& device = *cluster.gpus.front().device;
    if (copy_engine_ && device.copy_engines == 0)
      return fmt::format("device {} has no copy engine", device.name);
    return {};
  }

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
    const int ranks = request.op.ranks;
    const std::vector<RingOrder> by_rank{rank_order(ranks)};
    const auto orders = along_links_ ? link_rings(cluster, ranks) : by_rank;
    const int channels = static_cast<int>(orders.size()) * channels_;
    Composer composer(name(), request, cluster, static_cast<std::uint32_t>(channels));
    prepare(composer, cluster, channels, channels_);
    if (orders == by_rank) { // all ranks see the same of it
      append_channels(composer, request.op.kind, {RingPlace()}, channels);
      return composer.finish(request.op.kind);
    }
    std::vector<std::vector<RingPlace>> places; // of the ranks whose programs are made
    std::vector<int> makers;
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<RingPlace> own;
      for (const auto& order : orders)
        own.emplace_back(order, rank);
      const auto same = std::find(places.begin(), places.end(), own);
      if (same != places.end()) {
        composer.run_program_of(makers[static_cast<std::size_t>(same - places.begin())]);
        continue;
      }
      append_channels(composer, request.op.kind, own, channels);
      composer.end_program();
      places.push_back(std::move(own));
      makers.push_back(rank);
    }
    return composer.finish(request.op.kind);
  }

  void append_channels(Composer& composer, CollectiveKind kind, const std::vector<RingPlace>& places,
                       int channels) const {
    for (int channel = 0; channel < channels; ++channel) {
      const auto& place = places[static_cast<std::size_t>(channel) % places.size()];
      const Slice slice{static_cast<std::uint32_t>(channel), 1};
      Mover part = mover(composer, channels, static_cast<std::uint16_t>(channel));
      std::vector<OpId> after;
      if (kind != CollectiveKind::ALL_GATHER)
        after = {copy_engine_ ? append_copies_and_adds(composer, part, slice, place)
                              : append_ring_reduce_scatter(composer, part, slice, after, place)};
      if (copy_engine_)
        part.sms = 0;
      if (kind != CollectiveKind::REDUCE_SCATTER)
        append_ring_all_gather(composer, part, slice, after, place);
    }
  }

  /// Reduce-scatter where a copy engine moves what a kernel on SMs has added before. Returns the end.
  static OpId append_copies_and_adds(Composer& composer, Mover kernel, Slice slice, const RingPlace& place) {
    const OpId begin = composer.launch("RS launch", Phase::RS, {});
    const Mover copies{.sms = 0, .channel = kernel.channel};
    OpId last = begin;
    for (int step = 0; step < composer.ranks() - 1; ++step) {
      const OpId arrival = append_ring_step(composer, copies, slice, step, false, {begin, last}, place);
      last =
          append_add(composer, "RS add", kernel.sms, composer.chunk(place.behind(step + 2), slice), {begin, arrival});
    }
    return last;
  }

  [[nodiscard]] model::Schedule chain(const Request& request, const model::Cluster& cluster) const {
    const PipelineParts parts(request.op, 1, cut_);
    Composer composer(name(), request, cluster, parts.pieces_per_chunk(), parts.piece_bytes());
    prepare(composer, cluster);
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
    for (int chunk = 0; chunk < parts.chunks(); ++chunk) {
      const auto span = parts.span(composer, rank, 0, chunk);
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

  bool along_links_, copy_engine_;
  int channels_;
  PipelineCut cut_;
};

} // namespace

StrategyInfo ring_strategy() {
  return {"ring",
          "collective on its own: messages to the next rank, in channels; broadcast and reduce as a pipelined chain",
          plain_parameters(pipeline_parameters(
              {{"order", "ranks",
                "ranks: one ring from rank to rank; links: the rings that the machine's links allow side by side, one "
                "for each NIC of a node"},
               {"mover", "sm",
                "sm: a kernel adds and sends at once; ce: copy engines send what a kernel has added (not for broadcast "
                "and reduce)"},
               {"channels", "1", "how often each ring is there, each with its part of the payload"}})),
          [](const Parameters& parameters) { return std::make_unique<RingStrategy>(parameters); }};
}

} // namespace tandem::collective
