// Flags to a model and a plan.
#include "app/train_flags.h"

#include "app/shipped_files.h"
#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "study/granularity.h"
#include "study/training/schedule_book.h"
#include "workload/framework.h"
#include "workload/model_reader.h"
#include "workload/rank_grid.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::app {

using base::UserError;
using workload::PipelineSchedule;

namespace {

constexpr long long MOST = 1LL << 40;
constexpr int MOST_TRAINING_RANKS = 1 << 24;

CLI::Option* add_number(CLI::App& command, const std::string& flag, std::int64_t& value, const std::string& help) {
  return command.add_option(flag, value, help)->type_name("N")->check(whole_number(1, MOST));
}

CLI::Option* add_count(CLI::App& command, const std::string& flag, int& value, const std::string& help, int least = 1) {
  return command.add_option(flag, value, help)->type_name("N")->check(whole_number(least, MOST_TRAINING_RANKS));
}

CLI::Option* add_choice(CLI::App& command, const std::string& flag, std::string& value, const std::string& help,
                        const std::vector<std::string>& allowed) {
  return command.add_option(flag, value, help)->check(one_of("value", allowed));
}

void add_model(CLI::App& command, TrainFlags& flags) {
  auto* model = command
                    .add_option("--model", flags.model,
                                "a model: Hugging Face's config.json, a YAML file, or a name of `tandem list models`")
                    ->type_name("FILE")
                    ->check(not_empty());
  for (auto* option : {add_number(command, "--layers", flags.layers, "instead of --model: a GPT of so many layers"),
                       add_number(command, "--hidden", flags.hidden, "its hidden size"),
                       add_number(command, "--heads", flags.heads, "its attention heads"),
                       add_number(command, "--kv-heads", flags.kv_heads, "its key-value heads (default: as many)"),
                       add_number(command, "--ffn", flags.ffn, "its feed-forward width (default: 4 x hidden)"),
                       add_number(command, "--vocab", flags.vocab, "its vocabulary (default: 51200)")})
    option->excludes(model);
}

void add_plan(CLI::App& command, TrainFlags& flags) {
  auto& plan = flags.plan;
  add_number(command, "--seq", flags.sequence,
             "tokens of a sequence (default: the model's learned positions; with --layers it is needed)");
  add_number(command, "--micro-batch", flags.micro_batch,
             "sequences of a micro-batch (default: 1, or what --accumulate leaves)");
  add_number(command, "--global-batch", flags.global_batch,
             "sequences of an iteration (default: 4 x pp micro-batches for each rank of dp; 1 without pipeline)");
  add_number(command, "--accumulate", flags.accumulate,
             "micro-batches of an iteration: with one of the two batches it gives the other");
  add_count(command, "--gpus", flags.gpus, "GPUs that take part, the platform's first (default: all)");
  add_count(command, "--tp", plan.layer.tp, "tensor-parallel ranks (default: 1)");
  add_count(command, "--pp", plan.pp, "pipeline stages (default: 1)");
  add_count(command, "--dp", flags.dp, "data-parallel ranks (default: GPUs / (tp x cp x pp))");
  add_count(command, "--cp", plan.layer.cp, "context-parallel ranks (default: 1)");
  add_count(command, "--ep", plan.layer.ep, "expert-parallel ranks (default: 1)");
  add_count(command, "--vpp", plan.vpp, "model chunks per stage (default: 1)");
  add_switch(command, "--sp", plan.layer.sequence_parallel, "sequence parallelism beside tp");
  add_choice(command, "--schedule", flags.schedule,
             "gpipe, 1f1b, interleaved or zero-bubble (default: 1f1b, interleaved with --vpp)",
             {"gpipe", "1f1b", "interleaved", "zero-bubble"});
  command.add_option("--stage-layers", flags.stage_layers, "layers of each virtual stage, as 11,12,12,13")
      ->type_name("LIST")
      ->check(not_empty());
  add_count(command, "--zero", plan.zero, "shard optimizer (1), gradients (2), parameters (3) over dp (default: 0)", 0);
  add_count(command, "--shard-size", plan.shard_size,
            "ranks of dp that hold one copy of what is sharded (default: all)");
  add_choice(command, "--recompute", flags.recompute, "none, selective (attention) or full (default: none)",
             {"none", "selective", "full"});
  add_choice(command, "--attention", flags.attention, "flash or unfused (default: flash)", {"flash", "unfused"});
  command.add_option("--precision", plan.layer.precision, "fp32, tf32, bf16, fp16 or fp8 (default: bf16)")
      ->check(one_of("precision", {"fp32", "tf32", "bf16", "fp16", "fp8"}));
  command.add_option("--optimizer", plan.optimizer, "adam, sgd-momentum, sgd, or none: no step (default: adam)")
      ->check(one_of("optimizer", {"adam", "sgd-momentum", "sgd", "none"}));
  add_switch(command, "--dropout", plan.layer.dropout, "dropout in embedding, attention and feed-forward");
  command
      .add_option("--expert-load", plan.layer.expert_load,
                  "tokens of the busiest rank's experts over their even share (default: 1)")
      ->type_name("X");
  add_choice(command, "--fp32-gradients", flags.fp32_gradients, "gradients add up in fp32: on or off (default: on)",
             {"on", "off"});
  add_choice(command, "--overlap-gradients", flags.overlap_gradients,
             "reduce gradients beside the backward pass: on or off (default: on)", {"on", "off"});
  add_choice(command, "--overlap-tp", flags.overlap_tp,
             "collectives of tp beside the GEMMs of weights' gradients: on or off (default: on)", {"on", "off"});
  command.add_option("--bucket", flags.bucket, "gradients that are reduced at a time (default: 25MB)")
      ->type_name("SIZE")
      ->check(not_empty());
  add_choice(command, "--comm-streams", flags.comm_streams,
             "by-dimension: tp, dp, ... beside each other; one: all communication in turn (default: by-dimension)",
             {"by-dimension", "one"});
  command
      .add_option("--input-time", flags.input_time,
                  "what loading and decoding a rank's samples of an iteration takes, as 80ms (default: nothing)")
      ->type_name("TIME")
      ->check(not_empty());
  add_choice(command, "--prefetch-input", flags.prefetch_input,
             "load the next iteration's samples beside this one: on or off (default: on)", {"on", "off"});
  add_switch(command, "--overlap-p2p", plan.overlap_p2p, "compute on while a message to the next stage is under way");
  add_choice(command, "--scatter-gather", flags.scatter_gather,
             "cut messages between stages over tp: on or off (default: on)", {"on", "off"});
  command
      .add_option(
          "--framework", flags.framework,
          "what issues kernels and collectives from the host, a file or a name of `platforms/frameworks/`; none: "
          "nothing waits for it, as with CUDA graphs (default: none)")
      ->type_name("NAME")
      ->check(not_empty());
  command.add_option("--order", plan.order, "rank order, innermost first (default: tp-cp-ep-dp-pp)")
      ->type_name("ORDER")
      ->check(not_empty());
}

std::vector<int> read_list(const std::string& text) {
  std::vector<int> list;
  for (const auto& word : base::split(text, ','))
    list.push_back(static_cast<int>(base::parse_integer(word, 1, 1 << 20)));
  return list;
}

PipelineSchedule schedule_named(const std::string& name, int chunks) {
  if (name.empty())
    return chunks > 1 ? PipelineSchedule::INTERLEAVED : PipelineSchedule::ONE_F_ONE_B;
  for (const auto schedule : {PipelineSchedule::GPIPE, PipelineSchedule::ONE_F_ONE_B, PipelineSchedule::INTERLEAVED,
                              PipelineSchedule::ZERO_BUBBLE})
    if (workload::to_string(schedule) == name)
      return schedule;
  throw base::Bug("schedule " + name);
}

workload::Recompute recompute_named(const std::string& name) {
  return name == "full"        ? workload::Recompute::FULL
         : name == "selective" ? workload::Recompute::SELECTIVE
                               : workload::Recompute::NONE;
}

/// GPT-2's architecture in other sizes, or what a plan's file describes; flags come first.
model::LanguageModel described(const TrainFlags& flags) {
  constexpr std::int64_t GPT_VOCABULARY = 51200;
  workload::PlanModel numbers;
  if (flags.plan_model) {
    numbers = *flags.plan_model;
  } else {
    numbers.vocab = GPT_VOCABULARY;
    if (flags.sequence == 0)
      throw UserError("--seq is needed: a model of --layers and its other sizes has no longest sequence of its own");
    numbers.positions = flags.sequence;
  }
  for (const auto& [flag, number] : {std::pair{flags.layers, &numbers.layers},
                                     {flags.hidden, &numbers.hidden},
                                     {flags.heads, &numbers.heads},
                                     {flags.kv_heads, &numbers.kv_heads},
                                     {flags.ffn, &numbers.ffn}})
    if (flag > 0)
      *number = flag;
  if (flags.vocab > 0) {
    numbers.vocab = flags.vocab;
    numbers.vocab_multiple = 1;
  }
  if (numbers.hidden > 0 && numbers.heads > 0 && numbers.head_dim == 0 && numbers.hidden % numbers.heads != 0)
    throw UserError(fmt::format("--heads {} does not divide --hidden {}", numbers.heads, numbers.hidden));
  return workload::language_model_of(numbers);
}

/// Tokens of a sample: `asked`, or the model's own where that is 0.
std::int64_t sequence_of(const model::AnyModel& trained, std::int64_t asked) {
  const auto* transformer = std::get_if<model::LanguageModel>(&trained);
  if (asked > 0 || transformer == nullptr)
    return std::max<std::int64_t>(1, asked);
  if (transformer->patches)
    return transformer->patches->tokens();
  if (transformer->learned_positions == 0)
    throw UserError(fmt::format("--seq is needed: {} has no longest sequence of its own", transformer->name));
  return transformer->learned_positions;
}

/// Sequences of a micro-batch and of an iteration, as far as given.
void set_batches(const TrainFlags& flags, workload::ParallelPlan& made) {
  auto& micro = made.layer.micro_batch;
  micro = flags.micro_batch;
  made.global_batch = flags.global_batch;
  if (flags.accumulate > 0 && micro == 0 && made.global_batch > 0) {
    const auto parts = flags.accumulate * made.dp;
    if (made.global_batch % parts != 0)
      throw UserError(fmt::format("a global batch of {} is not a multiple of --accumulate x dp = {} x {} = {}",
                                  made.global_batch, flags.accumulate, made.dp, parts));
    micro = made.global_batch / parts;
  }
  if (micro == 0)
    micro = 1;
  const auto micro_batches = flags.accumulate > 0 ? flags.accumulate : made.pp == 1 ? 1 : 4 * made.pp;
  if (made.global_batch == 0)
    made.global_batch = micro * made.dp * micro_batches;
  else if (flags.accumulate > 0 && made.global_batch != micro * made.dp * flags.accumulate)
    throw UserError(fmt::format("a global batch of {}, and micro-batch x dp x --accumulate = {} x {} x {} = {}",
                                made.global_batch, micro, made.dp, flags.accumulate,
                                micro * made.dp * flags.accumulate));
}

} // namespace

