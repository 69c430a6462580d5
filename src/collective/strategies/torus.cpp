// torus: rings along one dimension of a grid of ranks after the other.
#include "base/error.h"
#include "base/units.h"
#include "collective/grid.h"
#include "collective/plain.h"
#include "collective/ring_place.h"
#include "collective/strategies/strategies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tandem::collective {

namespace {

using model::CollectiveKind;
using model::Phase;

constexpr int MOST_RANKS = 1 << 24;
constexpr std::size_t MOST_DIMENSIONS = 6;

/// "4x4"; empty for "auto". Throws UserError.
std::vector<int> dims_of(const std::string& text) {
  if (text == "auto")
    return {};
  std::vector<int> dims;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find('x', begin), text.size());
    try {
      dims.push_back(static_cast<int>(base::parse_integer(text.substr(begin, end - begin), 1, MOST_RANKS)));
    } catch (const base::UserError& error) {
      throw base::UserError(std::string("parameter dims: ") + error.what() + " (sizes with x between them, as 4x4)");
    }
    begin = end + 1;
  }
  if (dims.size() > MOST_DIMENSIONS)
    throw base::UserError(fmt::format("parameter dims: {} has {} dimensions, at most {} are allowed", text, dims.size(),
                                      MOST_DIMENSIONS));
  return dims;
}

/// Two sizes, as equal as they come, the larger one first.
std::vector<int> most_square(int ranks) {
  int smaller = 1;
  for (int size = 1; size * size <= ranks; ++size)
    if (ranks % size == 0)
      smaller = size;
  return {ranks / smaller, smaller};
}

class TorusStrategy : public PlainStrategy {
public:
  explicit TorusStrategy(const Parameters& parameters)
      : PlainStrategy("torus", {CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER},
                      parameters, "ring"),
        dims_(dims_of(parameters.at("dims"))), splits_(whole_parameter(parameters, "split", 0, 1) == 1) {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (auto reason = PlainStrategy::why_not(request, cluster); !reason.empty())
      return reason;
    double product = 1.0; // which may be beyond any whole number
    for (const int size : dims_)
      product *= size;
    if (!dims_.empty() && product != request.op.ranks)
      return fmt::format("a grid of {} has {:.0f} ranks, not {}", fmt::join(dims_, "x"), product, request.op.ranks);
    return {};
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    const Grid grid(dims_.empty() ? most_square(request.op.ranks) : dims_);
    const int parts = splits_ ? grid.dimensions() : 1;
    Composer composer(name(), request, cluster, static_cast<std::uint32_t>(parts));
    prepare(composer, cluster, parts, parts * gpus_of_nic(cluster, request.op.ranks));
    for (int rank = 0; rank < request.op.ranks; ++rank) {
      if (rank >= grid.different_ranks()) {
        composer.run_program_of(rank % grid.different_ranks());
        continue;
      }
      const bool sums = request.op.kind != CollectiveKind::ALL_GATHER;
      const OpId begin = composer.launch("torus launch", sums ? Phase::RS : Phase::AG, {});
      for (int part = 0; part < parts; ++part) {
        Journey journey{.legs = legs_from(grid, part),
                        .slice = {static_cast<std::uint32_t>(part), 1},
                        .sms = mover(composer, parts).sms};
        journey.first_channel = part * journey.channels();
        append_journey(composer, grid, journey, rank, request.op.kind, begin);
      }
      composer.end_program();
    }
    return composer.finish(request.op.kind);
  }

private:
  static std::vector<Journey::Leg> legs_from(const Grid& grid, int first) {
    std::vector<Journey::Leg> legs;
    for (int turn = 0; turn < grid.dimensions(); ++turn) {
      const int dimension = (first + turn) % grid.dimensions();
      legs.push_back({fmt::format("dim {} ", dimension), dimension, GroupAlgorithm::RING});
    }
    return legs;
  }

  std::vector<int> dims_; ///< empty: the most square ones
  bool splits_;
};

} // namespace

StrategyInfo torus_strategy() {
  return {"torus", "collective on its own: rings along the dimensions of a grid of ranks, one after the other",
          plain_parameters({{"dims", "auto",
                             "sizes of the grid, as 4x4 or 8x4x4; rank r is at r mod the first size in the first "
                             "dimension; auto: two sizes, as equal as they come"},
                            {"split", "0",
                             "1: as many parts of the payload as dimensions, each of which begins with another one, "
                             "so that all links work at the same time"}}),
          [](const Parameters& parameters) { return std::make_unique<TorusStrategy>(parameters); }};
}

} // namespace tandem::collective
