// bruck: log2 N steps of doubling distance, for any N. An all-gather sends all that a rank holds; an all-to-all sends
// every block whose way has the step's bit, through the ranks in between; a barrier is an all-gather of nothing
// (dissemination). Bruck, Ho, Kipnis, Upfal, Weathersby,
// "Efficient algorithms for all-to-all communications in multiport message-passing systems", IEEE TPDS 8 (1997).
#include "collective/messages.h"
#include "collective/plain.h"
#include "collective/ring_place.h"
#include "collective/strategies/strategies.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::collective {

namespace {

using model::Buffer;
using model::CollectiveKind;
using model::Phase;

class BruckStrategy : public PlainStrategy {
public:
  explicit BruckStrategy(const Parameters& parameters)
      : PlainStrategy("bruck", {CollectiveKind::ALL_GATHER, CollectiveKind::ALL_TO_ALL, CollectiveKind::BARRIER},
                      parameters, "ring") {}

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    auto sized = request;
    if (request.op.kind == CollectiveKind::BARRIER)
      sized.op.bytes = model::Bytes(0.0);
    Composer composer(name(), sized, cluster);
    prepare(composer, cluster, 1, gpus_of_nic(cluster, request.op.ranks));
    if (request.op.kind == CollectiveKind::ALL_TO_ALL)
      append_all_to_all(composer);
    else
      append_all_gather(composer);
    return composer.finish(request.op.kind);
  }

private:
  /// Before a step of distance d, rank r holds the chunks of r .. r + d - 1.
  void append_all_gather(Composer& composer) const {
    const OpId begin = composer.launch("AG launch", Phase::AG, {});
    std::vector<OpId> arrived{append_in_place(composer, composer.chunk(0, composer.whole()), {begin})};
    for (int distance = 1; distance < composer.ranks(); distance *= 2) {
      const auto count = static_cast<std::uint32_t>(std::min(distance, composer.ranks() - distance));
      const auto message = copy_message(Phase::AG, fmt::format("AG distance {}", distance), -distance,
                                        model::FROM_RESULT, Buffer::RESULT, composer.chunk(0, {0, count}));
      composer.add(send(composer, mover(composer), message), arrived);
      arrived.push_back(
          composer.add(receive(composer, mover(composer), message, composer.chunk(distance, {0, count})), arrived));
    }
  }

  /// Where a block that has still to go lies after the step of `distance`; `way` is all of its way.
  [[nodiscard]] static std::uint32_t stop(const Composer& composer, int step, int way) {
    return static_cast<std::uint32_t>(step * composer.ranks() + way);
  }

  void append_all_to_all(Composer& composer) const {
    OpId last = composer.launch("A2A launch", Phase::OTHER, {});
    int step = 0;
    for (int distance = 1; distance < composer.ranks(); distance *= 2, ++step) {
      std::vector<OpId> arrived{last};
      for (int way = distance; way < composer.ranks(); ++way)
        if ((way & distance) != 0)
          arrived.push_back(append_block(composer, step, way, last));
      last = composer.join(fmt::format("A2A distance {} done", distance), Phase::OTHER, arrived);
    }
    composer.schedule().scratch = static_cast<std::uint32_t>(step * composer.ranks());
  }

  /// One block of the step: it has gone the lower bits of its way and goes this one now.
  OpId append_block(Composer& composer, int step, int way, OpId after) const {
    const int distance = 1 << step;
    const int gone = way & (distance - 1), left = way - gone;
    auto message =
        copy_message(Phase::OTHER, fmt::format("A2A distance {}", distance), distance,
                     gone == 0 ? model::FROM_LOCAL : model::FROM_SCRATCH,
                     left == distance ? Buffer::RESULT : Buffer::SCRATCH, composer.chunk(left, composer.whole()));
    if (gone != 0) { // it came with the highest of those bits
      int came = 0;
      while (gone >> (came + 1) != 0)
        ++came;
      message.effect.from = stop(composer, came, way);
    }
    message.effect.to = left == distance ? composer.chunk(-gone, composer.whole()).first : stop(composer, step, way);
    composer.add(send(composer, mover(composer), message), {after});
    return composer.add(receive(composer, mover(composer), message, composer.chunk(left - distance, composer.whole())),
                        {after});
  }
};

} // namespace

StrategyInfo bruck_strategy() {
  return {
      "bruck",
      "collective on its own: log2 N steps of doubling distance, any N; all-to-all through ranks in between; barrier",
      plain_parameters(), [](const Parameters& parameters) { return std::make_unique<BruckStrategy>(parameters); }};
}

} // namespace tandem::collective