void check_strategies(const std::vector<std::string>& strategies) {
  for (const auto& text : strategies)
    (void)value_of_flag("--strategy", [&] { return study::read_dimension_strategies(text); });
}

void TrainFlags::add_to(CLI::App& command) {
  add_model(command, *this);
  command
      .add_option(
          "--plan", plan_file,
          "a plan of another program: Megatron-LM's arguments (a script or a list), DeepSpeed's JSON (.json), NeMo's "
          "YAML (.yaml); flags come first")
      ->type_name("FILE")
      ->check(not_empty());
  command.add_option("--platform", platform, "platform file (SimGrid XML)")
      ->required()
      ->type_name("FILE")
      ->check(not_empty());
  machine.add_to(command);
  add_plan(command, *this);
  add_repeatable(command, "--strategy", strategies,
                 "STRATEGY for tp and dp, or by dimension, as tp=t3-mca,dp=ring+zfp:rate=8; several: side by side")
      ->type_name("S");
  add_choice(
      command, "--granularity", granularity,
      "step: every step of a collective; flow: repeated steps as one flow, where the strategy allows it (default: "
      "flow)",
      study::granularity_names());
  folding.add_to(command);
  limit.add_to(command);
  add_count(command, "--iterations", iterations, "iterations that are simulated (default: 1)");
  add_count(command, "--warmup", warmup, "of them, those that are not reported (default: 0)", 0);
  add_switch(command, "--ignore-memory", ignore_memory, "simulate a plan that does not fit the GPUs' memory");
  add_switch(command, "--energy", energy, "joules too, by rank and by link; the device file states what GPUs draw");
  add_switch(command, "--detail", detail, "every pipeline stage: its memory and where its time goes");
  auto* drawn = command.add_option("--timeline", timeline, "write a Chrome/Perfetto timeline of the iterations")
                    ->type_name("FILE")
                    ->check(not_empty());
  command
      .add_option("--timeline-ranks", timeline_ranks,
                  "ranks that it shows, as 0-7 or 0,8 (default: the first of each stage)")
      ->type_name("LIST")
      ->check(not_empty())
      ->needs(drawn);
  command.add_option("--stats", stats, "write wall time, CPU time and memory of this run (JSON)")
      ->type_name("FILE")
      ->check(not_empty());
  add_jobs(command, jobs);
  output.add_to(command);
  verbosity.add_to(command);
}

