// Plans, proves, plays and checks.
#include "study/collective_task.h"

#include "base/error.h"
#include "base/units.h"
#include "collective/bounds.h"
#include "collective/copy_of_one.h"
#include "collective/flow.h"
#include "collective/verify.h"
#include "report/checks.h"
#include "study/case_run.h"
#include "study/energy_wire.h"
#include "study/link_wire.h"

#include <fmt/format.h>
#include <sstream>
#include <utility>

namespace tandem::study {

namespace {

void check(const CollectiveTask& task, const model::Recording& recording, const model::CaseResult& result) {
  if (const auto failed = report::failed_checks(recording, result); !failed.empty())
    throw base::Bug(fmt::format("{} of {:.0f} B: {}", task.strategy, task.request.op.bytes.value(), failed.front()));
}

RunLimit limit_of(const CollectiveTask& task) {
  return {task.limits, task.strategy + ", " + base::format_bytes(task.request.op.bytes),
          "--granularity flow, --fold auto and, on a fabric of several ways, --set platform.routing=spray make them "
          "fewer"};
}

CollectiveAnswer answer_of(const CollectiveTask& task, const model::Schedule& schedule,
                           const model::Recording& recording, model::LinkUse links, std::vector<double> times) {
  return {.times_s = std::move(times),
          .algorithm = schedule.algorithm.empty() ? task.algorithm : schedule.algorithm,
          .protocol = schedule.protocol ? schedule.protocol->name : "none",
          .choice = schedule.choice,
          .played_gpus = recording.classes(),
          .activities = recording.activities,
          .links = std::move(links),
          .energy = {}};
}

} // namespace

CollectiveTask make_task(std::shared_ptr<const model::Cluster> group, std::vector<std::uint32_t> members,
                         const collective::Cuts& cuts, const collective::Request& request, const std::string& strategy,
                         engine::Fold fold) {
  const auto selection = collective::select_strategy(strategy);
  if (const auto reason = selection.strategy->why_not(request, *group); !reason.empty())
    throw base::Infeasible("strategy " + strategy + " cannot do it: " + reason);
  const double bound = collective::lower_bound(request, *group, cuts, selection.wire_factor).value();
  return {.group = std::move(group),
          .members = std::move(members),
          .request = request,
          .strategy = strategy,
          .algorithm = selection.name,
          .lower_bound_s = bound,
          .fold = fold};
}

model::Schedule proven(const CollectiveTask& task) {
  auto schedule = collective::select_strategy(task.strategy).strategy->plan(task.request, *task.group);
  limit_of(task).check_proof(proof_cost(schedule));
  collective::require_proof(schedule, "strategy " + task.strategy);
  return schedule;
}

model::Schedule playable(const CollectiveTask& task) {
  auto schedule = proven(task);
  if (collective::is_copy_of_one(task.request.op)) {
    schedule = collective::copy_of_one(task.request, *task.group);
    collective::require_proof(schedule, "the copy of one rank");
    return schedule;
  }
  if (task.granularity == Granularity::STEP)
    return schedule;
  if (auto flows = collective::as_flows(schedule, *task.group))
    return std::move(*flows);
  throw base::Infeasible(
      fmt::format("strategy {} cannot play {} as flows: a message waits for the one just before it in "
                  "another chain of messages (--granularity step)",
                  task.strategy, model::to_string(task.request.op.kind)));
}

CollectiveAnswer play_alone(const CollectiveTask& task, ReportProgress progress) {
  const auto schedule = playable(task);
  const auto recording = engine::play(*task.group, {&schedule},
                                      {.fold = task.fold,
                                       .before = limit_of(task).before_playing(proof_cost(schedule)),
                                       .progress = std::move(progress)});
  model::CaseResult result;
  result.time_s = recording.end_s;
  result.lower_bound_s = task.lower_bound_s;
  const auto& slowest = recording.items.front()[slowest_rank(recording.items.front())];
  result.compute_s = slowest.compute_s;
  result.exposed_s = slowest.exposed_s;
  result.idle_s = slowest.idle_s;
  result.links = model::link_use(recording, *task.group, recording.end_s);
  check(task, recording, result);
  auto answer = answer_of(task, schedule, recording, result.links, {recording.end_s});
  if (task.energy)
    answer.energy = model::energy_use(recording, *task.group, recording.end_s);
  return answer;
}

std::vector<Party> parties_of(const std::vector<CollectiveTask>& tasks) {
  std::vector<Party> parties;
  for (const auto& task : tasks)
    parties.push_back({std::make_shared<const model::Schedule>(playable(task)), task.members, task.start, task.count});
  return parties;
}

CollectiveAnswer play_together(const model::Cluster& cluster, const std::vector<CollectiveTask>& tasks,
                               ReportProgress progress) {
  const auto parties = parties_of(tasks);
  const auto job = concurrent_job(parties);
  const auto part = cluster.part(ranks_of(parties));
  const auto recording = engine::play(part, job,
                                      {.fold = tasks.front().fold,
                                       .record_tasks = true,
                                       .before = limit_of(tasks.front()).before_playing(proof_cost(job)),
                                       .progress = std::move(progress)});
  auto times = times_of(parties, job, recording);
  const auto links = model::link_use(recording, part, recording.end_s);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    model::CaseResult result;
    result.time_s = result.exposed_s = times[i]; // what of it a rank waits for is not told apart
    result.lower_bound_s = tasks[i].count * tasks[i].lower_bound_s;
    result.links = links;
    check(tasks[i], recording, result);
  }
  return answer_of(tasks.front(), *parties.front().schedule, recording, links, std::move(times));
}

std::string to_wire(const CollectiveAnswer& answer) {
  std::string times;
  for (const double time : answer.times_s)
    times += fmt::format("{:a} ", time);
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n", times, answer.algorithm, answer.protocol, answer.played_gpus,
                     answer.activities, answer.choice, nlohmann::json(answer.links).dump(),
                     energy_wire(answer.energy).dump());
}

CollectiveAnswer from_collective_wire(const std::string& text) {
  std::istringstream lines(text);
  const auto next = [&lines] {
    std::string line;
    std::getline(lines, line);
    return line;
  };
  CollectiveAnswer answer;
  std::istringstream times(next());
  for (std::string time; times >> time;)
    answer.times_s.push_back(std::strtod(time.c_str(), nullptr));
  answer.algorithm = next();
  answer.protocol = next();
  answer.played_gpus = std::stoi(next());
  answer.activities = std::stoull(next());
  answer.choice = next();
  answer.links = nlohmann::json::parse(next()).get<model::LinkUse>();
  answer.energy = from_energy_wire(nlohmann::json::parse(next()));
  return answer;
}

} // namespace tandem::study
