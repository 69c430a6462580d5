// A model as the parts that an iteration runs one after the other: layers, and what stands at their ends, with their
// kernels, communication, memory and parameters on one rank.
#pragma once

#include "model/any_model.h"
#include "model/kernel.h"
#include "workload/layer_memory.h"
#include "workload/optimizer_kernels.h"
#include "workload/parallel_plan.h"
#include "workload/parameters.h"

#include <string>
#include <vector>

namespace tandem::workload {

struct ModelPart {
  std::string name;
  model::Steps forward, backward;
  ActivationMemory memory;
  RankParameters parameters;
};

/// Of one virtual stage, in forward order. Precondition: check_plan() accepts the plan.
std::vector<ModelPart> model_parts(const model::AnyModel& model, const ParallelPlan& plan, int virtual_stage);

/// The same for the kinds that have one stage only.
std::vector<ModelPart> convolutional_parts(const model::ConvolutionalModel& model, const LayerPlan& plan);
/// The tables are spread evenly over the plan's ep ranks.
std::vector<ModelPart> recommendation_parts(const model::RecommendationModel& model, const LayerPlan& plan,
                                            const StateBytes& state);
std::vector<ModelPart> measured_parts(const model::MeasuredModel& model, const LayerPlan& plan);

} // namespace tandem::workload
