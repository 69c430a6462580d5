// Traffic of the optimizer's kernels: each parameter's state is read once and written once.
#include "workload/optimizer_kernels.h"

#include "base/error.h"
#include "workload/step_list.h"

namespace tandem::workload {

StateBytes state_bytes(const std::string& precision, const std::string& optimizer, bool fp32_gradients) {
  StateBytes state;
  const bool full = precision == "fp32" || precision == "tf32";
  state.weight = full ? FP32 : 2;
  state.gradient = full || fp32_gradients ? FP32 : 2;
  state.master = full ? 0 : FP32;
  state.scaled = precision == "fp16";
  if (optimizer == "adam")
    state.moments = 2 * FP32;
  else if (optimizer == "sgd-momentum")
    state.moments = FP32;
  else if (optimizer != "sgd" && optimizer != "none")
    throw base::UserError(base::unknown_word("optimizer", optimizer, {"adam", "sgd-momentum", "sgd", "none"}));
  return state;
}

model::Steps optimizer_step(double parameters, const StateBytes& state, const std::string& optimizer) {
  if (optimizer == "none")
    return {};
  const double flops_per_parameter = optimizer == "adam" ? 14 : 4; // products, sums, a root and a division
  const auto kernel = [&](const std::string& name, double flops, double reads, double writes) {
    model::Kernel row;
    row.name = name;
    row.kind = model::KernelKind::OPTIMIZER;
    row.pass = model::Pass::UPDATE;
    row.precision = "fp32";
    row.flops = base::Flops(parameters * flops);
    row.reads = base::Bytes(parameters * reads);
    row.writes = base::Bytes(parameters * writes);
    return row;
  };
  const double stored = state.master > 0 ? state.master + state.weight : state.weight;
  const double value = state.master > 0 ? state.master : state.weight;
  const bool copies = state.master > 0 && state.gradient < FP32;
  const double gradient = copies ? FP32 : state.gradient; // that the update reads
  model::Steps steps;
  if (copies)
    steps.emplace_back(kernel("gradients to fp32", 0, state.gradient, FP32));
  if (state.scaled)
    steps.emplace_back(kernel("gradients unscaled and checked", 2, gradient, gradient));
  steps.emplace_back(kernel("norm of gradients", 2, gradient, 0));
  steps.emplace_back(kernel(optimizer, flops_per_parameter, gradient + value + state.moments, stored + state.moments));
  steps.emplace_back(kernel("gradients to zero", 0, 0, state.gradient));
  return steps;
}

} // namespace tandem::workload
