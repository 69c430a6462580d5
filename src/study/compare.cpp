// Plans, simulates, checks and gathers a comparison.
#include "study/compare.h"

#include "base/digest.h"
#include "base/error.h"
#include "base/output_file.h"
#include "collective/strategy.h"
#include "engine/play.h"
#include "report/checks.h"
#include "report/timeline.h"
#include "study/case_run.h"
#include "study/explain.h"
#include "study/fork_pool.h"
#include "study/load_cluster.h"
#include "study/result_wire.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tandem::study {

namespace {

/// Platforms by path, read once.
class Platforms {
public:
  explicit Platforms(const CompareOptions& options) : options_(options) {}

  const model::Cluster& get(const model::Case& described) {
    const auto path = path_of(described);
    const auto known = clusters_.find(path);
    if (known != clusters_.end())
      return known->second;
    return clusters_.emplace(path, load_cluster(path, options_.machine)).first->second;
  }

  [[nodiscard]] std::string path_of(const model::Case& described) const {
    if (options_.platform.empty())
      return described.platform;
    auto path = options_.platform;
    for (auto at = path.find("{tp}"); at != std::string::npos; at = path.find("{tp}"))
      path.replace(at, 4, std::to_string(described.tp));
    return path;
  }
  [[nodiscard]] std::map<std::string, std::string> digests() const {
    std::map<std::string, std::string> list;
    for (const auto& [path, cluster] : clusters_)
      list.merge(input_digests(cluster));
    return list;
  }

private:
  const CompareOptions& options_;
  std::map<std::string, model::Cluster> clusters_;
};

std::string value_of(const model::Case& described, const std::string& key) {
  if (key == "model")
    return described.model;
  if (key == "tp")
    return std::to_string(described.tp);
  if (key == "sublayer")
    return described.sublayer;
  if (key == "phase")
    return described.phase;
  throw base::UserError(base::unknown_word("case key of --only", key, {"model", "tp", "sublayer", "phase"}));
}

std::vector<model::Case> select_cases(const model::Workload& workload, const std::map<std::string, std::string>& only) {
  std::vector<model::Case> kept;
  std::map<std::string, std::vector<std::string>> values;
  for (const auto& described : workload.cases) {
    bool keep = true;
    for (const auto& [key, wanted] : only) {
      const auto value = value_of(described, key);
      auto& known = values[key];
      if (std::find(known.begin(), known.end(), value) == known.end())
        known.push_back(value);
      keep = keep && value == wanted;
    }
    if (keep)
      kept.push_back(described);
  }
  for (const auto& [key, wanted] : only)
    if (std::find(values[key].begin(), values[key].end(), wanted) == values[key].end())
      throw base::UserError({.file = workload.file}, base::unknown_word("value of --only " + key, wanted, values[key]));
  if (kept.empty())
    throw base::UserError({.file = workload.file}, "no case fits all of --only together");
  return kept;
}

struct Job {
  const model::Case* described;
  const model::Cluster* cluster;
  std::string strategy;
  bool record_ops;
  bool energy;
  engine::Fold fold;
  CostLimits limits;
};

std::string name_of(const Job& job) {
  return fmt::format("{}, TP {}, {}, {}: {}", job.described->model, job.described->tp, job.described->sublayer,
                     job.described->phase, job.strategy);
}

Answer simulate(const Job& job, ReportProgress progress) {
  const RunLimit limit(job.limits, name_of(job),
                       "--fold auto and, on a fabric of several ways, --set platform.routing=spray make them fewer");
  const auto planned = plan_case(*job.described, job.strategy, *job.cluster, limit);
  const auto recording = engine::play(*job.cluster, planned.sequence(),
                                      {.fold = job.fold,
                                       .record_ops = job.record_ops,
                                       .start_times_s = {},
                                       .before = limit.before_playing(planned.proofs),
                                       .progress = std::move(progress)});
  auto result = summarize_case(*job.described, job.strategy, planned, recording, *job.cluster);
  if (const auto failed = report::failed_checks(recording, result); !failed.empty())
    throw base::Bug(
        fmt::format("{} {} TP {} {}: {}", job.strategy, result.model, result.tp, result.sublayer, failed.front()));
  if (job.energy) {
    result.energy = model::energy_use(recording, *job.cluster, result.time_s);
    result.assumed = job.cluster->all_assumed({.energy = true});
    result.assumed.insert(result.assumed.end(), planned.assumed.begin(), planned.assumed.end());
  }
  if (!job.record_ops)
    return {result, recording.ranks, {}, {}};
  const auto whole = recording.expanded();
  return {result, whole.ranks, whole.items, whole.ops};
}

/// The strategies of one case side by side. Planning is pure, so the schedules are made again here.
void write_timelines(const std::string& path, const std::vector<Job>& jobs, std::vector<Answer>& answers) {
  std::vector<PlannedCase> plans;
  std::vector<model::Recording> recordings(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    plans.push_back(plan_case(*jobs[i].described, jobs[i].strategy, *jobs[i].cluster));
    recordings[i].ranks = answers[i].ranks;
    recordings[i].items = std::move(answers[i].items);
    recordings[i].end_s = answers[i].result.time_s;
    recordings[i].ops = std::move(answers[i].ops);
    recordings[i].settings = engine::settings();
  }
  std::vector<report::TimelineRun> runs;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    runs.push_back({jobs[i].strategy, &recordings[i], plans[i].sequence(), plans[i].names, jobs[i].cluster});
  base::OutputFile file(path);
  report::write_timeline(file.stream(), runs);
  file.commit();
}

/// Reads a strategy that the workload file names under `key`; what is wrong with it gets the key's place.
void check_in_file(const model::Workload& workload, const std::string& key, const std::string& text) {
  try {
    collective::select_strategy(text);
  } catch (const base::UserError& error) {
    const auto place = workload.stated.find(key);
    throw base::UserError(place == workload.stated.end() ? base::Location{workload.file} : place->second,
                          key + ": " + error.what());
  }
}

/// Strategies must exist and their parameters be right before anything runs.
std::vector<std::string> checked_strategies(const model::Workload& workload, const CompareOptions& options) {
  check_in_file(workload, "baseline", workload.baseline);
  const bool own = options.strategies.empty();
  auto list = own ? workload.strategies : options.strategies;
  if (list.empty())
    throw base::UserError({.file = workload.file}, "no strategy: give strategies: [...] in the file or --strategy");
  for (const auto& text : list) {
    if (own)
      check_in_file(workload, "strategies", text);
    else
      collective::select_strategy(text);
  }
  for (auto text = list.begin(); text != list.end(); ++text)
    if (std::find(list.begin(), text, *text) != text)
      throw base::UserError("strategy " + *text + " is given twice");
  return list;
}

/// Of the GEMMs of a case, which are of one kind.
model::CollectiveKind collective_of(const model::Case& described) {
  for (const auto& item : described.items)
    if (item.collective)
      return *item.collective;
  return model::CollectiveKind::ALL_REDUCE;
}

/// Speed-ups and limits need the baseline, which ran in a process of its own. `first` to `last`: the results of the
/// case `described`.
void relate(const std::string& baseline_name, const model::Case& described,
            std::vector<model::CaseResult>::iterator first, std::vector<model::CaseResult>::iterator last) {
  const auto find = [&](const std::string& name) {
    const auto found =
        std::find_if(first, last, [&](const model::CaseResult& result) { return result.strategy == name; });
    return found == last ? nullptr : &*found;
  };
  const auto* baseline = find(baseline_name);
  const auto* alone = find("sequential");
  for (auto result = first; result != last; ++result) {
    if (baseline != nullptr)
      result->speedup = baseline->time_s / result->time_s;
    result->limit = explain(*result, alone, collective_of(described));
  }
}

/// Adds what the jobs answered; an empty answer is one that an interrupt cut off.
std::vector<Answer> gather(const std::vector<Job>& jobs, const std::vector<std::string>& texts,
                           const Platforms& platforms, model::Comparison& comparison) {
  std::vector<Answer> answers;
  std::size_t first = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!texts[i].empty()) {
      answers.push_back(from_wire(texts[i]));
      comparison.cases.push_back(answers.back().result);
      comparison.cases.back().platform = platforms.path_of(*jobs[i].described);
    }
    if (i + 1 < jobs.size() && jobs[i + 1].described == jobs[i].described)
      continue;
    relate(comparison.baseline, *jobs[i].described, comparison.cases.begin() + static_cast<std::ptrdiff_t>(first),
           comparison.cases.end());
    first = comparison.cases.size();
  }
  return answers;
}

