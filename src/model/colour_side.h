// The colours of the ranks, or of the links, during refinement.
#pragma once

#include "model/refine.h"

#include <cstdint>
#include <vector>

namespace tandem::model {

/// Each vertex has a colour and a hash of what it sees; all of one colour have seen the same before a round. seen is a
/// sum over the neighbours, so that a change of one is a difference.
class ColourSide {
public:
  struct Change {
    std::uint32_t vertex, old_colour;
  };

  /// Vertices of equal keys have one colour.
  explicit ColourSide(const std::vector<std::uint64_t>& keys);

  std::vector<std::uint64_t> seen;

  [[nodiscard]] std::uint32_t colour(std::uint32_t vertex) const { return colour_[vertex]; }
  [[nodiscard]] const std::vector<Change>& changed() const { return changed_; }
  [[nodiscard]] std::size_t size() const { return colour_.size(); }
  /// To be called for a vertex whose `seen` changes.
  void touch(std::uint32_t vertex) {
    if (!is_touched_[vertex]) {
      is_touched_[vertex] = true;
      touched_.push_back(vertex);
    }
  }
  /// Splits colours by what their vertices see. With `all`, every vertex was summed anew; otherwise those touched.
  void split(std::uint32_t round, bool all);
  void give(std::vector<std::uint32_t>& colours, std::vector<ColourSplit>& splits) {
    colours = std::move(colour_);
    splits = std::move(splits_);
  }

private:
  /// Vertices of one colour that see the same.
  struct Part {
    std::uint32_t colour;
    std::uint64_t seen;
    std::uint32_t count;
    std::uint32_t next_colour;
  };
  void name_parts(std::vector<Part>& parts, std::uint32_t round);

  std::vector<std::uint32_t> colour_;
  std::vector<Change> changed_;
  std::vector<std::uint32_t> touched_;
  std::vector<bool> is_touched_;
  // by colour
  std::vector<std::uint32_t> count_;
  std::vector<std::uint64_t> seen_of_;
  std::vector<ColourSplit> splits_;
};

} // namespace tandem::model
