// Layers whose times are known: each is one kernel forward and one backward, with the communication that it is said to
// have.
#include "workload/kernel_list.h"
#include "workload/model_parts.h"

#include <map>

namespace tandem::workload {

namespace {

using model::CollectiveKind;
using model::MeasuredLayer;
using model::Pass;

void reduce_over_tp(KernelList& list, const std::string& name, base::Bytes bytes) {
  if (bytes.value() > 0 && list.plan().tp > 1)
    list.communicate(name, "tp", CollectiveKind::ALL_REDUCE, bytes.value());
}

/// The outputs of `layer`, or the gradients on their way back; `part` waits for them.
void exchange(KernelList& list, const MeasuredLayer& layer, const std::string& part) {
  if (layer.all_to_all.value() <= 0 || list.plan().ep == 1)
    return;
  list.communicate("all-to-all of " + layer.name, "ep", CollectiveKind::ALL_TO_ALL, layer.all_to_all.value());
  list.awaited_by(part);
}

} // namespace

std::vector<ModelPart> measured_parts(const model::MeasuredModel& model, const LayerPlan& plan) {
  std::multimap<std::string, const MeasuredLayer*> users; // who brings what to a layer
  for (const auto& layer : model.layers)
    if (!layer.until.empty())
      users.emplace(layer.until, &layer);
  std::vector<ModelPart> parts;
  for (const auto& layer : model.layers) {
    KernelList forward(plan, Pass::FORWARD), backward(plan, Pass::BACKWARD);
    forward.measured("forward", layer.forward);
    forward.save("activations", layer.kept.value());
    reduce_over_tp(forward, "sum of outputs", layer.all_reduce);
    exchange(forward, layer, layer.until);
    backward.measured("backward", layer.backward);
    reduce_over_tp(backward, "sum of gradients", layer.backward_all_reduce);
    for (auto [from, end] = users.equal_range(layer.name); from != end; ++from)
      exchange(backward, *from->second, from->second->name);
    auto steps = forward.take();
    const auto memory = activation_memory(steps, Recompute::NONE);
    parts.push_back(
        {layer.name, std::move(steps), backward.take(), memory, RankParameters{.shared = layer.parameters}});
  }
  return parts;
}

} // namespace tandem::workload
