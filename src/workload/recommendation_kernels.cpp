// DLRM as kernels: each rank looks its tables' rows up for all samples, an all-to-all brings every sample's vectors to
// its rank while the bottom MLP runs; dot products, the top MLP, and the way back.
#include "workload/kernel_list.h"
#include "workload/model_parts.h"

#include <fmt/format.h>
#include <numeric>

namespace tandem::workload {

namespace {

using model::CollectiveKind;
using model::KernelKind;
using model::Pass;
using model::RecommendationModel;

constexpr double ROW_NUMBER = 8; ///< bytes
const char* const EMBEDDINGS = "embeddings";
const char* const INTERACTION = "interaction";

/// A micro-batch on one rank, in elements.
struct Batch {
  std::int64_t samples, vectors; ///< vectors of a sample: one of each table, and the bottom MLP's
  double looked_up;              ///< rows that the rank reads: of its tables for the samples of all ranks
  double pooled;                 ///< of the vectors that it sends, and gets
  double pairs;                  ///< dot products of all its samples
  double dense;                  ///< outputs of the bottom MLP
  Batch(const RecommendationModel& model, const LayerPlan& plan)
      : samples(plan.micro_batch), vectors(static_cast<std::int64_t>(model.tables.size()) + 1),
        looked_up(times(samples, vectors - 1) * static_cast<double>(model.lookups) * plan.expert_load),
        pooled(times(samples, vectors - 1) * static_cast<double>(model.vector)),
        pairs(times(samples, vectors * (vectors - 1) / 2)), dense(times(samples, model.vector)) {}
};

void exchange(KernelList& list, const Batch& batch, const std::string& name, const char* until) {
  if (list.plan().ep == 1)
    return;
  list.communicate(name, "ep", CollectiveKind::ALL_TO_ALL, batch.pooled * list.element());
  list.awaited_by(until);
}

ModelPart embeddings(const RecommendationModel& model, const LayerPlan& plan, const StateBytes& state) {
  const Batch batch(model, plan);
  const auto width = static_cast<double>(model.vector);
  KernelList forward(plan, Pass::FORWARD), backward(plan, Pass::BACKWARD);
  forward.kernel("lookup", KernelKind::EMBEDDING, batch.looked_up * width,
                 batch.looked_up * (width * state.weight + ROW_NUMBER), batch.pooled * forward.element());
  forward.save("row numbers", batch.looked_up * ROW_NUMBER);
  exchange(forward, batch, "vectors to their samples", INTERACTION);
  // Every row that was looked up is read, changed and written with its moments; rows that came twice are counted twice.
  const double row = width * (state.weight + state.moments);
  backward.kernel("rows updated", KernelKind::EMBEDDING, 2 * batch.looked_up * width,
                  batch.pooled * backward.element() + batch.looked_up * (row + ROW_NUMBER), batch.looked_up * row);
  backward.weight();
  auto steps = forward.take();
  const auto memory = activation_memory(steps, Recompute::NONE);
  const auto rows = std::accumulate(model.tables.begin(), model.tables.end(), std::int64_t{0});
  return {EMBEDDINGS, std::move(steps), backward.take(), memory,
          RankParameters{.tables = times(rows, model.vector) / plan.ep}};
}

/// A layer of an MLP. `needs_gradient`: its input has one; `last`: a sigmoid and the loss follow.
ModelPart dense_layer(const std::string& name, std::int64_t in, std::int64_t out, const LayerPlan& plan,
                      bool needs_gradient, bool last) {
  const double outputs = times(plan.micro_batch, out);
  KernelList forward(plan, Pass::FORWARD), backward(plan, Pass::BACKWARD);
  forward.gemm(name, plan.micro_batch, out, in);
  forward.save_input("input", times(plan.micro_batch, in));
  forward.pass(BIAS_RELU, outputs);
  if (last) {
    forward.kernel("loss", KernelKind::LOSS, 6 * outputs, 2 * outputs * forward.element(), 0);
    backward.kernel("loss backward", KernelKind::LOSS, 2 * outputs, 2 * outputs * backward.element(),
                    outputs * backward.element());
  }
  backward.pass(RELU_GRADIENT, outputs);
  backward.pass(WIDE_BIAS_GRADIENT, outputs);
  backward.weight();
  if (needs_gradient)
    backward.data_gradient(name, plan.micro_batch, out, in);
  backward.weight_gradient(name, plan.micro_batch, out, in);
  auto steps = forward.take();
  const auto memory = activation_memory(steps, Recompute::NONE);
  return {name, std::move(steps), backward.take(), memory,
          RankParameters{.shared = times(in, out) + static_cast<double>(out)}};
}

/// All dot products of a sample's vectors, as one product X X^T of which a triangle is taken.
ModelPart interaction(const RecommendationModel& model, const LayerPlan& plan) {
  const Batch batch(model, plan);
  const double square = times(batch.samples, batch.vectors * batch.vectors);
  const double vectors = batch.pooled + batch.dense, features = batch.dense + batch.pairs;
  KernelList forward(plan, Pass::FORWARD), backward(plan, Pass::BACKWARD);
  forward.product("dot products", batch.vectors, batch.vectors, model.vector, batch.samples);
  forward.save("vectors", vectors * forward.element());
  forward.kernel("features joined", KernelKind::VECTOR, 0, features * forward.element(), features * forward.element());
  // Both triangles get the gradient, so that one product, (G + G^T) X, has all.
  backward.kernel("features' gradient", KernelKind::VECTOR, 0, features * backward.element(),
                  (square + batch.dense) * backward.element());
  backward.product("dot products input gradient", batch.vectors, model.vector, batch.vectors, batch.samples);
  exchange(backward, batch, "gradients to their tables", EMBEDDINGS);
  auto steps = forward.take();
  const auto memory = activation_memory(steps, Recompute::NONE);
  return {INTERACTION, std::move(steps), backward.take(), memory, {}};
}

} // namespace

std::vector<ModelPart> recommendation_parts(const RecommendationModel& model, const LayerPlan& plan,
                                            const StateBytes& state) {
  std::vector<ModelPart> parts{embeddings(model, plan, state)};
  std::int64_t width = model.dense_features;
  for (std::size_t i = 0; i < model.bottom.size(); ++i) {
    parts.push_back(dense_layer(fmt::format("bottom {}", i + 1), width, model.bottom[i], plan, i > 0, false));
    width = model.bottom[i];
  }
  parts.push_back(interaction(model, plan));
  const auto vectors = static_cast<std::int64_t>(model.tables.size()) + 1;
  width = model.vector + vectors * (vectors - 1) / 2;
  for (std::size_t i = 0; i < model.top.size(); ++i) {
    parts.push_back(
        dense_layer(fmt::format("top {}", i + 1), width, model.top[i], plan, true, i + 1 == model.top.size()));
    width = model.top[i];
  }
  return parts;
}

} // namespace tandem::workload
