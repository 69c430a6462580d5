// Splits colours by what their vertices see.
#include "model/colour_side.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace tandem::model {

namespace {

struct Sight {
  std::uint32_t colour;
  std::uint64_t seen;
  bool operator==(const Sight&) const = default;
};

struct SightHash {
  std::size_t operator()(const Sight& sight) const noexcept {
    return sight.seen ^ (sight.colour * 0x9e3779b97f4a7c15U);
  }
};

} // namespace

ColourSide::ColourSide(const std::vector<std::uint64_t>& keys)
    : seen(keys.size(), 0), colour_(keys.size()), is_touched_(keys.size(), false) {
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  for (std::size_t vertex = 0; vertex < keys.size(); ++vertex) {
    const auto [entry, is_new] = known.try_emplace(keys[vertex], static_cast<std::uint32_t>(count_.size()));
    if (is_new) {
      count_.push_back(0);
      splits_.push_back({entry->second, 0});
    }
    colour_[vertex] = entry->second;
    ++count_[entry->second];
  }
  seen_of_.resize(count_.size(), 0);
}

void ColourSide::split(std::uint32_t round, bool all) {
  changed_.clear();
  for (const auto vertex : touched_)
    is_touched_[vertex] = false;
  if (all) {
    touched_.resize(colour_.size());
    std::iota(touched_.begin(), touched_.end(), 0U);
  } else { // what sees the same as before stays with those that were not touched
    std::erase_if(touched_, [&](std::uint32_t vertex) { return seen[vertex] == seen_of_[colour_[vertex]]; });
    std::sort(touched_.begin(), touched_.end());
  }

  std::vector<Part> parts;
  std::vector<std::uint32_t> part_of;
  part_of.reserve(touched_.size());
  std::unordered_map<Sight, std::uint32_t, SightHash> known;
  for (const auto vertex : touched_) {
    const Sight sight{colour_[vertex], seen[vertex]};
    const auto [entry, is_new] = known.try_emplace(sight, static_cast<std::uint32_t>(parts.size()));
    if (is_new)
      parts.push_back({sight.colour, sight.seen, 0, 0});
    ++parts[entry->second].count;
    part_of.push_back(entry->second);
  }
  name_parts(parts, round);
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    const auto next = parts[part_of[i]].next_colour;
    auto& colour = colour_[touched_[i]];
    if (next == colour)
      continue;
    changed_.push_back({touched_[i], colour});
    colour = next;
  }
  touched_.clear();
}

/// A part gets a colour of its own, but for the largest where nothing is left of the old colour otherwise.
void ColourSide::name_parts(std::vector<Part>& parts, std::uint32_t round) {
  std::unordered_map<std::uint32_t, Part*> largest; // by colour; looked up only
  std::unordered_map<std::uint32_t, std::uint32_t> in_parts;
  for (auto& part : parts) {
    in_parts[part.colour] += part.count;
    auto& most = largest[part.colour];
    if (most == nullptr || part.count > most->count)
      most = &part;
  }
  for (auto& part : parts) {
    const bool is_rest = in_parts[part.colour] == count_[part.colour] && largest[part.colour] == &part;
    part.next_colour = is_rest ? part.colour : static_cast<std::uint32_t>(splits_.size());
    if (is_rest)
      continue;
    splits_.push_back({part.colour, round});
    seen_of_.push_back(part.seen);
  }
  count_.resize(splits_.size(), 0);
  for (const auto& part : parts) {
    if (part.next_colour == part.colour) {
      seen_of_[part.colour] = part.seen;
      continue;
    }
    count_[part.next_colour] = part.count;
    count_[part.colour] -= part.count;
  }
}

} // namespace tandem::model
