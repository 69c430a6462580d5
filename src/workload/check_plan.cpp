// Whether a layer can be cut as a plan says; every complaint has both numbers.
#include "base/error.h"
#include "workload/layer_kernels.h"

#include <fmt/format.h>

namespace tandem::workload {

namespace {

using base::UserError;
using model::Attention;
using model::AttentionKind;

void divides(const char* degree, std::int64_t part, const std::string& what, std::int64_t whole) {
  if (whole % part != 0)
    throw UserError(fmt::format("{} {} does not divide {} {}", degree, part, what, whole));
}

void check_attention(const Attention& attention, const LayerPlan& plan) {
  if (attention.kind == AttentionKind::LINEAR) {
    divides("tp", plan.tp, "the key heads of linear attention,", attention.linear.key_heads);
    divides("tp", plan.tp, "the value heads of linear attention,", attention.linear.value_heads);
    if (plan.cp > 1)
      throw UserError(fmt::format("cp {}: linear attention carries a state along the sequence, and is not cut over "
                                  "context-parallel ranks; allowed: cp 1",
                                  plan.cp));
    return;
  }
  divides("tp", plan.tp, "the attention heads,", attention.heads);
  if (attention.kind == AttentionKind::HEADS && attention.kv_heads % plan.tp != 0 && plan.tp % attention.kv_heads != 0)
    throw UserError(fmt::format("tp {} neither divides the {} key-value heads nor is a multiple of them", plan.tp,
                                attention.kv_heads));
  if (attention.qk_norm == model::QkNorm::WHOLE && plan.tp > 1)
    throw UserError(fmt::format("tp {}: a norm over all heads of queries and keys is not cut; allowed: tp 1", plan.tp));
}

void check_block(const model::LayerKind& kind, const LayerPlan& plan) {
  if (!kind.experts) {
    divides("tp", plan.tp, "the feed-forward width", kind.feed_forward.inner);
    return;
  }
  divides("tp", plan.tp, "the width of an expert,", kind.experts->inner);
  divides("tp", plan.tp, "the width of the shared experts,", kind.experts->shared_inner);
  divides("ep", plan.ep, "the routed experts,", kind.experts->routed);
}

void check_sequence(const model::LanguageModel& model, const LayerPlan& plan) {
  divides("cp", plan.cp, "the sequence of", plan.sequence);
  if (plan.sequence_parallel)
    divides("tp", plan.tp, plan.cp > 1 ? "a rank's part of the sequence," : "the sequence of", plan.sequence / plan.cp);
  if (model.learned_positions > 0 && !model.patches && plan.sequence > model.learned_positions)
    throw UserError(fmt::format("a sequence of {} tokens, and {} has {} learned positions", plan.sequence, model.name,
                                model.learned_positions));
  if (model.patches && plan.sequence != model.patches->tokens())
    throw UserError(fmt::format("a sequence of {} tokens, and an image of {} has {}", plan.sequence, model.name,
                                model.patches->tokens()));
  if (plan.cp > 1 && plan.attention == AttentionKernel::UNFUSED)
    throw UserError(fmt::format("cp {} needs fused attention; unfused attention is allowed with cp 1", plan.cp));
}

} // namespace

void check_plan(const model::LanguageModel& model, const LayerPlan& plan) {
  if (plan.micro_batch < 1 || plan.sequence < 1 || plan.tp < 1 || plan.cp < 1 || plan.ep < 1)
    throw UserError(fmt::format("micro-batch {}, sequence {}, tp {}, cp {}, ep {}: each must be at least 1",
                                plan.micro_batch, plan.sequence, plan.tp, plan.cp, plan.ep));
  if (!(plan.expert_load >= 1.0))
    throw UserError(fmt::format("expert load {}: the busiest rank has at least its even share, 1", plan.expert_load));
  (void)model::Gemm{.precision = plan.precision}.element_bytes(); // a precision that there is
  check_sequence(model, plan);
  bool has_experts = false;
  for (const auto& kind : model.kinds) {
    check_attention(kind.attention, plan);
    check_block(kind, plan);
    has_experts = has_experts || kind.experts.has_value();
  }
  if (plan.ep > 1 && !has_experts)
    throw UserError(fmt::format("ep {}, and {} has no experts; allowed: ep 1", plan.ep, model.name));
}

} // namespace tandem::workload
