// Lists of choices, and the command line that a found plan is reproduced with.
#include "app/plan_flags.h"

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tandem::app {

namespace {

constexpr long long MOST_OF_ALL = 1LL << 40;

void add_list(CLI::App& command, const std::string& flag, std::string& value, const std::string& help) {
  command.add_option(flag, value, help)->type_name("LIST")->check(not_empty());
}

std::vector<std::int64_t> numbers(const std::string& flag, const std::string& text, std::int64_t least) {
  std::vector<std::int64_t> list;
  if (text.empty())
    return list;
  for (const auto& word : base::split(text, ','))
    list.push_back(value_of_flag(flag, [&] { return base::parse_integer(word, least, MOST_OF_ALL); }));
  return list;
}

/// Of "a,c": the values of the words.
template <class Value>
std::vector<Value> words(const std::string& flag, const std::string& text,
                         const std::vector<std::pair<std::string, Value>>& allowed) {
  std::vector<Value> list;
  if (text.empty())
    return list;
  for (const auto& word : base::split(text, ',')) {
    std::vector<std::string> names;
    bool known = false;
    for (const auto& [name, value] : allowed) {
      names.push_back(name);
      if (word != name)
        continue;
      list.push_back(value);
      known = true;
    }
    if (!known)
      throw base::UserError(flag + ": " + base::unknown_word("value", word, names));
  }
  return list;
}

/// A word as a shell reads it.
std::string quoted(const std::string& word) {
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%") ==
      std::string::npos)
    return word;
  std::string made = "'";
  for (const char letter : word)
    made += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return made + "'";
}

} // namespace

void PlanFlags::add_to(CLI::App& command) {
  auto* model = command
                    .add_option("--model", train.model,
                                "a model: Hugging Face's config.json, a YAML file, or a name of `tandem list models`")
                    ->type_name("FILE")
                    ->check(not_empty());
  const auto number = [&](const std::string& flag, std::int64_t& value, const std::string& help) {
    return command.add_option(flag, value, help)->type_name("N")->check(whole_number(1, MOST_OF_ALL));
  };
  for (auto* option :
       {number("--layers", train.layers, "instead of --model: a GPT of so many layers"),
        number("--hidden", train.hidden, "its hidden size"), number("--heads", train.heads, "its attention heads"),
        number("--kv-heads", train.kv_heads, "its key-value heads (default: as many)"),
        number("--ffn", train.ffn, "its feed-forward width (default: 4 x hidden)"),
        number("--vocab", train.vocab, "its vocabulary (default: 51200)")})
    option->excludes(model);
  command.add_option("--platform", train.platform, "platform file (SimGrid XML)")
      ->required()
      ->type_name("FILE")
      ->check(not_empty());
  train.machine.add_to(command);
  number("--global-batch", train.global_batch, "sequences of an iteration")->required();
  number("--seq", train.sequence,
         "tokens of a sequence (default: the model's learned positions; with --layers it is needed)");
  command.add_option("--precision", train.plan.layer.precision, "fp32, tf32, bf16, fp16 or fp8 (default: bf16)")
      ->check(one_of("precision", {"fp32", "tf32", "bf16", "fp16", "fp8"}));
  command.add_option("--optimizer", train.plan.optimizer, "adam, sgd-momentum or sgd (default: adam)")
      ->check(one_of("optimizer", {"adam", "sgd-momentum", "sgd"}));
  add_list(command, "--gpus", gpus, "numbers of GPUs to compare, each the platform's first (default: all)");
  add_list(command, "--tp", tp, "tensor-parallel ranks to choose from, as 4,8 (default: all that divide the GPUs)");
  add_list(command, "--pp", pp, "pipeline stages to choose from (default: all)");
  add_list(command, "--dp", dp, "data-parallel ranks to choose from (default: all)");
  add_list(command, "--cp", cp, "context-parallel ranks to choose from (default: all)");
  add_list(command, "--ep", ep, "expert-parallel ranks to choose from (default: all)");
  add_list(command, "--vpp", vpp, "model chunks per stage to choose from (default: all that cut the layers evenly)");
  add_list(command, "--micro-batch", micro_batch, "micro-batches to choose from (default: all)");
  add_list(command, "--sp", sequence_parallel, "sequence parallelism beside tp: on, off (default: both)");
  add_list(command, "--zero", zero, "stages of ZeRO to choose from (default: 0,1,2,3)");
  add_list(command, "--recompute", recompute, "of none, selective, full (default: all)");
  add_list(command, "--schedule", schedule, "of gpipe, 1f1b, interleaved, zero-bubble (default: all)");
  add_repeatable(command, "--strategy", strategies,
                 "STRATEGY for tp and dp, or by dimension, as tp=t3-mca,dp=ring; several: to choose from")
      ->type_name("S");
  command.add_option("--objective", objective, "time, tokens-per-gpu-hour or energy (default: time)")
      ->check(not_empty());
  command.add_option("--top", top, "as many best plans are found and proven (default: 1)")
      ->type_name("K")
      ->check(whole_number(1, 1000));
  command.add_option("--tolerance", tolerance, "leave out plans that can be better by this at most, % (default: 0)")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 100.0));
  command.add_option("--most", most, "stop after so many simulations, without a proof (default: 0, no limit)")
      ->type_name("N")
      ->check(whole_number(0, 1000000));
  add_switch(command, "--front", front, "go on until the Pareto front of time and memory is proven too");
  command.add_option("--stats", train.stats, "write wall time, CPU time and memory of this run (JSON)")
      ->type_name("FILE")
      ->check(not_empty());
  add_jobs(command, train.jobs);
  train.output.add_to(command);
  train.verbosity.add_to(command);
}

