// Transitive closure in lists or in bits.
#include "collective/ancestors.h"

#include <algorithm>
#include <iterator>

namespace tandem::collective {

Ancestors::Ancestors(const model::Dag& dag) {
  const auto order = dag.topological_order();
  if (make_lists(dag, order))
    return;
  lists_.clear();
  make_bits(dag, order);
}

bool Ancestors::before(std::uint32_t a, std::uint32_t b) const {
  if (bits_.empty())
    return std::binary_search(lists_[b].begin(), lists_[b].end(), a);
  return (bits_[b * words_ + a / 64] >> (a % 64) & 1) != 0;
}

bool Ancestors::make_lists(const model::Dag& dag, const std::vector<std::uint32_t>& order) {
  // On average, in entries of 32 bits: a quarter of what the bits would take, or little.
  const std::size_t most = std::max<std::size_t>(32, dag.size() / 128);
  std::size_t room = most * dag.size();
  lists_.resize(dag.size());
  std::vector<std::uint32_t> both;
  for (const auto node : order) {
    auto own = lists_[node];
    own.insert(std::upper_bound(own.begin(), own.end(), node), node);
    for (const auto successor : dag.successors(node)) {
      auto& list = lists_[successor];
      both.clear();
      std::set_union(list.begin(), list.end(), own.begin(), own.end(), std::back_inserter(both));
      if (both.size() - list.size() > room)
        return false;
      room -= both.size() - list.size();
      list.assign(both.begin(), both.end());
    }
  }
  return true;
}

void Ancestors::make_bits(const model::Dag& dag, const std::vector<std::uint32_t>& order) {
  words_ = (dag.size() + 63) / 64;
  bits_.assign(words_ * dag.size(), 0);
  for (const auto node : order)
    for (const auto successor : dag.successors(node)) {
      for (std::size_t word = 0; word < words_; ++word)
        bits_[successor * words_ + word] |= bits_[node * words_ + word];
      bits_[successor * words_ + node / 64] |= std::uint64_t{1} << (node % 64);
    }
}

} // namespace tandem::collective
