// Best first: bounds decide what is simulated next, and when nothing is left that could be better.
#include "study/plan.h"

#include "base/error.h"
#include "engine/play.h"
#include "study/fork_pool.h"
#include "study/planning/candidate.h"
#include "study/planning/iteration_bound.h"
#include "study/planning/memory_bound.h"
#include "study/planning/planned_case.h"
#include "study/train.h"
#include "workload/parameters.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <queue>
#include <thread>

namespace tandem::study {

namespace {

using model::PlannedCase;
using workload::ParallelPlan;

/// A machine of so many GPUs, and what is known of plans on it.
struct Machine {
  model::Cluster cluster;
  std::vector<std::unique_ptr<PartBook>> books; ///< one for each choice of strategies
};

struct Simulated {
  std::size_t candidate = 0;
  PlayedPlan played;
  double score = 0.0;
};

class Search {
public:
  Search(const model::LanguageModel& model, const ParallelPlan& base, const model::Cluster& cluster,
         const PlanOptions& options)
      : model_(model), base_(base), options_(options),
        strategies_(options.strategies.empty() ? std::vector<std::string>{""} : options.strategies) {
    auto sizes = options.gpus;
    if (sizes.empty())
      sizes.push_back(static_cast<int>(cluster.gpus.size()));
    for (const int size : sizes) {
      auto& machine = machines_.emplace_back();
      machine.cluster = cluster;
      machine.cluster.gpus.resize(static_cast<std::size_t>(size));
      found_.gpus.push_back(size);
    }
    for (auto& machine : machines_)
      for (const auto& one : strategies_) {
        machine.books.push_back(std::make_unique<PartBook>(
            model, machine.cluster, one.empty() ? DimensionStrategies() : read_dimension_strategies(one),
            Granularity::FLOW));
        if (with_energy())
          machine.books.back()->with_energy();
      }
  }

  model::PlanSearch run() {
    enumerate();
    simulate();
    report();
    return std::move(found_);
  }

private:
  [[nodiscard]] bool with_energy() const { return options_.objective == PlanObjective::ENERGY; }

  void say(const std::string& text) const {
    if (options_.progress)
      options_.progress(text);
  }

  void enumerate() {
    for (std::size_t machine = 0; machine < machines_.size(); ++machine) {
      const int gpus = found_.gpus[machine];
      const auto count =
          each_plan(model_, base_, gpus, options_.choices, [&](const ParallelPlan& plan) { consider(plan, machine); });
      const auto choices = static_cast<std::uint64_t>(strategies_.size());
      found_.enumerated += count.enumerated * choices;
      for (const auto& [reason, plans] : count.refused)
        found_.refused[reason] += plans * choices;
    }
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      auto& candidate = candidates_[i];
      bound(candidate, false);
      if (!candidate.refusal.empty())
        ++found_.refused[candidate.refusal];
      else
        queue_.push({least(candidate), i});
    }
  }

  void consider(const ParallelPlan& plan, std::size_t machine) {
    if (++considered_ % 256 == 0)
      say(fmt::format("{} plans looked at, {} fit the memory", considered_, candidates_.size()));
    auto& here = machines_[machine];
    const double capacity = here.cluster.gpus.front().device->hbm_capacity.value();
    const double memory = peak_memory(*here.books.front(), model_, plan, capacity);
    if (memory > capacity) {
      found_.out_of_memory += strategies_.size();
      return;
    }
    for (std::size_t strategies = 0; strategies < strategies_.size(); ++strategies)
      candidates_.push_back({.plan = plan, .machine = machine, .strategies = strategies, .memory = memory});
  }

