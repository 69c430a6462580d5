// Coordinates by strides; groups are the ranks that agree in all others.
#include "workload/rank_grid.h"

#include "base/error.h"
#include "base/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace tandem::workload {

namespace {

using Groups = std::vector<std::vector<std::uint32_t>>;

} // namespace

RankGrid::RankGrid(const GridSizes& sizes, const std::string& order) : sizes_(sizes) {
  const std::vector<std::string> names{"tp", "cp", "ep", "dp", "pp"};
  const auto words = base::split(order, '-');
  if (words.size() != names.size() || !std::is_permutation(words.begin(), words.end(), names.begin(), names.end()))
    throw base::UserError(fmt::format("rank order '{}' is not understood; allowed: tp, cp, ep, dp and pp, each once, "
                                      "joined by '-', as tp-cp-ep-dp-pp",
                                      order));
  for (std::size_t i = 0; i < words.size(); ++i)
    order_[i] = static_cast<Axis>(std::find(names.begin(), names.end(), words[i]) - names.begin());
  if (sizes.cp * sizes.dp % sizes.ep != 0)
    throw base::UserError(fmt::format("ep = {} does not divide the {} ranks of cp x dp = {} x {}", sizes.ep,
                                      sizes.cp * sizes.dp, sizes.cp, sizes.dp));
  layers_ = laid_out({sizes.tp, sizes.cp, 1, sizes.dp, sizes.pp});
  experts_ = laid_out({sizes.tp, 1, sizes.ep, sizes.cp * sizes.dp / sizes.ep, sizes.pp});
}

RankGrid::Place RankGrid::laid_out(const Layout& size) const {
  Place place{size, {}};
  int stride = 1;
  for (const auto axis : order_) {
    place.stride[axis] = stride;
    stride *= size[axis];
  }
  return place;
}

int RankGrid::stage(int rank) const {
  return layers_.coordinate(rank, PP);
}

model::Grouping RankGrid::along(const std::string& name, const Place& place, const std::vector<Axis>& axes) const {
  std::map<int, std::size_t> known; // the rank without its coordinates along `axes` -> group
  Groups groups;
  for (int rank = 0; rank < ranks(); ++rank) {
    int others = rank;
    for (const auto axis : axes)
      others -= place.coordinate(rank, axis) * place.stride[axis];
    const auto [entry, is_new] = known.try_emplace(others, groups.size());
    if (is_new)
      groups.emplace_back();
    groups[entry->second].push_back(static_cast<std::uint32_t>(rank));
  }
  return {name, ranks(), std::move(groups)};
}

model::Grouping RankGrid::tp() const {
  return along("tp", layers_, {TP});
}
model::Grouping RankGrid::cp() const {
  return along("cp", layers_, {CP});
}
model::Grouping RankGrid::ep() const {
  return along("ep", experts_, {EP});
}
model::Grouping RankGrid::dp() const {
  return along("dp", layers_, {CP, DP});
}
model::Grouping RankGrid::expert_dp() const {
  return along("expert dp", experts_, {DP});
}

model::Grouping RankGrid::shards(int size) const {
  Groups groups;
  const auto whole = dp();
  for (const auto& all : whole.groups())
    for (std::size_t first = 0; first < all.size(); first += static_cast<std::size_t>(size))
      groups.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(first),
                          all.begin() + static_cast<std::ptrdiff_t>(first) + size);
  return {"shards", ranks(), std::move(groups)};
}

model::Grouping RankGrid::replicas(int size) const {
  Groups groups;
  const auto whole = dp();
  for (const auto& all : whole.groups())
    for (std::size_t place = 0; place < static_cast<std::size_t>(size); ++place) {
      auto& group = groups.emplace_back();
      for (std::size_t i = place; i < all.size(); i += static_cast<std::size_t>(size))
        group.push_back(all[i]);
    }
  return {"replicas", ranks(), std::move(groups)};
}

model::Grouping RankGrid::stages(int from, int to) const {
  Groups groups;
  for (int rank = 0; rank < ranks(); ++rank)
    if (stage(rank) == from)
      groups.push_back(
          {static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(rank + (to - from) * layers_.stride[PP])});
  return {fmt::format("pp {}>{}", from, to), ranks(), std::move(groups)};
}

model::Grouping RankGrid::alone() const {
  Groups groups(static_cast<std::size_t>(ranks()));
  for (int rank = 0; rank < ranks(); ++rank)
    groups[static_cast<std::size_t>(rank)] = {static_cast<std::uint32_t>(rank)};
  return {"alone", ranks(), std::move(groups)};
}

} // namespace tandem::workload
