// A mixture-of-experts block: router, dispatch to the ranks of the experts, their matrices, and the way back.
#include "workload/layer_parts.h"

#include <algorithm>
#include <cmath>

namespace tandem::workload {

namespace {

using model::CollectiveKind;
using model::Experts;

struct Routing {
  double choices;           ///< elements of own tokens x routed experts
  double sent;              ///< elements that the rank dispatches: own tokens x top_k x hidden
  double exchanged;         ///< elements that a rank's ports take: those of the busiest rank, which all wait for
  double gathered;          ///< elements in front of the rank's experts
  std::int64_t local, rows; ///< experts on this rank, and tokens of each
  bool sorts;               ///< tokens of several ranks are sorted by expert
  Routing(const StepList& list, const Experts& experts) {
    const LayerPlan& plan = list.plan();
    choices = static_cast<double>(list.own_tokens() * experts.routed);
    sent = list.own_hidden() * static_cast<double>(experts.top_k);
    const double load =
        experts.capacity_factor > 0 ? std::min(plan.expert_load, experts.capacity_factor) : plan.expert_load;
    exchanged = sent * load;
    local = experts.routed / plan.ep;
    const double tokens = static_cast<double>(list.tokens() * experts.top_k) * load;
    rows = std::max<std::int64_t>(1, std::llround(std::ceil(tokens / static_cast<double>(local))));
    gathered = static_cast<double>(rows * local * list.hidden());
    sorts = plan.ep > 1 && local > 1;
  }
};

model::FeedForward routed_block(const Experts& experts) {
  return {.inner = experts.inner, .gated = experts.gated, .bias = experts.bias};
}

model::FeedForward shared_block(const Experts& experts) {
  return {.inner = experts.shared_inner, .gated = experts.gated};
}

void exchange(StepList& list, const std::string& name, double elements) {
  if (list.plan().ep > 1)
    list.communicate(name, "ep", CollectiveKind::ALL_TO_ALL, elements * list.element());
}

/// The ranks of tp cut each expert's matrices: with sequence parallelism they first share what each got.
void share_over_tp(StepList& list, const std::string& name, CollectiveKind kind, double elements) {
  if (list.plan().tp > 1 && list.plan().sequence_parallel)
    list.communicate(name, "tp", kind, elements * list.element());
}

void dispatch(StepList& list, const Routing& routing, const std::string& what) {
  exchange(list, what + " to the experts", routing.exchanged);
  share_over_tp(list, what + " of the experts", CollectiveKind::ALL_GATHER, routing.gathered);
  if (routing.sorts)
    list.pass(PERMUTE, routing.gathered);
}

void combine(StepList& list, const Routing& routing, const std::string& what) {
  if (routing.sorts)
    list.pass(PERMUTE, routing.gathered);
  share_over_tp(list, what + " of the experts", CollectiveKind::REDUCE_SCATTER, routing.gathered);
  exchange(list, what + " from the experts", routing.exchanged);
}

} // namespace

void experts_forward(StepList& list, const Experts& experts) {
  const Routing routing(list, experts);
  list.product("router", list.own_tokens(), experts.routed, list.hidden(), 1);
  list.save("router input", list.own_hidden() * list.element());
  list.pass(ROUTE, routing.choices);
  list.save("router probabilities", routing.choices * list.element());
  list.pass(PERMUTE, routing.sent);
  dispatch(list, routing, "tokens");
  matrices_forward(list, routed_block(experts), "experts ", routing.rows, routing.local, routing.gathered);
  combine(list, routing, "outputs");
  list.pass(UNPERMUTE, routing.sent);
  list.also(0, list.own_hidden());
  list.save("expert outputs", routing.sent * list.element());
  if (!list.plan().sequence_parallel)
    list.reduce_output("experts output");
  if (experts.shared_inner == 0)
    return;
  feed_forward_forward(list, shared_block(experts), "shared ");
  if (experts.shared_gate) {
    list.pass(SIGMOID_GATE, list.own_hidden());
    list.save("shared output", list.own_hidden() * list.element());
  }
  list.pass(RESIDUAL_GRADIENT, list.own_hidden()); // the sum of both blocks
}

void experts_backward(StepList& list, const Experts& experts) {
  const Routing routing(list, experts);
  if (experts.shared_inner > 0) {
    if (experts.shared_gate)
      list.pass(SIGMOID_GATE_GRADIENT, list.own_hidden());
    feed_forward_backward(list, shared_block(experts), "shared ");
  }
  list.pass(UNPERMUTE_GRADIENT, routing.sent);
  list.also(list.own_hidden(), 0);
  dispatch(list, routing, "gradients");
  matrices_backward(list, routed_block(experts), "experts ", routing.rows, routing.local, false);
  combine(list, routing, "input gradients");
  list.pass(PERMUTE_GRADIENT, routing.sent);
  list.also(0, list.own_hidden());
  if (!list.plan().sequence_parallel)
    list.reduce_output("experts input gradient");
  list.pass(ROUTE_GRADIENT, routing.choices);
  list.product("router input gradient", list.own_tokens(), list.hidden(), experts.routed, 1);
  list.product("router weight gradient", experts.routed, list.hidden(), list.own_tokens(), 1);
  list.weight();
  list.pass(RESIDUAL_GRADIENT, list.own_hidden()); // gradients of the router's and the experts' input
}

} // namespace tandem::workload
