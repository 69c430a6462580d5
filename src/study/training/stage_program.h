// The program of one pipeline stage's ranks: micro-batches forward and backward in the order of the pipeline schedule,
// messages between stages, gradients, optimizer.
#pragma once

#include "study/training/job_maker.h"
#include "study/training/schedule_book.h"
#include "study/training/step_tasks.h"
#include "workload/model_parts.h"
#include "workload/optimizer_kernels.h"
#include "workload/parallel_plan.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tandem::study {

/// What all stages of a training job are made from.
struct TrainingInputs {
  const model::AnyModel& model;
  const workload::ParallelPlan& plan;
  JobMaker& job;
  ScheduleBook& book;
  int iterations = 1;
};

/// Makes the program that `rank` and all ranks like it run.
class StageProgram {
public:
  StageProgram(const TrainingInputs& inputs, int stage, std::uint32_t rank);
  model::TaskProgram make();
  /// Parameters that the rank holds where nothing is sharded.
  [[nodiscard]] workload::RankParameters parameters() const;
  /// FLOPs on its matrix units in an iteration, recomputation included, as the FLOP conventions count them.
  [[nodiscard]] double hardware_flops() const { return flops_ * plan_.micro_batches(); }

private:
  /// A part of the model, a layer or what stands at the ends, with its tasks and what it holds of memory.
  struct Part {
    std::string name;
    TaskTemplate forward, backward; ///< backward: of a zero-bubble schedule the gradients of inputs
    TaskTemplate weights;           ///< gradients of weights, where they are apart
    double kept = 0.0, recomputed = 0.0;
    workload::RankParameters parameters;
    std::vector<std::uint32_t> forward_names, backward_names, weights_names; ///< of the tasks; made when first used
  };

  void prepare();
  Part make_part(const workload::ModelPart& described);
  /// Before an iteration computes; the last iteration asks for no further one.
  void await_input(bool last_iteration);
  void pass_forward(const workload::PipelineStep& step);
  void pass_backward(const workload::PipelineStep& step, bool last);
  void pass_weights(const workload::PipelineStep& step, bool last);

  void append(const TaskTemplate& made, std::vector<std::uint32_t>& names, const std::string& prefix, int micro_batch,
              const std::vector<model::MemoryChange>& begin, const std::vector<model::MemoryChange>& end);
  std::uint32_t add(const model::Task& task, const std::vector<std::uint32_t>& after);
  /// Adds a collective of `bytes` among the rank's group of the task's grouping. The task says all but the schedule.
  std::uint32_t communicate(model::Task task, model::CollectiveKind kind, double bytes,
                            const std::vector<std::uint32_t>& after);
  /// The last computing, and what the next one waits for beside it.
  [[nodiscard]] std::vector<std::uint32_t> all_before() const;
  /// From here on communication is awaited that was begun for this part.
  void await_held(const std::string& part);
  void receive(int from, StreamId stream, int micro_batch);
  void send(int to, StreamId stream, int micro_batch);
  void gather_message();

  // data parallelism
  /// Before a part runs: its parameters, and those of the part after it (none: there is none in this pass).
  void gather_parameters(std::size_t part, std::optional<std::size_t> next);
  /// After the computing `after`, if there was any.
  std::vector<std::uint32_t> gather(std::size_t part, std::optional<std::uint32_t> after);
  void gradients_ready(const Part& part, bool last_micro_batch);
  void flush_gradients(bool last_micro_batch);
  void reduce(const std::string& name, std::uint32_t grouping, model::CollectiveKind kind, double bytes,
              model::Dimension dimension = model::Dimension::DP);
  void update();

  std::uint32_t load_input();
  [[nodiscard]] int virtual_stage(int chunk) const { return chunk * plan_.pp + stage_; }
  [[nodiscard]] std::vector<std::size_t> parts_of(int chunk) const;
  [[nodiscard]] std::vector<std::size_t> parts_backwards(int chunk) const;
  [[nodiscard]] const std::vector<std::uint32_t>& members(std::uint32_t grouping) const {
    return inputs_.job.planning_members(grouping, rank_);
  }
  [[nodiscard]] bool gathers_parameters() const { return plan_.zero == 3 && plan_.shards() > 1; }

  const TrainingInputs& inputs_;
  const workload::ParallelPlan& plan_;
  int stage_;
  std::uint32_t rank_;
  workload::StateBytes state_;
  std::vector<Part> parts_;
  std::vector<std::pair<std::size_t, std::size_t>> chunks_; ///< parts [first, end) of each
  double message_bytes_ = 0.0;                              ///< that a rank sends to the next stage
  bool gathers_message_ = false;

  model::TaskProgramBuilder program_;
  std::optional<std::uint32_t> last_compute_;
  std::vector<std::uint32_t> awaited_; ///< by the next task on the compute stream, beside the one before it
  std::vector<std::pair<std::uint32_t, std::string>> held_; ///< communication that a later part waits for
  std::vector<std::uint32_t> reductions_;                   ///< of this iteration's gradients
  workload::RankParameters bucket_;                         ///< whose gradients wait to be reduced
  bool updating_ = false;
  std::optional<std::uint32_t> next_input_;
  double flops_ = 0.0;                           ///< of a micro-batch
  std::vector<std::uint32_t> prefetched_;        ///< gathers of the next part's parameters
  std::optional<std::uint32_t> one_part_before_; ///< last computing of the part before the last one
};

} // namespace tandem::study
