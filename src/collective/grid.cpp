// Lines of a grid, the chunks that each phase works on, and the order of the phases.
#include "collective/grid.h"

#include "collective/plain.h"

#include <algorithm>

namespace tandem::collective {

using model::CollectiveKind;

int Grid::ranks() const {
  int product = 1;
  for (const int size : dims_)
    product *= size;
  return product;
}

int Grid::coordinate(int rank, int dimension) const {
  for (int faster = 0; faster < dimension; ++faster)
    rank /= size(faster);
  return rank % size(dimension);
}

Group Grid::line(int rank, int dimension) const {
  int stride = 1;
  for (int faster = 0; faster < dimension; ++faster)
    stride *= size(faster);
  Group group;
  group.place = coordinate(rank, dimension);
  for (int at = 0; at < size(dimension); ++at)
    group.members.push_back((at - group.place) * stride);
  return group;
}

std::vector<Spans> Grid::shares(const Composer& composer, Slice slice, int rank, const std::vector<int>& fixed,
                                int dimension, bool side_by_side) const {
  const auto pieces = static_cast<std::uint32_t>(ranks()) * composer.whole().count;
  std::vector<Spans> shares(static_cast<std::size_t>(size(dimension)));
  // From the own layer of the last dimension on, so that ranks that differ in it only name their spans alike.
  const int layer = different_ranks(), first = rank / layer * layer;
  for (int i = 0; i < ranks(); ++i) {
    const int owner = side_by_side ? i / dims_.back() + i % dims_.back() * layer : (first + i) % ranks();
    const int chunk = side_by_side ? i : owner;
    const bool counts = std::all_of(fixed.begin(), fixed.end(),
                                    [&](int done) { return coordinate(owner, done) == coordinate(rank, done); });
    if (counts)
      append_span(shares[static_cast<std::size_t>(coordinate(owner, dimension))], composer.chunk(chunk - rank, slice),
                  pieces);
  }
  return shares;
}

OpId append_journey(Composer& composer, const Grid& grid, const Journey& journey, int rank, CollectiveKind kind,
                    OpId begin) {
  std::vector<GroupPhase> phases;
  std::vector<int> done;
  int channel = journey.first_channel;
  for (const auto& leg : journey.legs) {
    phases.push_back({.name = leg.name,
                      .algorithm = leg.algorithm,
                      .group = grid.line(rank, leg.dimension),
                      .shares = grid.shares(composer, journey.slice, rank, done, leg.dimension, journey.side_by_side),
                      .sums = {journey.sms, static_cast<std::uint16_t>(channel)},
                      .results = {journey.sms, static_cast<std::uint16_t>(channel + 1)}});
    done.push_back(leg.dimension);
    channel += 2;
  }
  OpId last = begin;
  const auto last_leg = phases.size() - 1;
  if (kind == CollectiveKind::ALL_GATHER)
    last = append_in_place(composer, composer.chunk(0, journey.slice), {last});
  for (std::size_t leg = 0; leg <= last_leg && kind != CollectiveKind::ALL_GATHER; ++leg)
    last = leg == last_leg && kind == CollectiveKind::ALL_REDUCE
               ? append_group_all_reduce(composer, phases[leg], {last})
               : append_group_reduce_scatter(composer, phases[leg], {last});
  if (kind == CollectiveKind::REDUCE_SCATTER)
    return last;
  for (std::size_t leg = kind == CollectiveKind::ALL_REDUCE ? last_leg : last_leg + 1; leg > 0; --leg)
    last = append_group_all_gather(composer, phases[leg - 1], {last});
  return last;
}

} // namespace tandem::collective
