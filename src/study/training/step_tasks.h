// The steps of a layer, kernels and communication, as tasks: blocks of kernels between the points where something else
// must be waited for, collectives on the streams of their dimensions.
#pragma once

#include "model/job.h"
#include "model/kernel.h"
#include "study/training/schedule_book.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tandem::study {

/// One task of a template; `after` are places in the template, beside the task before it on its stream.
struct TemplateTask {
  model::Task task;
  std::string name;
  std::vector<std::uint32_t> after;
};

/// Tasks that a program repeats for each micro-batch and layer.
struct TaskTemplate {
  std::vector<TemplateTask> tasks;
  std::vector<std::uint32_t> ends; ///< tasks that what follows on the compute stream waits for, beside the last of them
  std::vector<std::pair<std::uint32_t, std::string>>
      held; ///< tasks that a later part of the pass waits for, by its name
  [[nodiscard]] bool empty() const { return tasks.empty(); }
};

/// Indices into Job::streams.
enum StreamId : std::uint16_t {
  COMPUTE,
  TP,
  CP,
  EP,
  DP,
  PP_FORWARD_OUT,
  PP_FORWARD_IN,
  PP_BACKWARD_OUT,
  PP_BACKWARD_IN,
  INPUT
};
const std::vector<std::string>& stream_names();

/// Where a rank's collectives take place: index into Job::groupings and the members of its group.
struct GroupUse {
  std::uint32_t grouping = 0;
  const std::vector<std::uint32_t>* members = nullptr;
};

/// Groups of one rank by dimension name: "tp", "cp", "ep", "dp".
using GroupOf = std::function<GroupUse(const std::string& dimension)>;

/// Turns steps into tasks. `alone` is the grouping of single ranks.
class StepTasks {
public:
  StepTasks(ScheduleBook& book, std::uint32_t alone, GroupOf group_of)
      : book_(book), alone_(alone), group_of_(std::move(group_of)) {}

  /// `name` begins the names of the tasks.
  TaskTemplate make(const std::string& name, const model::Steps& steps);

private:
  class Maker;
  ScheduleBook& book_;
  std::uint32_t alone_;
  GroupOf group_of_;
};

/// The half of a backward pass that the stage before waits for, and the other half (zero-bubble schedules).
model::Steps without_weight_gradients(const model::Steps& steps);
model::Steps weight_gradients(const model::Steps& steps);

/// The steps with every collective of the dimension awaited by what follows it.
model::Steps without_overlap(const model::Steps& steps, const std::string& dimension);

} // namespace tandem::study
