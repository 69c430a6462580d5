// Norms and tensor parallelism, as the model and the plan have them.
#include "workload/step_list.h"

namespace tandem::workload {

using model::KernelKind;

void StepList::norm(double elements, const std::string& input) {
  pass(model_.norm == model::NormKind::RMS ? RMS_NORM : LAYER_NORM, elements, KernelKind::NORM);
  save(input, elements * element());
}

void StepList::norm_gradient(double elements) {
  const bool rms = model_.norm == model::NormKind::RMS;
  pass(rms ? RMS_NORM_GRADIENT : LAYER_NORM_GRADIENT, elements, KernelKind::NORM);
  if (model_.norm == model::NormKind::PLAIN)
    return;
  pass(rms ? RMS_NORM_WEIGHT_GRADIENT : LAYER_NORM_WEIGHT_GRADIENT, elements, KernelKind::NORM);
  vectors(rms ? 1 : 2);
}

void StepList::gather_input(const std::string& name, int independent) {
  if (plan().tp > 1 && plan().sequence_parallel)
    communicate(name, "tp", model::CollectiveKind::ALL_GATHER, static_cast<double>(tokens() * hidden() * element()),
                independent);
}

void StepList::reduce_output(const std::string& name, int independent) {
  if (plan().tp == 1)
    return;
  communicate(name, "tp",
              plan().sequence_parallel ? model::CollectiveKind::REDUCE_SCATTER : model::CollectiveKind::ALL_REDUCE,
              static_cast<double>(tokens() * hidden() * element()), independent);
}

} // namespace tandem::workload
