// In-order numbering; Sanders, Speck, Traeff, Parallel Computing 35 (2009).
#include "collective/binary_tree.h"

#include <bit>

namespace tandem::collective {

BinaryTree::BinaryTree(int ranks, int which, std::optional<int> root)
    : ranks_(ranks), mirrored_(which == 1 && ranks % 2 == 0) {
  shift_ = which == 1 && ranks % 2 == 1 ? 1 : 0;
  if (root)
    shift_ = (*root - (top() - 1) + ranks_) % ranks_;
}

std::optional<int> BinaryTree::parent(int rank) const {
  const int up = parent_number(number(rank));
  return up == 0 ? std::nullopt : std::optional(rank_of(up));
}

std::vector<int> BinaryTree::children(int rank) const {
  const int own = number(rank);
  std::vector<int> list;
  int reach = (own & -own) / 2;
  if (reach > 0)
    list.push_back(rank_of(own - reach));
  while (reach > 0 && own + reach > ranks_) // where the right half is not full, its top is lower
    reach /= 2;
  if (reach > 0)
    list.push_back(rank_of(own + reach));
  return list;
}

int BinaryTree::top() const {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks_)));
}

int BinaryTree::number(int rank) const {
  const int place = (rank - shift_ + ranks_) % ranks_;
  return mirrored_ ? ranks_ - place : place + 1;
}

int BinaryTree::rank_of(int number) const {
  return ((mirrored_ ? ranks_ - number : number - 1) + shift_) % ranks_;
}

int BinaryTree::parent_number(int number) const {
  const int lowest = number & -number;
  const int above = (number ^ lowest) | (lowest << 1);
  return above <= ranks_ ? above : number ^ lowest;
}

} // namespace tandem::collective