model::AnyModel TrainFlags::read_model() const {
  if (model.empty())
    return described(*this);
  return workload::find_model(model, {shipped_folder("workloads/models")});
}

model::HostIssue TrainFlags::read_framework() const {
  if (framework == "none")
    return {};
  return workload::find_framework(framework, {shipped_folder("platforms/frameworks")});
}

model::LanguageModel TrainFlags::read_transformer() const {
  const auto any = read_model();
  if (const auto* transformer = std::get_if<model::LanguageModel>(&any))
    return *transformer;
  throw UserError({.file = model},
                  fmt::format("{} is no transformer, and plans are searched for transformers; train takes it",
                              model::name_of(any)));
}

workload::ParallelPlan TrainFlags::plan_for(const model::AnyModel& trained, int all_gpus) const {
  auto made = plan;
  auto& layer = made.layer;
  const int ranks = gpus == 0 ? all_gpus : gpus;
  const int others = layer.tp * layer.cp * made.pp;
  made.dp = dp == 0 ? std::max(1, ranks / others) : dp;
  made.schedule = schedule_named(schedule, made.vpp);
  if (!stage_layers.empty())
    made.stage_layers = value_of_flag("--stage-layers", [&] { return read_list(stage_layers); });
  layer.recompute = recompute_named(recompute);
  layer.attention = attention == "flash" ? workload::AttentionKernel::FLASH : workload::AttentionKernel::UNFUSED;
  layer.sequence = sequence_of(trained, sequence);
  if (layer.ep == 1)
    layer.ep = workload::ep_of(trained, made.dp);
  made.host = read_framework();
  layer.fp32_gradients = fp32_gradients == "on";
  made.overlap_gradients = overlap_gradients == "on";
  made.overlap_tp = overlap_tp == "on";
  made.scatter_gather = scatter_gather == "on";
  if (!bucket.empty())
    made.bucket = value_of_flag("--bucket", [&] { return base::parse_bytes(bucket); });
  made.one_stream = comm_streams == "one";
  if (!input_time.empty())
    made.input_time = value_of_flag("--input-time", [&] { return base::parse_seconds(input_time); });
  (void)value_of_flag("--order", [&] { return workload::RankGrid({}, made.order); });
  made.prefetch_input = prefetch_input == "on";
  set_batches(*this, made);
  return made;
}

void TrainFlags::apply_plan(CLI::App& command) {
  if (plan_file.empty())
    return;
  const auto file = workload::read_plan_file(plan_file);
  if (model.empty() && !file.foreign_model.empty())
    throw UserError(file.foreign_model);
  if (model.empty())
    plan_model = file.model;
  simplified = file.simplified;
  for (const auto& setting : file.settings) {
    auto* option = command.get_option(setting.flag);
    if (option->count() > 0)
      continue; // a flag, or a variable of the environment
    try {
      option->add_result(setting.value);
      option->run_callback();
    } catch (const CLI::ParseError& error) {
      throw UserError(setting.where, fmt::format("which gives {}", error.what()));
    }
  }
}

} // namespace tandem::app
