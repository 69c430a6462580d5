// Plans of models that are no transformers: data parallelism, and what each kind can do beside it.
#include "base/error.h"
#include "workload/check_plan.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::workload {

namespace {

using base::UserError;

void only_one(const char* degree, int found, const std::string& model, const std::string& why) {
  if (found > 1)
    throw UserError(fmt::format("{} {}: {} {}; allowed: {} 1", degree, found, model, why, degree));
}

/// What no kind of these has.
void check_common(const std::string& name, const ParallelPlan& plan, int gpus) {
  const auto& layer = plan.layer;
  only_one("pp", plan.pp, name, "is no transformer, and is not cut into pipeline stages");
  only_one("vpp", plan.vpp, name, "is no transformer, and is not cut into model chunks");
  only_one("cp", layer.cp, name, "has no sequence that context parallelism could cut");
  const auto refuse = [&](bool asked, const std::string& what) {
    if (asked)
      throw UserError(fmt::format("{}: {} is no transformer, and this says nothing about it", what, name));
  };
  refuse(layer.sequence != 1, fmt::format("a sequence of {} tokens", layer.sequence));
  refuse(!plan.stage_layers.empty(), "layers of stages");
  refuse(layer.sequence_parallel, "sequence parallelism");
  refuse(layer.attention != AttentionKernel::FLASH, "unfused attention");
  refuse(layer.dropout, "dropout");
  if (layer.recompute != Recompute::NONE)
    throw UserError(fmt::format("recomputation: layers of {} keep what they made; allowed: none", name));
  if (layer.precision == "fp8")
    throw UserError(fmt::format("precision fp8: {} is trained in fp32, tf32, bf16 or fp16", name));
  check_ranks(plan, gpus);
  if (layer.micro_batch < 1)
    throw UserError(fmt::format("micro-batch {}: it must be at least 1", layer.micro_batch));
  check_batch(plan);
  check_shards(plan);
  check_streams(plan);
  (void)RankGrid(plan.sizes(), plan.order);
}

void needs_ep(const model::AnyModel& model, const ParallelPlan& plan, const char* what) {
  const int needed = ep_of(model, plan.dp);
  if (plan.layer.ep != needed)
    throw UserError(fmt::format("ep {}: {} of {} for dp {} means ep {}", plan.layer.ep, what, model::name_of(model),
                                plan.dp, needed));
}

struct Check {
  const model::AnyModel& any;
  const ParallelPlan& plan;
  int gpus;

  void operator()(const model::LanguageModel& model) const { check_plan(model, plan, gpus); }
  void operator()(const model::ConvolutionalModel& model) const {
    only_one("tp", plan.layer.tp, model.name, "has convolutions, and their channels are not cut over ranks");
    needs_ep(any, plan, "no experts or tables");
    no_load(model.name);
    check_common(model.name, plan, gpus);
  }
  void operator()(const model::RecommendationModel& model) const {
    only_one("tp", plan.layer.tp, model.name, "has its tables spread over dp, and MLPs that are not cut");
    needs_ep(any, plan, "tables spread over all ranks");
    if (!(plan.layer.expert_load >= 1.0))
      throw UserError(
          fmt::format("expert load {}: the busiest rank looks up at least its even share, 1", plan.layer.expert_load));
    check_common(model.name, plan, gpus);
  }
  void operator()(const model::MeasuredModel& model) const {
    const bool sums = std::any_of(model.layers.begin(), model.layers.end(), [](const auto& layer) {
      return layer.all_reduce.value() > 0 || layer.backward_all_reduce.value() > 0;
    });
    if (!sums)
      only_one("tp", plan.layer.tp, model.name, "has no layer with an all_reduce");
    needs_ep(any, plan, "all-to-alls");
    no_load(model.name);
    check_common(model.name, plan, gpus);
  }

private:
  void no_load(const std::string& name) const {
    if (plan.layer.expert_load != 1.0)
      throw UserError(
          fmt::format("expert load {}: {} has no experts and no tables; allowed: 1", plan.layer.expert_load, name));
  }
};

} // namespace

int layers_of(const model::AnyModel& model) {
  if (const auto* transformer = std::get_if<model::LanguageModel>(&model))
    return static_cast<int>(transformer->layers.size());
  if (const auto* convolutional = std::get_if<model::ConvolutionalModel>(&model))
    return static_cast<int>(convolutional->layers.size());
  if (const auto* recommendation = std::get_if<model::RecommendationModel>(&model))
    return static_cast<int>(recommendation->bottom.size() + recommendation->top.size());
  return static_cast<int>(std::get<model::MeasuredModel>(model).layers.size());
}

int ep_of(const model::AnyModel& model, int dp) {
  if (std::holds_alternative<model::RecommendationModel>(model))
    return dp;
  if (const auto* measured = std::get_if<model::MeasuredModel>(&model))
    for (const auto& layer : measured->layers)
      if (layer.all_to_all.value() > 0)
        return dp;
  return 1;
}

void check_plan(const model::AnyModel& model, const ParallelPlan& plan, int gpus) {
  std::visit(Check{model, plan, gpus}, model);
}

std::vector<LayerRange> split_layers(const model::AnyModel& model, const ParallelPlan& plan) {
  if (const auto* transformer = std::get_if<model::LanguageModel>(&model))
    return split_layers(*transformer, plan);
  return {{0, layers_of(model)}};
}

} // namespace tandem::workload
