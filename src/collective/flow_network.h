// The most that can flow through pipes from one place to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tandem::collective {

class FlowNetwork {
public:
  static constexpr std::uint32_t SOURCE = 0, SINK = 1, NONE = 0xffffffff;
  /// One way, between two places.
  struct Pipe {
    std::uint32_t from = NONE, to = NONE;
    double capacity = 0.0; ///< the unit of most()
  };

  std::uint32_t add_place() { return places_++; }
  void add_pipe(const Pipe& pipe);
  /// From SOURCE to SINK (Boykov and Kolmogorov, by Boost.Graph). Clusters are mostly pipes side by side and one behind
  /// the other: such are joined first, so that the time of it is linear in the pipes.
  [[nodiscard]] double most() const;

  /// Where the places are cut in two and least gets through.
  struct Narrowest {
    double width = 0.0;          ///< most()
    std::vector<bool> is_inside; ///< by place: on the side of `end`, which is as small as can be
  };
  /// `end`: SOURCE or SINK. Pipes are not joined first.
  [[nodiscard]] Narrowest narrowest(std::uint32_t end) const;

private:
  [[nodiscard]] std::vector<Pipe> without_passages() const;

  std::uint32_t places_ = 2;
  std::vector<Pipe> pipes_;
};

} // namespace tandem::collective