  void bound(Candidate& candidate, bool full) {
    auto& machine = machines_[candidate.machine];
    auto& book = *machine.books[candidate.strategies];
    if (++bounded_ % 32 == 0)
      say(fmt::format("bounds of {} plans, {} simulated", bounded_, results_.size()));
    try {
      const auto found = full ? full_bound(book, model_, candidate.plan) : quick_bound(book, model_, candidate.plan);
      candidate.bound = std::max(candidate.quick, found.seconds);
      candidate.joules = std::max(candidate.quick_joules, found.joules);
      if (!full) {
        candidate.quick = candidate.bound;
        candidate.quick_joules = candidate.joules;
      }
    } catch (const base::Infeasible& error) {
      candidate.refusal = without_numbers(error.what());
    }
    candidate.refined = full;
  }

  /// Less is better.
  [[nodiscard]] double score(const Candidate& candidate, double seconds, double joules) const {
    if (with_energy())
      return joules;
    return options_.objective == PlanObjective::TIME ? seconds : seconds * found_.gpus[candidate.machine];
  }

  /// Of what is known before it is simulated: all ranks are idle at least for as long as it takes.
  [[nodiscard]] double least(const Candidate& candidate) const {
    return score(candidate, candidate.bound, with_energy() ? least_joules(candidate) : 0.0);
  }
  [[nodiscard]] double least_joules(const Candidate& candidate) const {
    const auto& book = *machines_[candidate.machine].books[candidate.strategies];
    return candidate.joules + book.idle_w() * found_.gpus[candidate.machine] * candidate.bound;
  }

  /// Whether it may belong to the answer, for all that has been simulated.
  [[nodiscard]] bool is_needed(const Candidate& candidate) const {
    if (results_.size() < static_cast<std::size_t>(options_.top) ||
        least(candidate) * (1.0 + options_.tolerance) < kth_score())
      return true;
    return options_.front && !is_dominated(candidate);
  }

  [[nodiscard]] double kth_score() const {
    auto scores = scores_;
    const auto kth = scores.begin() + (options_.top - 1);
    std::nth_element(scores.begin(), kth, scores.end());
    return *kth;
  }

  [[nodiscard]] bool is_dominated(const Candidate& candidate) const {
    return std::any_of(results_.begin(), results_.end(), [&](const Simulated& one) {
      return found_.gpus[candidates_[one.candidate].machine] <= found_.gpus[candidate.machine] &&
             one.played.iteration_s <= candidate.bound * (1.0 + options_.tolerance) &&
             one.played.peak_memory_bytes <= candidate.memory;
    });
  }

  void simulate() {
    const auto at_once = options_.jobs > 0
                             ? static_cast<std::size_t>(options_.jobs)
                             : static_cast<std::size_t>(std::max(1U, std::thread::hardware_concurrency()));
    while (true) {
      const auto batch = next(at_once);
      if (batch.empty())
        return;
      say(told());
      const auto played = play(batch);
      // One after the other, in the order of their bounds: what a later one is needed for may have become clear by the
      // one before, and then it counts as not simulated, so that the answer is the same for any number at a time.
      for (std::size_t i = 0; i < batch.size(); ++i)
        accept(batch[i], played[i]);
    }
  }

  /// The plans with the least bounds that are needed.
  std::vector<std::size_t> next(std::size_t count) {
    if (options_.most > 0)
      count = std::min<std::size_t>(count, options_.most - std::min<std::uint64_t>(options_.most, found_.simulated));
    std::vector<std::size_t> batch;
    while (batch.size() < count && !queue_.empty()) {
      const auto entry = queue_.top();
      auto& candidate = candidates_[entry.second];
      if (!is_needed(candidate)) {
        if (!options_.front)
          break; // nor are those with larger bounds
        queue_.pop();
        aside_.push_back(entry.second);
        continue;
      }
      queue_.pop();
      if (candidate.refined) {
        batch.push_back(entry.second);
        continue;
      }
      bound(candidate, true);
      queue_.push({least(candidate), entry.second});
    }
    return batch;
  }

