// One program for each stage and shape of groups.
#include "study/training/training_job.h"

#include "study/training/job_maker.h"
#include "study/training/stage_program.h"

#include <map>

namespace tandem::study {

TrainingJob make_training_job(const model::AnyModel& model, const workload::ParallelPlan& plan,
                              const model::Cluster& cluster, const DimensionStrategies& strategies,
                              Granularity granularity, int iterations) {
  const workload::RankGrid grid(plan.sizes(), plan.order);
  JobMaker maker(plan, grid, cluster);
  ScheduleBook book(cluster, strategies, granularity, plan.host);
  const TrainingInputs inputs{model, plan, maker, book, iterations};
  TrainingJob made;
  std::map<std::pair<int, std::vector<std::uint32_t>>, std::uint32_t> known;
  auto& job = maker.job();
  job.issued_by_host = plan.host.issues();
  for (std::uint32_t rank = 0; rank < static_cast<std::uint32_t>(plan.ranks()); ++rank) {
    const int stage = grid.stage(static_cast<int>(rank));
    const auto [entry, is_new] =
        known.try_emplace({stage, maker.shapes(rank)}, static_cast<std::uint32_t>(made.stages.size()));
    if (is_new) {
      StageProgram program(inputs, stage, rank);
      job.programs.push_back(program.make());
      made.stages.push_back({stage, rank, 0, program.parameters().held(), program.hardware_flops()});
    }
    ++made.stages[entry->second].ranks;
    job.program_of.push_back(entry->second);
  }
  made.parts = book.take_parts();
  job.schedules = book.take();
  made.job = std::move(job);
  made.used.assign(book.used().begin(), book.used().end());
  made.assumed.assign(book.assumed().begin(), book.assumed().end());
  return made;
}

} // namespace tandem::study
