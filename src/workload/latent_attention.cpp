// Projections of multi-head latent attention: down to a latent on the rank's own tokens, gathered, up to the rank's
// heads (as Megatron-Core splits it).
#include "workload/layer_parts.h"

namespace tandem::workload {

namespace {

using model::CollectiveKind;

struct Latents {
  std::int64_t q_rank, kv_rank, joint; ///< joint: what is gathered of keys and values
  std::int64_t q_up, kv_up;            ///< widths on this rank
  double rotated, joined;              ///< elements
  Latents(const StepList& list, const model::Attention& attention) {
    const auto& latent = attention.latent;
    const std::int64_t heads = attention.heads / list.plan().tp;
    q_rank = latent.q_lora_rank;
    kv_rank = latent.kv_lora_rank;
    joint = kv_rank + latent.qk_rope_head_dim;
    q_up = heads * (latent.qk_nope_head_dim + latent.qk_rope_head_dim);
    kv_up = heads * (latent.qk_nope_head_dim + latent.v_head_dim);
    rotated = static_cast<double>(list.tokens() * (heads + 1) * latent.qk_rope_head_dim);
    joined = static_cast<double>(list.tokens() * q_up);
  }
};

double own(const StepList& list, std::int64_t width) {
  return static_cast<double>(list.own_tokens() * width);
}

/// With sequence parallelism every rank has the latent of its own tokens only.
void exchange(StepList& list, const std::string& name, CollectiveKind kind, std::int64_t width, int independent = 0) {
  if (list.plan().tp > 1 && list.plan().sequence_parallel)
    list.communicate(name, "tp", kind, static_cast<double>(list.tokens() * width * list.element()), independent);
  else if (list.plan().tp > 1 && kind == CollectiveKind::REDUCE_SCATTER)
    list.communicate(name, "tp", CollectiveKind::ALL_REDUCE,
                     static_cast<double>(list.tokens() * width * list.element()), independent);
}

} // namespace

void latent_projections(StepList& list, const model::Attention& attention) {
  const Latents sizes(list, attention);
  if (sizes.q_rank > 0) {
    list.gemm("Q down", list.own_tokens(), sizes.q_rank, list.hidden());
    list.save_input("attention input", list.own_hidden());
    list.norm(own(list, sizes.q_rank), "latent of queries");
    exchange(list, "latent of queries", CollectiveKind::ALL_GATHER, sizes.q_rank);
    list.gemm("Q up", list.tokens(), sizes.q_up, sizes.q_rank);
    list.save_input("normed latent of queries", own(list, sizes.q_rank));
  } else {
    list.gather_input("attention input");
    list.gemm("Q", list.tokens(), sizes.q_up, list.hidden());
    list.save_input("attention input", list.own_hidden());
  }
  list.gemm("KV down", list.own_tokens(), sizes.joint, list.hidden());
  list.save_input("attention input", list.own_hidden());
  list.norm(own(list, sizes.kv_rank), "latent of keys and values");
  exchange(list, "latent of keys and values", CollectiveKind::ALL_GATHER, sizes.joint);
  list.gemm("KV up", list.tokens(), sizes.kv_up, sizes.kv_rank);
  list.save_input("normed latent of keys and values", own(list, sizes.kv_rank));
  list.pass(ROTARY, sizes.rotated);
  list.pass(JOIN_KEYS, sizes.joined);
}

void latent_projections_backward(StepList& list, const model::Attention& attention) {
  const Latents sizes(list, attention);
  list.pass(JOIN_KEYS, sizes.joined);
  list.pass(ROTARY_GRADIENT, sizes.rotated);
  exchange(list, "normed latent of keys and values", CollectiveKind::ALL_GATHER, sizes.kv_rank,
           list.data_gradient_kernels());
  list.data_gradient("KV up", list.tokens(), sizes.kv_up, sizes.kv_rank);
  exchange(list, "latent gradient of keys and values", CollectiveKind::REDUCE_SCATTER, sizes.joint, 1);
  list.weight_gradient("KV up", list.tokens(), sizes.kv_up, sizes.kv_rank);
  list.norm_gradient(own(list, sizes.kv_rank));
  list.data_gradient("KV down", list.own_tokens(), sizes.joint, list.hidden());
  list.weight_gradient("KV down", list.own_tokens(), sizes.joint, list.hidden());
  if (sizes.q_rank == 0) {
    list.gather_input("attention input", list.data_gradient_kernels());
    list.data_gradient("Q", list.tokens(), sizes.q_up, list.hidden());
    list.reduce_output("Q input gradient", 1);
    list.weight_gradient("Q", list.tokens(), sizes.q_up, list.hidden());
    return;
  }
  exchange(list, "normed latent of queries", CollectiveKind::ALL_GATHER, sizes.q_rank, list.data_gradient_kernels());
  list.data_gradient("Q up", list.tokens(), sizes.q_up, sizes.q_rank);
  exchange(list, "latent gradient of queries", CollectiveKind::REDUCE_SCATTER, sizes.q_rank, 1);
  list.weight_gradient("Q up", list.tokens(), sizes.q_up, sizes.q_rank);
  list.norm_gradient(own(list, sizes.q_rank));
  list.data_gradient("Q down", list.own_tokens(), sizes.q_rank, list.hidden());
  list.weight_gradient("Q down", list.own_tokens(), sizes.q_rank, list.hidden());
}

} // namespace tandem::workload
