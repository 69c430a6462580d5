// Transitive closure by chains or by bits.
#include "collective/ancestors.h"

#include <algorithm>

namespace tandem::collective {

namespace {

constexpr std::uint32_t NONE = 0xffffffff;
constexpr std::size_t BITS_PER_PLACE = 32;

} // namespace

Ancestors::Ancestors(const model::Dag& dag) {
  const auto order = dag.topological_order();
  make_chains(dag, order);
  if (chains_ * BITS_PER_PLACE <= dag.size())
    reach_by_chains(dag, order);
  else
    reach_by_bits(dag, order);
}

/// An operation goes on with the chain of the first one before it that nobody has gone on with.
void Ancestors::make_chains(const model::Dag& dag, const std::vector<std::uint32_t>& order) {
  chain_.assign(dag.size(), NONE);
  place_.assign(dag.size(), 0);
  for (const auto node : order) {
    if (chain_[node] == NONE)
      chain_[node] = chains_++;
    for (const auto successor : dag.successors(node))
      if (chain_[successor] == NONE) {
        chain_[successor] = chain_[node];
        place_[successor] = place_[node] + 1;
        break;
      }
  }
}

void Ancestors::reach_by_chains(const model::Dag& dag, const std::vector<std::uint32_t>& order) {
  reached_.assign(std::size_t{dag.size()} * chains_, 0);
  for (const auto node : order) {
    const auto* own = reached_.data() + std::size_t{node} * chains_;
    for (const auto successor : dag.successors(node)) {
      auto* its = reached_.data() + std::size_t{successor} * chains_;
      for (std::uint32_t chain = 0; chain < chains_; ++chain)
        its[chain] = std::max(its[chain], own[chain]);
      its[chain_[node]] = std::max(its[chain_[node]], place_[node] + 1);
    }
  }
}

void Ancestors::reach_by_bits(const model::Dag& dag, const std::vector<std::uint32_t>& order) {
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