std::vector<Job> make_jobs(const std::vector<model::Case>& cases, const std::vector<std::string>& strategies,
                           Platforms& platforms, const CompareOptions& options) {
  std::vector<Job> jobs;
  for (const auto& described : cases) {
    const auto& cluster = platforms.get(described);
    if (cluster.gpus.size() < static_cast<std::size_t>(described.tp))
      throw base::UserError(described.where, fmt::format("tp {} needs {} GPUs; {} has {}", described.tp, described.tp,
                                                         cluster.file, cluster.gpus.size()));
    if (options.energy)
      model::require_power(cluster);
    for (const auto& strategy : strategies)
      jobs.push_back(
          {&described, &cluster, strategy, !options.timeline.empty(), options.energy, options.fold, options.limits});
  }
  return jobs;
}

} // namespace

std::vector<ExplainedRun> explain_comparison(const model::Workload& workload, const CompareOptions& options) {
  const auto strategies = checked_strategies(workload, options);
  const auto cases = select_cases(workload, options.only);
  Platforms platforms(options);
  std::vector<ExplainedRun> runs;
  for (const auto& job : make_jobs(cases, strategies, platforms, options)) {
    const auto planned = plan_case(*job.described, job.strategy, *job.cluster);
    runs.push_back({name_of(job), engine::explain_classes(*job.cluster, model::job_of(planned.sequence()))});
  }
  return runs;
}