  std::vector<PlayedPlan> play(const std::vector<std::size_t>& batch) {
    std::vector<std::function<std::string()>> tasks;
    for (const auto index : batch) {
      const auto& candidate = candidates_[index];
      tasks.emplace_back([this, &candidate] {
        if (!candidate.refusal.empty())
          return to_wire(PlayedPlan{});
        return to_wire(play_plan(model_, candidate.plan, machines_[candidate.machine].cluster,
                                 strategies_[candidate.strategies], with_energy()));
      });
    }
    std::vector<PlayedPlan> played;
    for (const auto& answer : run_forked(tasks, {options_.jobs, [this](std::size_t, std::size_t) { say(told()); }}))
      played.push_back(from_played_wire(answer));
    return played;
  }

  void accept(std::size_t index, const PlayedPlan& played) {
    const auto& candidate = candidates_[index];
    if (!is_needed(candidate)) {
      aside_.push_back(index);
      return;
    }
    if (!candidate.refusal.empty()) {
      ++found_.refused[candidate.refusal];
      return;
    }
    check_bounds(candidate, played, with_energy() ? least_joules(candidate) : 0.0);
    const double capacity = machines_[candidate.machine].cluster.gpus.front().device->hbm_capacity.value();
    if (played.peak_memory_bytes > capacity) {
      ++found_.out_of_memory_simulated;
      return;
    }
    ++found_.simulated;
    results_.push_back({index, played, score(candidate, played.iteration_s, played.energy_j)});
    scores_.push_back(results_.back().score);
    const double gap = 1.0 - least(candidate) / results_.back().score;
    found_.largest_gap = std::max(found_.largest_gap, gap);
    gaps_ += gap;
  }

  [[nodiscard]] std::string told() const {
    std::string text = fmt::format("{} plans fit, {} simulated", candidates_.size(), results_.size());
    if (!results_.empty()) {
      const auto best = std::min_element(results_.begin(), results_.end(),
                                         [](const auto& a, const auto& b) { return a.score < b.score; });
      text += fmt::format(", best {:.4g} s", best->played.iteration_s);
    }
    if (!queue_.empty())
      text += fmt::format(", next bound {:.4g} s", candidates_[queue_.top().second].bound);
    return text;
  }

  void report() {
    if (results_.empty())
      throw base::Infeasible(nothing_found(found_));
    std::vector<std::size_t> left = aside_;
    bool cut = false;
    while (!queue_.empty()) {
      left.push_back(queue_.top().second);
      cut = cut || is_needed(candidates_[queue_.top().second]);
      queue_.pop();
    }
    found_.pruned = left.size();
    found_.proven = !cut;
    found_.front_proven = options_.front && !cut;
    found_.tolerance = options_.tolerance;
    if (!left.empty()) {
      // Whether a plan's bound was refined for nothing depends on how many are simulated at a time.
      for (const auto index : left) {
        auto& candidate = candidates_[index];
        const double seconds = std::exchange(candidate.bound, candidate.quick);
        const double joules = std::exchange(candidate.joules, candidate.quick_joules);
        if (is_needed(candidate)) {
          candidate.bound = seconds;
          candidate.joules = joules;
        }
      }
      const auto& best = candidates_[*std::min_element(left.begin(), left.end(), [&](std::size_t a, std::size_t b) {
        const double first = least(candidates_[a]);
        const double second = least(candidates_[b]);
        return first != second ? first < second : a < b;
      })];
      found_.best_pruned = words(best);
      found_.best_pruned_bound_s = best.bound;
      if (with_energy())
        found_.best_pruned_bound_j = least_joules(best);
    }
    found_.mean_gap = gaps_ / static_cast<double>(results_.size());
    std::stable_sort(results_.begin(), results_.end(),
                     [](const Simulated& a, const Simulated& b) { return a.score < b.score; });
    for (std::size_t i = 0; i < results_.size() && i < static_cast<std::size_t>(options_.top); ++i)
      found_.best.push_back(described(results_[i]));
    for (const auto& one : results_)
      if (!is_beaten(one))
        found_.front.push_back(described(one));
    std::stable_sort(found_.front.begin(), found_.front.end(),
                     [](const PlannedCase& a, const PlannedCase& b) { return a.iteration_s < b.iteration_s; });
  }

