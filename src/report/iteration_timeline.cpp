// Tasks of recorded classes, shown for the ranks that were asked for.
#include "report/iteration_timeline.h"

#include "base/error.h"
#include "report/trace_writer.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <set>

namespace tandem::report {

namespace {

using model::Job;
using model::Recording;
using model::TaskRecord;

constexpr std::uint64_t ITERATIONS = 1; // tracks of a rank; those of streams follow
constexpr std::uint64_t FIRST_STREAM = 2;

constexpr const char* KERNELS = "kernels"; // strategy of schedules that only compute

class RankTimeline {
public:
  RankTimeline(TraceWriter& writer, const IterationTimeline& shown, std::size_t index)
      : writer_(writer), shown_(shown), job_(*shown.job), recording_(*shown.recording), pid_(index + 1),
        rank_(shown.ranks[index]), played_(recording_.class_of.empty() ? rank_ : recording_.class_of[rank_]),
        program_(job_.program(rank_)) {
    for (const auto& record : recording_.tasks)
      if ((recording_.class_of.empty() ? record.rank : recording_.class_of[record.rank]) == played_)
        records_.push_back(record);
    if (records_.empty())
      throw base::Bug("a timeline of tasks that were not recorded");
    std::stable_sort(records_.begin(), records_.end(), [](const TaskRecord& a, const TaskRecord& b) {
      return std::pair(a.begin_s, a.task) < std::pair(b.begin_s, b.task);
    });
    writer_.process(pid_, shown.rank_names[index]);
  }

  void write() {
    iterations();
    std::set<std::uint16_t> streams;
    for (const auto& record : records_)
      streams.insert(program_.tasks[record.task].stream);
    for (const auto stream : streams)
      writer_.thread(track(stream), job_.streams[stream]);
    for (const auto& record : records_)
      slice(record);
    memory();
  }

private:
  [[nodiscard]] Track track(std::uint16_t stream) const { return {pid_, FIRST_STREAM + stream}; }

  void iterations() {
    const Track track{pid_, ITERATIONS};
    writer_.thread(track, "iterations");
    double begin = 0.0;
    const auto& marks = recording_.marks[played_];
    for (std::size_t i = 0; i < marks.size(); ++i) {
      writer_.slice(track, fmt::format("ProfilerStep#{}", i), "iteration", nanoseconds(begin),
                    nanoseconds(marks[i].at_s), {});
      begin = marks[i].at_s;
    }
  }

  void slice(const TaskRecord& record) {
    const auto begin = nanoseconds(record.begin_s), end = nanoseconds(record.end_s);
    if (begin == end)
      return;
    const auto& task = program_.tasks[record.task];
    const auto& schedule = *job_.schedules[task.schedule];
    TraceArgs args;
    if (task.micro_batch >= 0)
      args.add(MICRO_BATCH, task.micro_batch);
    args.add("stream", job_.streams[task.stream]);
    if (shown_.critical.count({played_, record.task}) > 0)
      args.add(CRITICAL_PATH, "yes");
    const bool computes = schedule.strategy == KERNELS;
    if (!computes) {
      args.add("strategy", schedule.strategy)
          .add("Group size", schedule.ranks)
          .add("bytes", std::accumulate(schedule.piece_bytes.begin(), schedule.piece_bytes.end(), 0.0));
      args.add("process group", job_.groupings[task.grouping].name());
    }
    writer_.slice(track(task.stream), job_.names[task.name],
                  computes ? to_string(task.purpose) : to_string(task.dimension), begin, end, args);
  }

  /// What each account holds from each change on.
  void memory() {
    if (program_.memory_at_start.empty())
      return;
    std::vector<double> held;
    for (const auto& bytes : program_.memory_at_start)
      held.push_back(bytes.value());
    struct Change {
      Nanoseconds at;
      const std::vector<model::MemoryChange>* what;
    };
    std::vector<Change> changes;
    for (const auto& record : records_) {
      const auto& change = job_.memory_changes[program_.tasks[record.task].memory];
      if (!change.begin.empty())
        changes.push_back({nanoseconds(record.begin_s), &change.begin});
      if (!change.end.empty())
        changes.push_back({nanoseconds(record.end_s), &change.end});
    }
    std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
    count(0, held);
    for (std::size_t i = 0; i < changes.size(); ++i) {
      for (const auto& one : *changes[i].what)
        held[one.account] += one.bytes.value();
      if (i + 1 == changes.size() || changes[i + 1].at != changes[i].at)
        count(changes[i].at, held);
    }
  }

  void count(Nanoseconds at, const std::vector<double>& held) {
    TraceArgs values;
    for (std::size_t account = 0; account < held.size(); ++account)
      values.add(job_.memory_accounts[account], std::max(0.0, std::round(held[account])));
    writer_.counter(pid_, "memory (bytes)", at, values);
  }

  TraceWriter& writer_;
  const IterationTimeline& shown_;
  const Job& job_;
  const Recording& recording_;
  std::uint64_t pid_;
  std::uint32_t rank_, played_;
  const model::TaskProgram& program_;
  std::vector<TaskRecord> records_; ///< by time
};

} // namespace

void write_iteration_timeline(std::ostream& out, const IterationTimeline& shown) {
  TraceWriter writer(out, shown.recording->settings);
  for (std::size_t i = 0; i < shown.ranks.size(); ++i)
    RankTimeline(writer, shown, i).write();
  writer.finish();
}

} // namespace tandem::report
