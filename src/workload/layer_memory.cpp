// Activation memory from the tensors that the kernels of a forward pass save, each name once.
#include "workload/layer_memory.h"

#include "workload/layer_kernels.h"

#include <algorithm>
#include <set>

namespace tandem::workload {

namespace {

using model::Kernel;

/// Tensors that only the core of attention saves, of those that it makes itself: selective recomputation drops them.
/// Its inputs and its output are kept.
bool dropped_by_selection(const model::SavedTensor& tensor) {
  static const std::set<std::string> made_by_core = {
      "softmax", "mask of attention dropout", "attention weights behind dropout", "log-sum-exp", "inverses of chunks"};
  return made_by_core.count(tensor.name) > 0;
}

} // namespace

ActivationMemory activation_memory(const model::Steps& forward, Recompute recompute) {
  ActivationMemory memory;
  std::set<std::string> seen;
  for (const auto& step : forward) {
    const auto* kernel = std::get_if<Kernel>(&step);
    if (!kernel)
      continue;
    base::Bytes traffic = kernel->reads + kernel->writes;
    if (kernel->gemm) { // its activations; the weight lies in memory already
      const auto& gemm = *kernel->gemm;
      const auto elements = static_cast<double>(gemm.batch * gemm.m * (gemm.k + gemm.n));
      traffic = base::Bytes(elements * gemm.element_bytes()) + kernel->writes;
    }
    memory.temporary = std::max(memory.temporary, traffic);
    for (const auto& tensor : kernel->saves) {
      if (!seen.insert(tensor.name).second)
        continue;
      const bool kept = recompute == Recompute::NONE ||
                        (recompute == Recompute::SELECTIVE && !dropped_by_selection(tensor)) ||
                        (recompute == Recompute::FULL && tensor.name == "layer input");
      (kept ? memory.kept : memory.recomputed) += tensor.bytes;
      if (kept)
        memory.tensors.push_back(tensor);
    }
  }
  return memory;
}

ActivationMemory layer_memory(const model::LanguageModel& model, const model::LayerKind& kind, const LayerPlan& plan) {
  return activation_memory(layer_forward(model, kind, plan), plan.recompute);
}

ActivationMemory embedding_memory(const model::LanguageModel& model, const LayerPlan& plan) {
  return activation_memory(embedding_forward(model, plan),
                           Recompute::NONE); // layers are recomputed, not what is around them
}

ActivationMemory head_memory(const model::LanguageModel& model, const LayerPlan& plan) {
  return activation_memory(head_forward(model, plan), Recompute::NONE);
}

} // namespace tandem::workload