  /// Another simulated plan is better in one respect and worse in none; of equals the first stays.
  [[nodiscard]] bool is_beaten(const Simulated& one) const {
    const auto gpus = [&](const Simulated& of) { return found_.gpus[candidates_[of.candidate].machine]; };
    return std::any_of(results_.begin(), results_.end(), [&](const Simulated& other) {
      const bool no_worse = other.played.iteration_s <= one.played.iteration_s &&
                            other.played.peak_memory_bytes <= one.played.peak_memory_bytes && gpus(other) <= gpus(one);
      const bool better = other.played.iteration_s < one.played.iteration_s ||
                          other.played.peak_memory_bytes < one.played.peak_memory_bytes || gpus(other) < gpus(one);
      return no_worse && (better || &other < &one);
    });
  }

  [[nodiscard]] std::string words(const Candidate& candidate) const {
    const auto& plan = candidate.plan;
    auto text = fmt::format("{}, micro-batch {}, recompute {}", to_string(plan), plan.layer.micro_batch,
                            to_string(plan.layer.recompute));
    if (found_.gpus.size() > 1)
      text += fmt::format(", {} GPUs", found_.gpus[candidate.machine]);
    if (!strategies_[candidate.strategies].empty())
      text += ", " + strategies_[candidate.strategies];
    return text;
  }

  [[nodiscard]] PlannedCase described(const Simulated& one) const {
    const auto& candidate = candidates_[one.candidate];
    const int gpus = found_.gpus[candidate.machine];
    auto made =
        planned_case(model_, candidate.plan, *machines_[candidate.machine].cluster.gpus.front().device, one.played);
    made.plan = words(candidate);
    made.strategies = strategies_[candidate.strategies];
    made.bound_s = candidate.bound;
    if (with_energy())
      made.bound_j = least_joules(candidate);
    made.command =
        fmt::format("{} {}", options_.command ? options_.command(gpus) : "tandem train", flags_of(candidate.plan));
    if (!made.strategies.empty())
      made.command += " --strategy " + made.strategies;
    return made;
  }

  using Entry = std::pair<double, std::size_t>; ///< score of the bound, index of the candidate

  const model::LanguageModel& model_;
  const ParallelPlan& base_;
  const PlanOptions& options_;
  std::vector<std::string> strategies_;
  std::vector<Machine> machines_;
  std::vector<Candidate> candidates_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  std::vector<Simulated> results_;
  std::vector<double> scores_;
  std::vector<std::size_t> aside_; ///< not needed
  std::uint64_t considered_ = 0, bounded_ = 0;
  double gaps_ = 0.0;
  model::PlanSearch found_;
};

} // namespace

model::PlanSearch find_plans(const model::LanguageModel& model, const ParallelPlan& base, const model::Cluster& cluster,
                             const PlanOptions& options) {
  for (const int gpus : options.gpus)
    if (gpus < 1 || gpus > static_cast<int>(cluster.gpus.size()))
      throw base::UserError(
          fmt::format("{} GPUs: {} has {} (--nodes gives it more)", gpus, cluster.file, cluster.gpus.size()));
  auto found = Search(model, base, cluster, options).run();
  const auto& device = *cluster.gpus.front().device;
  found.model = model.name;
  found.platform = cluster.file;
  found.device = device.name;
  found.objective = to_string(options.objective);
  found.global_batch = base.global_batch;
  found.sequence = base.layer.sequence;
  found.parameters = static_cast<double>(workload::count_parameters(model).total);
  found.hbm_capacity = device.hbm_capacity.value();
  found.assumed = cluster.all_assumed({.training = true, .energy = options.objective == PlanObjective::ENERGY});
  found.settings = engine::settings();
  found.version = options.version;
  return found;
}

} // namespace tandem::study
