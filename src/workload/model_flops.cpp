// Sums over layers of what the conventions count: products with weights and attention in full.
#include "workload/model_flops.h"

#include "workload/layer_kernels.h"
#include "workload/model_parts.h"

namespace tandem::workload {

namespace {

/// Of the forward pass on one GPU, as the kernels count it.
double nominal(const model::Steps& steps) {
  double sum = 0;
  for (const auto& step : steps)
    if (const auto* kernel = std::get_if<model::Kernel>(&step))
      sum += kernel->nominal_flops.value();
  return sum;
}

struct ForwardFlops {
  double layers = 0, rest = 0; ///< of one sequence
};

ForwardFlops forward_flops(const model::LanguageModel& model, std::int64_t sequence) {
  const LayerPlan plan{.sequence = sequence};
  ForwardFlops sum;
  std::vector<double> of_kind;
  of_kind.reserve(model.kinds.size());
  for (const auto& kind : model.kinds)
    of_kind.push_back(nominal(layer_forward(model, kind, plan)));
  for (const int kind : model.layers)
    sum.layers += of_kind[static_cast<std::size_t>(kind)];
  sum.rest = nominal(head_forward(model, plan)) + nominal(embedding_forward(model, plan));
  return sum;
}

} // namespace

base::Flops model_flops(const model::LanguageModel& model, double sequences, std::int64_t sequence) {
  const auto forward = forward_flops(model, sequence);
  return base::Flops(3 * sequences * (forward.layers + forward.rest));
}

base::Flops model_flops(const model::AnyModel& model, double samples, std::int64_t sequence) {
  if (const auto* transformer = std::get_if<model::LanguageModel>(&model))
    return model_flops(*transformer, samples, sequence);
  ParallelPlan one;
  one.layer.sequence = 1;
  double forward = 0;
  for (const auto& part : model_parts(model, one, 0))
    forward += nominal(part.forward);
  return base::Flops(3 * samples * forward);
}

base::Flops recomputed_flops(const model::LanguageModel& model, double sequences, std::int64_t sequence) {
  const auto forward = forward_flops(model, sequence);
  return base::Flops(sequences * (4 * forward.layers + 3 * forward.rest));
}

} // namespace tandem::workload
