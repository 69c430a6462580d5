// Walks back through the recorded tasks.
#include "study/training/critical_path.h"

#include "base/error.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tandem::study {

namespace {

constexpr const char* WAITING = "waiting"; // for a lane that others of the group still used

struct Interval {
  double begin_s = 0.0, end_s = 0.0;
};

/// A task of a class of ranks.
struct At {
  std::uint32_t played = 0; ///< the class
  std::uint32_t task = 0;
};

/// What a program's tasks wait for, and which tasks of a group's members belong together.
class ProgramIndex {
public:
  explicit ProgramIndex(const model::TaskProgram& program) : before_(program.tasks.size()), turn_(before_.size()) {
    for (std::uint32_t task = 0; task < program.tasks.size(); ++task) {
      for (const auto next : program.dag.successors(task))
        before_[next].push_back(task);
      const auto& one = program.tasks[task];
      auto& line = lines_[{one.grouping, one.lane}];
      turn_[task] = static_cast<std::uint32_t>(line.size());
      line.push_back(task);
    }
  }
  [[nodiscard]] const std::vector<std::uint32_t>& before(std::uint32_t task) const { return before_[task]; }
  /// The members of a group have their common tasks in one order on each lane.
  [[nodiscard]] std::uint32_t turn(std::uint32_t task) const { return turn_[task]; }
  [[nodiscard]] std::uint32_t at_turn(std::uint32_t grouping, std::uint16_t lane, std::uint32_t turn) const {
    return lines_.at({grouping, lane}).at(turn);
  }

private:
  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<std::uint32_t> turn_;
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::vector<std::uint32_t>> lines_;
};

class Path {
public:
  Path(const TrainingJob& made, const model::Recording& recording)
      : made_(made), job_(made.job), recording_(recording), intervals_(recording.times.size()),
        first_rank_(intervals_.size()) {
    for (const auto& program : job_.programs)
      programs_.emplace_back(program);
    for (const auto& record : recording.tasks) {
      const auto played = class_of(record.rank);
      first_rank_[played] = record.rank;
      auto& list = intervals_[played];
      if (list.empty())
        list.resize(job_.program(record.rank).tasks.size());
      list[record.task] = {record.begin_s, record.end_s};
    }
  }

  CriticalPath walk() {
    const double limit = begin_of_last_iteration();
    auto at = last_task();
    double until = recording_.end_s;
    while (true) {
      at = last_member(at, until);
      tasks_.emplace_back(at.played, at.task);
      const double begin = std::max(limit, interval(at).begin_s);
      book(at, until - begin);
      until = begin;
      const auto before = awaited(at);
      if (until <= limit || !before)
        break;
      const double end = std::max(limit, interval(*before).end_s);
      add(WAITING, until - end);
      until = end;
      at = *before;
    }
    add(WAITING, until - limit);
    return {sorted(), std::move(tasks_)};
  }

private:
  [[nodiscard]] std::uint32_t class_of(std::uint32_t rank) const {
    return recording_.class_of.empty() ? rank : recording_.class_of[rank];
  }
  [[nodiscard]] const Interval& interval(const At& at) const { return intervals_[at.played][at.task]; }
  [[nodiscard]] std::size_t program_of(const At& at) const {
    return job_.program_of.empty() ? 0 : job_.program_of[first_rank_[at.played]];
  }
  [[nodiscard]] const model::Task& task(const At& at) const { return job_.programs[program_of(at)].tasks[at.task]; }

  [[nodiscard]] double begin_of_last_iteration() const {
    double begin = 0.0;
    for (const auto& marks : recording_.marks)
      if (marks.size() > 1)
        begin = std::max(begin, marks[marks.size() - 2].at_s);
    return begin;
  }

  [[nodiscard]] At last_task() const {
    At last;
    for (std::uint32_t played = 0; played < intervals_.size(); ++played)
      for (std::uint32_t task = 0; task < intervals_[played].size(); ++task)
        if (intervals_[played][task].end_s > interval(last).end_s)
          last = {played, task};
    return last;
  }

  /// Of those that do the task together, the one that began it last, before `until`.
  [[nodiscard]] At last_member(const At& at, double until) const {
    const auto& one = task(at);
    const auto& grouping = job_.groupings[one.grouping];
    const auto place = grouping.place(first_rank_[at.played]);
    if (!place)
      throw base::Bug("a task of a group that its rank is not in");
    const auto turn = programs_[program_of(at)].turn(at.task);
    auto last = at;
    for (const auto rank : grouping.groups()[place->group]) {
      At member{class_of(rank), at.task};
      if (member.played == at.played)
        continue;
      member.task = programs_[program_of(member)].at_turn(one.grouping, one.lane, turn);
      const double begin = interval(member).begin_s;
      if (begin > interval(last).begin_s && begin < until)
        last = member;
    }
    return last;
  }

  /// Of what the task waited for, what ended last.
  [[nodiscard]] std::optional<At> awaited(const At& at) const {
    std::optional<At> last;
    for (const auto task : programs_[program_of(at)].before(at.task))
      if (const At before{at.played, task}; !last || interval(before).end_s > interval(*last).end_s)
        last = before;
    return last;
  }

  void book(const At& at, double seconds) {
    for (const auto& part : made_.parts[task(at).schedule])
      add(task(at).purpose == model::Purpose::RECOMPUTE && part.is_kernel ? "recompute: " + part.what : part.what,
          seconds * part.share);
  }
  void add(const std::string& what, double seconds) {
    if (seconds > 0.0)
      terms_[what] += seconds;
  }

  std::vector<model::PathTerm> sorted() const {
    std::vector<model::PathTerm> list;
    for (const auto& [what, seconds] : terms_)
      list.push_back({what, seconds});
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
    return list;
  }

  const TrainingJob& made_;
  const model::Job& job_;
  const model::Recording& recording_;
  std::vector<ProgramIndex> programs_;
  std::vector<std::vector<Interval>> intervals_; ///< [class][task]
  std::vector<std::uint32_t> first_rank_;        ///< [class], the one that was played
  std::map<std::string, double> terms_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> tasks_;
};

} // namespace

CriticalPath critical_path(const TrainingJob& made, const model::Recording& recording) {
  return Path(made, recording).walk();
}

} // namespace tandem::study
