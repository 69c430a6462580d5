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
  if (optimizer == "adam")
    state.moments = 2 * FP32;
  else if (optimizer == "sgd-momentum")
    state.moments = FP32;
  else if (optimizer != "sgd")
    throw base::UserError(base::unknown_word("optimizer", optimizer, {"adam", "sgd-momentum", "sgd"}));
  return state;
}

model::Steps optimizer_step(double parameters, const StateBytes& state, const std::string& optimizer) {
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
  return {kernel("norm of gradients", 2, state.gradient, 0),
          kernel(optimizer, flops_per_parameter, state.gradient + value + state.moments, stored + state.moments),
          kernel("gradients to zero", 0, 0, state.gradient)};
}

} // namespace tandem::workload
