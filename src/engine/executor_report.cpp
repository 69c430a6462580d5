// What one GPU adds to the recording, and where it stands when nothing goes on.
#include "engine/executor.h"
#include "engine/world.h"

#include <fmt/format.h>

namespace tandem::engine {

void Executor::report(model::Recording& recording) {
  if (world_.options.record_items)
    for (std::size_t item = 0; item < items_.size(); ++item)
      recording.items[item].push_back(items_[item]);
  if (world_.options.record_times) {
    recording.times.push_back(meter_.at(recording.end_s));
    recording.marks.push_back(marks_);
  }
  if (!world_.job.memory_accounts.empty())
    recording.memory.push_back(ledger_.use());
  recording.dram.push_back(dram_);
  recording.sm_seconds.push_back(sm_seconds_);
  const double ranks = ranks_;
  recording.message_bytes += ranks * message_bytes_;
  recording.wire_bytes += ranks * wire_bytes_;
  recording.wire_hop_bytes += ranks * wire_hop_bytes_;
  recording.activities += activities_;
  recording.tasks.insert(recording.tasks.end(), tasks_.begin(), tasks_.end());
  recording.ops.insert(recording.ops.end(), ops_.begin(), ops_.end());
  for (auto use : resources_) {
    use.spills *= ranks_;
    add_use(recording.resources, use);
  }
  if (number_ == 0) { // the lowest rank
    recording.memory_intensity = intensity_;
    recording.queue_threshold = arbiter_.threshold();
  }
}

std::vector<std::string> Executor::stuck(std::size_t limit) const {
  std::vector<std::string> lines;
  for (const auto& player : playing_) {
    const auto& name = world_.job.names[program_.tasks[player->task()].name];
    for (const auto& line : player->stuck(limit - lines.size()))
      lines.push_back(name.empty() ? line : line + ", in " + name);
  }
  if (lines.empty() && !finished_)
    lines.push_back(fmt::format("rank {}: {} tasks wait for others that never end", rank_, remaining_));
  return lines;
}

} // namespace tandem::engine
