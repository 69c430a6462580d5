// A job: what every rank of a cluster does, as tasks on streams. A task is a rank's part of a schedule (a kernel, a
// collective, both fused, or a message) that it plays with the other members of a group. Programs of tasks are shared
// by the ranks that do the same.
#pragma once

#include "model/dag.h"
#include "model/ids.h"
#include "model/schedule.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::model {

/// What the communication of a task is for. In this order exposed time is booked where several are under way.
enum class Dimension : std::uint8_t { TP, CP, EP, PP, DP, OTHER };
constexpr int DIMENSIONS = 6;
std::string to_string(Dimension dimension);

/// What the computing of a task is for. In this order time is booked where several run.
enum class Purpose : std::uint8_t { FORWARD, BACKWARD, RECOMPUTE, OPTIMIZER, OTHER };
constexpr int PURPOSES = 5;
std::string to_string(Purpose purpose);

/// Groups of ranks of one kind, as the tensor-parallel groups of a job. A rank is in one of them at most; a job has as
/// many groupings as it needs, and those may overlap in any way.
class Grouping {
public:
  struct Place {
    std::uint32_t group = 0;
    std::uint32_t position = 0; ///< within the group
  };
  /// Members of each group in order; sizes may differ. Throws Bug when a rank does not exist or is in two groups.
  Grouping(std::string name, int ranks, std::vector<std::vector<std::uint32_t>> groups);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& groups() const { return groups_; }
  /// Empty optional: the rank is in none of them.
  [[nodiscard]] std::optional<Place> place(std::uint32_t rank) const;

private:
  std::string name_;
  std::vector<std::vector<std::uint32_t>> groups_;
  std::vector<Place> places_; ///< by rank; group = NONE: in none
};

/// What memory a task takes when it begins (positive) and gives back when it ends (negative); `account` indexes
/// Job::memory_accounts.
struct MemoryChange {
  std::uint8_t account = 0;
  Bytes bytes{};
};

struct Task {
  std::uint32_t schedule = 0; ///< index into Job::schedules
  std::uint32_t grouping = 0; ///< index into Job::groupings; its group of the rank has as many members as the schedule
  std::uint16_t stream = 0;   ///< index into Job::streams
  /// The tasks of a (grouping, lane) talk on the same channels, apart from all others. All members of a group have them
  /// in the same order, one after the other.
  std::uint16_t lane = 0;
  std::uint32_t name = 0; ///< index into Job::names
  Dimension dimension = Dimension::OTHER;
  Purpose purpose = Purpose::OTHER;
  std::uint32_t memory = 0;      ///< index into Job::memory_changes
  std::int32_t micro_batch = -1; ///< that it works on; -1: on none
  bool ends_iteration = false;
  bool host_waits = false; ///< where a host issues the tasks: it issues the next one when this one has ended
};

/// Tasks of one rank. On each stream they follow each other in this order (add() makes the edges).
struct TaskProgram {
  std::vector<Task> tasks;
  Dag dag;                            ///< an edge from each task to those that wait for it
  std::vector<Bytes> memory_at_start; ///< by account; empty: none
};

/// Collects tasks and what they wait for beside the task before them on their stream.
class TaskProgramBuilder {
public:
  std::uint32_t add(const Task& task, const std::vector<std::uint32_t>& after = {});
  void depend(std::uint32_t task, std::uint32_t on) { edges_.emplace_back(on, task); }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(tasks_.size()); }
  TaskProgram build();

private:
  static constexpr std::uint32_t NONE = 0xffffffff;
  std::vector<Task> tasks_;
  std::vector<Dag::Edge> edges_;
  std::vector<std::uint32_t> last_on_; ///< by stream
};

/// Changes when a task begins and when it ends.
struct MemoryChanges {
  std::vector<MemoryChange> begin, end;
};

struct Job {
  int ranks = 0;
  std::vector<std::shared_ptr<const Schedule>> schedules;
  std::vector<Grouping> groupings;
  std::vector<TaskProgram> programs;
  std::vector<std::uint32_t> program_of; ///< per rank; empty: all run programs[0]
  std::vector<std::string> streams;
  std::vector<std::string> names;
  std::vector<std::string> memory_accounts;
  std::vector<MemoryChanges> memory_changes = std::vector<MemoryChanges>(1); ///< the first changes nothing
  /// Each rank has a host that issues the tasks in the order of its program, as Schedule::issue says; a task begins
  /// when it has been issued.
  bool issued_by_host = false;

  [[nodiscard]] const TaskProgram& program(std::uint32_t rank) const {
    return programs[program_of.empty() ? 0 : program_of[rank]];
  }
};

/// All ranks play the schedules one after the other. Throws Bug when they are not of one size.
Job job_of(const std::vector<const Schedule*>& sequence);

} // namespace tandem::model
