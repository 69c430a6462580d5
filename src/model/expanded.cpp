// From one entry for each class to one for each rank.
#include "model/recording.h"

#include <algorithm>

namespace tandem::model {

namespace {

template <class Entry>
std::vector<Entry> by_rank(const std::vector<Entry>& by_class, const std::vector<std::uint32_t>& class_of) {
  std::vector<Entry> list;
  if (by_class.empty())
    return list;
  list.reserve(class_of.size());
  for (const auto one : class_of)
    list.push_back(by_class[one]);
  return list;
}

/// Records of one rank after the other; each class's are of its lowest rank.
template <class Record>
std::vector<Record> records_by_rank(const std::vector<Record>& records, const std::vector<std::uint32_t>& class_of,
                                    std::size_t classes) {
  std::vector<std::pair<std::size_t, std::size_t>> of_class(classes, {0, 0}); // begin, end
  for (std::size_t i = 0; i < records.size(); ++i) {
    auto& [begin, end] = of_class[class_of[records[i].rank]];
    if (end == 0)
      begin = i;
    end = i + 1;
  }
  std::vector<Record> list;
  for (std::uint32_t rank = 0; rank < class_of.size(); ++rank)
    for (auto i = of_class[class_of[rank]].first; i < of_class[class_of[rank]].second; ++i) {
      list.push_back(records[i]);
      list.back().rank = rank;
    }
  return list;
}

} // namespace

std::vector<std::uint32_t> Recording::class_sizes() const {
  if (class_of.empty())
    return std::vector<std::uint32_t>(static_cast<std::size_t>(ranks), 1);
  std::vector<std::uint32_t> sizes(*std::max_element(class_of.begin(), class_of.end()) + std::size_t{1}, 0);
  for (const auto one : class_of)
    ++sizes[one];
  return sizes;
}

Recording Recording::expanded() const {
  auto whole = *this;
  if (class_of.empty())
    return whole;
  for (auto& item : whole.items)
    item = by_rank(item, class_of);
  whole.times = by_rank(times, class_of);
  whole.marks = by_rank(marks, class_of);
  whole.memory = by_rank(memory, class_of);
  whole.dram = by_rank(dram, class_of);
  whole.sm_seconds = by_rank(sm_seconds, class_of);
  const auto classes = class_sizes().size();
  whole.tasks = records_by_rank(tasks, class_of, classes);
  whole.ops = records_by_rank(ops, class_of, classes);
  whole.class_of.clear();
  return whole;
}

} // namespace tandem::model
