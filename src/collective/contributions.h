// The set of ranks whose contribution a piece of data holds, as sorted intervals: rings make one interval, trees a few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tandem::collective {

class Contributions {
public:
  Contributions() = default;
  static Contributions one(int rank) {
    return Contributions(static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(rank) + 1);
  }
  static Contributions all(int ranks) { return Contributions(0, static_cast<std::uint32_t>(ranks)); }

  [[nodiscard]] bool empty() const { return first_.begin == first_.end; }
  [[nodiscard]] int count() const;
  /// Union; false and unchanged when the two have a rank in common.
  [[nodiscard]] bool add(const Contributions& other);
  /// The ranks `by` further on, of `ranks`.
  [[nodiscard]] Contributions shifted(int by, int ranks) const;
  [[nodiscard]] std::size_t hash() const;
  bool operator==(const Contributions&) const = default;

private:
  struct Interval {
    std::uint32_t begin = 0, end = 0;
    bool operator==(const Interval&) const = default;
  };
  Contributions(std::uint32_t begin, std::uint32_t end) : first_{begin, end} {}
  // Disjoint, not adjacent, ascending; those of one interval do without memory beside them.
  Interval first_;
  std::vector<Interval> more_;
};

} // namespace tandem::collective
