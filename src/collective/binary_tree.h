// Binary trees over ranks, in pairs that share the work: a leaf of one is an inner node of the other.
#pragma once

#include <optional>
#include <vector>

namespace tandem::collective {

/// In-order binary tree on the numbers 1 .. ranks: those with the lowest bit set are leaves.
class BinaryTree {
public:
  /// Tree 0 hangs its root on `root`, or where the numbers put it; tree 1 is the mirror image, shifted where that would
  /// leave the leaves the same.
  BinaryTree(int ranks, int which, std::optional<int> root = std::nullopt);
  [[nodiscard]] std::optional<int> parent(int rank) const;
  [[nodiscard]] std::vector<int> children(int rank) const;

private:
  [[nodiscard]] int top() const;
  [[nodiscard]] int number(int rank) const;
  [[nodiscard]] int rank_of(int number) const;
  /// 0: it is the root.
  [[nodiscard]] int parent_number(int number) const;

  int ranks_, shift_ = 0;
  bool mirrored_;
};

} // namespace tandem::collective