std::map<std::string, std::string> comparison_digests(const model::Workload& workload, const CompareOptions& options) {
  const auto strategies = checked_strategies(workload, options);
  Platforms platforms(options);
  for (const auto& described : select_cases(workload, options.only))
    (void)platforms.get(described);
  auto digests = platforms.digests();
  digests.merge(strategy_digests(strategies));
  if (!workload.file.empty())
    digests[workload.file] = base::digest_file(workload.file);
  return digests;
}

model::Comparison compare(const model::Workload& workload, const CompareOptions& options) {
  const auto strategies = checked_strategies(workload, options);
  const auto cases = select_cases(workload, options.only);
  if (!options.timeline.empty() && cases.size() != 1)
    throw base::UserError(fmt::format("a timeline shows one case; {} are selected: narrow them with --only model=... "
                                      "--only tp=... --only sublayer=...",
                                      cases.size()));
  Platforms platforms(options);
  const auto jobs = make_jobs(cases, strategies, platforms, options);

  std::vector<std::function<std::string()>> tasks;
  const ProgressBoard board(jobs.size(), options.progress);
  for (const auto& job : jobs)
    tasks.emplace_back([&job, report = board.reporter(tasks.size())] { return to_wire(simulate(job, report)); });
  model::Comparison comparison{.title = workload.title,
                               .workload_file = workload.file,
                               .baseline = workload.baseline,
                               .cases = {},
                               .digests = platforms.digests(),
                               .settings = engine::settings(),
                               .version = options.version,
                               .seed = options.seed};
  comparison.settings["fold"] = name_of(options.fold);
  comparison.digests.merge(strategy_digests(strategies));
  auto claims = codec_claims(strategies);
  comparison.settings.merge(claims.errors);
  std::vector<std::string> texts;
  try {
    texts = run_forked(tasks, {options.jobs, board.watcher()});
  } catch (const Interrupted& interrupt) {
    texts = interrupt.answers();
    comparison.interrupted = true;
    if (std::all_of(texts.begin(), texts.end(), [](const std::string& text) { return text.empty(); }))
      throw;
  }
  auto answers = gather(jobs, texts, platforms, comparison);
  for (auto& result : comparison.cases)
    if (comparison.interrupted)
      result.notes.emplace_back("the comparison was interrupted and is not complete");
  if (!options.timeline.empty() && !comparison.interrupted)
    write_timelines(options.timeline, jobs, answers);
  if (!workload.file.empty())
    comparison.digests[workload.file] = base::digest_file(workload.file);
  return comparison;
}

} // namespace tandem::study
