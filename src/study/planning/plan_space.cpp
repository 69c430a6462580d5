// Nested choices, from the degrees inwards.
#include "study/planning/plan_space.h"

#include "base/error.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace tandem::study {

namespace {

using workload::ParallelPlan;
using workload::PipelineSchedule;
using workload::Recompute;
using Numbers = std::vector<std::int64_t>;

Numbers divisors(std::int64_t number) {
  Numbers list;
  for (std::int64_t one = 1; one <= number; ++one)
    if (number % one == 0)
      list.push_back(one);
  return list;
}

/// Of `all`, those that are asked for.
template <class Value> std::vector<Value> chosen(const std::vector<Value>& all, const std::vector<Value>& choice) {
  if (choice.empty())
    return all;
  std::vector<Value> list;
  for (const auto& value : all)
    if (std::find(choice.begin(), choice.end(), value) != choice.end())
      list.push_back(value);
  return list;
}

class Space {
public:
  Space(const model::LanguageModel& model, const ParallelPlan& base, int gpus, const PlanChoices& choices,
        const std::function<void(const ParallelPlan&)>& found)
      : model_(model), base_(base), gpus_(gpus), choices_(choices), found_(found),
        has_experts_(std::any_of(model.kinds.begin(), model.kinds.end(),
                                 [](const model::LayerKind& kind) { return kind.experts.has_value(); })) {}

  PlanCount all() {
    for (const auto tp : chosen(divisors(gpus_), choices_.tp))
      for (const auto cp : chosen(divisors(gpus_ / tp), choices_.cp))
        for (const auto pp : chosen(divisors(gpus_ / tp / cp), choices_.pp)) {
          const auto dp = gpus_ / tp / cp / pp;
          if (!choices_.dp.empty() && std::count(choices_.dp.begin(), choices_.dp.end(), dp) == 0)
            continue;
          auto plan = base_;
          plan.layer.tp = static_cast<int>(tp);
          plan.layer.cp = static_cast<int>(cp);
          plan.pp = static_cast<int>(pp);
          plan.dp = static_cast<int>(dp);
          with_degrees(plan);
        }
    return std::move(count_);
  }

private:
  void with_degrees(ParallelPlan& plan) {
    const bool divides = base_.global_batch % plan.dp == 0;
    const auto batches = divides ? divisors(base_.global_batch / plan.dp) : Numbers{1};
    const auto experts = has_experts_ ? divisors(std::int64_t{plan.layer.cp} * plan.dp) : Numbers{1};
    for (const auto ep : chosen(experts, choices_.ep))
      for (const auto micro_batch : divides ? chosen(batches, choices_.micro_batch) : batches)
        for (const bool sp : chosen(plan.layer.tp > 1 ? std::vector<bool>{false, true} : std::vector<bool>{false},
                                    choices_.sequence_parallel)) {
          plan.layer.ep = static_cast<int>(ep);
          plan.layer.micro_batch = micro_batch;
          plan.layer.sequence_parallel = sp;
          with_layers(plan);
        }
  }

  void with_layers(ParallelPlan& plan) {
    const auto zeros = plan.layer.cp * plan.dp == 1 ? Numbers{0} : Numbers{0, 1, 2, 3};
    for (const auto recompute :
         chosen(std::vector<Recompute>{Recompute::NONE, Recompute::SELECTIVE, Recompute::FULL}, choices_.recompute))
      for (const auto zero : chosen(zeros, choices_.zero)) {
        plan.layer.recompute = recompute;
        plan.zero = static_cast<int>(zero);
        with_schedule(plan);
      }
  }

  void with_schedule(ParallelPlan& plan) {
    const auto add = [&](PipelineSchedule schedule, std::int64_t chunks) {
      plan.schedule = schedule;
      plan.vpp = static_cast<int>(chunks);
      check(plan);
    };
    const auto is_asked = [&](PipelineSchedule schedule) {
      const auto& list = choices_.schedule;
      return list.empty() || std::find(list.begin(), list.end(), schedule) != list.end();
    };
    const bool plain = choices_.vpp.empty() || std::count(choices_.vpp.begin(), choices_.vpp.end(), 1) > 0;
    if (plan.pp == 1) {
      if (plain)
        add(PipelineSchedule::ONE_F_ONE_B, 1);
      return;
    }
    for (const auto schedule :
         {PipelineSchedule::GPIPE, PipelineSchedule::ONE_F_ONE_B, PipelineSchedule::ZERO_BUBBLE})
      if (plain && is_asked(schedule))
        add(schedule, 1);
    if (!is_asked(PipelineSchedule::INTERLEAVED))
      return;
    const auto layers = static_cast<std::int64_t>(model_.layers.size());
    for (const auto chunks : choices_.vpp.empty() ? divisors(layers) : choices_.vpp)
      if (chunks > 1 && (!choices_.vpp.empty() || layers % (chunks * plan.pp) == 0))
        add(PipelineSchedule::INTERLEAVED, chunks);
  }

  void check(const ParallelPlan& plan) {
    ++count_.enumerated;
    try {
      workload::check_plan(model_, plan, gpus_);
    } catch (const base::UserError& error) {
      ++count_.refused[without_numbers(error.what())];
      return;
    }
    found_(plan);
  }

  const model::LanguageModel& model_;
  const ParallelPlan& base_;
  int gpus_;
  const PlanChoices& choices_;
  const std::function<void(const ParallelPlan&)>& found_;
  bool has_experts_;
  PlanCount count_;
};

} // namespace

PlanCount each_plan(const model::LanguageModel& model, const ParallelPlan& base, int gpus, const PlanChoices& choices,
                    const std::function<void(const ParallelPlan&)>& found) {
  return Space(model, base, gpus, choices, found).all();
}

std::string without_numbers(const std::string& text) {
  std::string made;
  bool in_number = false, in_word = false;
  for (const char letter : text) {
    const bool digit = std::isdigit(static_cast<unsigned char>(letter)) != 0;
    if (digit && !in_word) {
      if (!in_number)
        made += 'N';
      in_number = true;
      continue;
    }
    in_number = false;
    in_word = std::isalnum(static_cast<unsigned char>(letter)) != 0;
    made += letter;
  }
  return made;
}

std::string to_string(Recompute recompute) {
  switch (recompute) {
  case Recompute::NONE:
    return "none";
  case Recompute::SELECTIVE:
    return "selective";
  case Recompute::FULL:
    break;
  }
  return "full";
}

std::string flags_of(const ParallelPlan& plan) {
  const auto& layer = plan.layer;
  auto flags = fmt::format("--tp {} --pp {} --dp {} --micro-batch {} --global-batch {}", layer.tp, plan.pp, plan.dp,
                           layer.micro_batch, plan.global_batch);
  if (layer.cp > 1)
    flags += fmt::format(" --cp {}", layer.cp);
  if (layer.ep > 1)
    flags += fmt::format(" --ep {}", layer.ep);
  if (plan.vpp > 1)
    flags += fmt::format(" --vpp {}", plan.vpp);
  else if (plan.pp > 1)
    flags += fmt::format(" --schedule {}", workload::to_string(plan.schedule));
  if (layer.sequence_parallel)
    flags += " --sp";
  if (plan.zero > 0)
    flags += fmt::format(" --zero {}", plan.zero);
  if (layer.recompute != Recompute::NONE)
    flags += fmt::format(" --recompute {}", to_string(layer.recompute));
  return flags;
}

} // namespace tandem::study