study::PlanOptions PlanFlags::options() const {
  using workload::PipelineSchedule;
  using workload::Recompute;
  study::PlanOptions made;
  auto& choices = made.choices;
  choices.tp = numbers("--tp", tp, 1);
  choices.cp = numbers("--cp", cp, 1);
  choices.ep = numbers("--ep", ep, 1);
  choices.pp = numbers("--pp", pp, 1);
  choices.dp = numbers("--dp", dp, 1);
  choices.vpp = numbers("--vpp", vpp, 1);
  choices.micro_batch = numbers("--micro-batch", micro_batch, 1);
  choices.zero = numbers("--zero", zero, 0);
  choices.sequence_parallel = words<bool>("--sp", sequence_parallel, {{"on", true}, {"off", false}});
  choices.recompute =
      words<Recompute>("--recompute", recompute,
                       {{"none", Recompute::NONE}, {"selective", Recompute::SELECTIVE}, {"full", Recompute::FULL}});
  choices.schedule = words<PipelineSchedule>("--schedule", schedule,
                                             {{"gpipe", PipelineSchedule::GPIPE},
                                              {"1f1b", PipelineSchedule::ONE_F_ONE_B},
                                              {"interleaved", PipelineSchedule::INTERLEAVED},
                                              {"zero-bubble", PipelineSchedule::ZERO_BUBBLE}});
  for (const auto count : numbers("--gpus", gpus, 1))
    made.gpus.push_back(static_cast<int>(std::min<std::int64_t>(count, 1 << 24)));
  check_strategies(strategies);
  made.strategies = strategies;
  made.objective = study::plan_objective(objective);
  made.top = top;
  constexpr double PERCENT = 0.01;
  made.tolerance = tolerance * PERCENT;
  made.front = front;
  made.most = static_cast<std::uint64_t>(most);
  made.jobs = train.jobs;
  made.version = program_version();
  made.command = [this](int count) { return train_command(count); };
  return made;
}

std::string PlanFlags::train_command(int count) const {
  std::string text = "tandem train";
  const auto add = [&](const std::string& flag, const std::string& value) {
    text += fmt::format(" {} {}", flag, quoted(value));
  };
  const auto add_number = [&](const std::string& flag, std::int64_t value) {
    if (value > 0)
      text += fmt::format(" {} {}", flag, value);
  };
  if (!train.model.empty())
    add("--model", train.model);
  add_number("--layers", train.layers);
  add_number("--hidden", train.hidden);
  add_number("--heads", train.heads);
  add_number("--kv-heads", train.kv_heads);
  add_number("--ffn", train.ffn);
  add_number("--vocab", train.vocab);
  add("--platform", train.platform);
  add_number("--nodes", train.machine.nodes);
  for (const auto& device : train.machine.devices)
    add("--devices", device);
  if (!train.machine.library.empty())
    add("--library", train.machine.library);
  for (const auto& value : train.machine.set)
    add("--set", value);
  if (!gpus.empty())
    add_number("--gpus", count);
  add_number("--seq", train.sequence);
  if (train.plan.layer.precision != "bf16")
    add("--precision", train.plan.layer.precision);
  if (train.plan.optimizer != "adam")
    add("--optimizer", train.plan.optimizer);
  return text;
}

} // namespace tandem::app
