// The optimizer's step as memory traffic, and the bytes of state that a parameter has.
#pragma once

#include "model/kernel.h"

#include <string>

namespace tandem::workload {

/// Bytes per parameter of a training state.
struct StateBytes {
  double weight = 0;   ///< that the layers compute with
  double gradient = 0; ///< accumulated
  double master = 0;   ///< fp32 copy of the weight; 0 when the weight itself is fp32
  double moments = 0;  ///< of the optimizer
  bool scaled = false; ///< the loss is scaled, and so are the gradients (fp16)
  [[nodiscard]] double optimizer() const { return master + moments; }
};

/// `optimizer`: "adam" (two fp32 moments), "sgd-momentum" (one), "sgd" (none), "none" (and no step). Weights: 4 bytes
/// for fp32 and tf32, else 2; fp8 keeps bf16 weights and casts them. Gradients: 4 bytes with fp32_gradients or fp32
/// weights. Throws UserError.
StateBytes state_bytes(const std::string& precision, const std::string& optimizer, bool fp32_gradients);

/// Update of `parameters` (the share that this rank updates): reads gradient, master and moments, writes master,
/// moments and weight. Before it the norm of the gradients, and what mixed precision adds: 16-bit gradients of fp32
/// masters are copied to fp32, and scaled ones are unscaled and checked for overflow (Megatron-LM's
/// Float16OptimizerWithFloat16Params.step and its torch._amp_foreach_non_finite_check_and_unscale_).
model::Steps optimizer_step(double parameters, const StateBytes& state, const std::string& optimizer);

} // namespace tandem::workload
