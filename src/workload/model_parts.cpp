// Parts of a stage by the kind of model.
#include "workload/model_parts.h"

#include "workload/layer_kernels.h"

#include <fmt/format.h>

namespace tandem::workload {

namespace {

std::vector<ModelPart> transformer_parts(const model::LanguageModel& model, const ParallelPlan& plan, int place) {
  const auto& layer = plan.layer;
  const auto range = split_layers(model, plan)[static_cast<std::size_t>(place)];
  std::vector<ModelPart> parts;
  if (place == 0)
    parts.push_back({"embedding", embedding_forward(model, layer), embedding_backward(model, layer),
                     embedding_memory(model, layer), on_rank(embedding_weights(model), layer.tp, layer.ep)});
  for (int i = range.first; i < range.end; ++i) {
    const auto& kind = model.kind_of(static_cast<std::size_t>(i));
    parts.push_back({fmt::format("layer {}", i + 1), layer_forward(model, kind, layer),
                     layer_backward(model, kind, layer), layer_memory(model, kind, layer),
                     on_rank(layer_weights(model, kind), layer.tp, layer.ep)});
  }
  if (place == plan.virtual_stages() - 1)
    parts.push_back({"head", head_forward(model, layer), head_backward(model, layer), head_memory(model, layer),
                     on_rank(head_weights(model), layer.tp, layer.ep)});
  return parts;
}

struct PartsOf {
  const ParallelPlan& plan;
  int place;
  std::vector<ModelPart> operator()(const model::LanguageModel& model) const {
    return transformer_parts(model, plan, place);
  }
  std::vector<ModelPart> operator()(const model::ConvolutionalModel& model) const {
    return convolutional_parts(model, plan.layer);
  }
  std::vector<ModelPart> operator()(const model::RecommendationModel& model) const {
    return recommendation_parts(model, plan.layer,
                                state_bytes(plan.layer.precision, plan.optimizer, plan.layer.fp32_gradients));
  }
  std::vector<ModelPart> operator()(const model::MeasuredModel& model) const {
    return measured_parts(model, plan.layer);
  }
};

} // namespace

std::vector<ModelPart> model_parts(const model::AnyModel& model, const ParallelPlan& plan, int virtual_stage) {
  return std::visit(PartsOf{plan, virtual_stage}, model);
}

} // namespace tandem::workload
