// A transformer as facts: what each of its layers holds, and what stands before and behind the layers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem::model {

enum class NormKind {
  LAYER, ///< mean and variance; a weight and, with LanguageModel::norm_bias, a bias
  RMS,   ///< root mean square; a weight
  PLAIN, ///< LayerNorm without weight and bias (OLMo)
};

enum class AttentionKind {
  HEADS,  ///< multi-head, grouped-query and multi-query attention: they differ in kv_heads
  LATENT, ///< DeepSeek's multi-head latent attention (arXiv 2405.04434)
  LINEAR, ///< gated DeltaNet (arXiv 2412.06464), as Qwen3-Next has it
};

enum class QkNorm {
  NONE,
  PER_HEAD, ///< a norm over each head's dimension, one weight for all heads (Qwen3, Gemma 3)
  WHOLE,    ///< one norm over all heads together (OLMo 2)
};

/// Of AttentionKind::LATENT. q_lora_rank 0: queries are projected directly.
struct LatentAttention {
  std::int64_t q_lora_rank = 0, kv_lora_rank = 0;
  std::int64_t qk_nope_head_dim = 0, qk_rope_head_dim = 0, v_head_dim = 0;
  bool operator==(const LatentAttention&) const = default;
};

/// Of AttentionKind::LINEAR.
struct LinearAttention {
  std::int64_t key_heads = 0, value_heads = 0, key_head_dim = 0, value_head_dim = 0;
  std::int64_t conv_kernel = 0; ///< taps of the short convolution over q, k and v
  bool operator==(const LinearAttention&) const = default;
};

struct Attention {
  AttentionKind kind = AttentionKind::HEADS;
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0; ///< LATENT: heads only; LINEAR: none
  std::int64_t window = 0;                            ///< tokens that a query sees at most; 0: all
  bool causal = true;
  bool qkv_bias = false, output_bias = false;
  bool output_gate = false; ///< a second projection as wide as the queries gates the output (Qwen3-Next)
  QkNorm qk_norm = QkNorm::NONE;
  LatentAttention latent{};
  LinearAttention linear{};
  bool operator==(const Attention&) const = default;
};

/// Two matrices (three when gated: SwiGLU, GeGLU) around an activation.
struct FeedForward {
  std::int64_t inner = 0;
  bool gated = false, bias = false;
  bool operator==(const FeedForward&) const = default;
};

/// A router sends each token to top_k of the routed experts; the shared ones see every token.
struct Experts {
  std::int64_t routed = 0, top_k = 0;
  std::int64_t inner = 0;        ///< width of one routed expert
  std::int64_t shared_inner = 0; ///< width of all shared experts together; 0: none
  bool gated = true, bias = false;
  bool router_bias = false;   ///< a trained bias of the router
  bool shared_gate = false;   ///< a scalar gate of the shared expert (Qwen2-MoE, Qwen3-Next)
  double capacity_factor = 0; ///< an expert takes at most this times its even share, and drops the rest; 0: no limit
  bool operator==(const Experts&) const = default;
};

/// What all layers of one kind have in common. With `experts`, `feed_forward` is not there.
struct LayerKind {
  std::string name{}; ///< "dense", "moe", "moe sliding", ...
  Attention attention{};
  FeedForward feed_forward{};
  std::optional<Experts> experts{};
  bool operator==(const LayerKind&) const = default;
};

/// Of a vision transformer: an image is cut into (image / patch)^2 patches, each a token; one class token is added.
struct Patches {
  std::int64_t image = 0, patch = 0, channels = 3, classes = 0;
  [[nodiscard]] std::int64_t tokens() const { return (image / patch) * (image / patch) + 1; }
  bool operator==(const Patches&) const = default;
};

struct LanguageModel {
  std::string name, family; ///< family: "llama", "deepseek_v3", ... as Hugging Face's model_type
  std::string file;         ///< that it was read from
  std::string source;       ///< where the facts come from, when the file says so
  std::int64_t hidden = 0, vocab = 0;
  std::vector<LayerKind> kinds; ///< each kind once
  std::vector<int> layers;      ///< kind of each layer, first to last

  NormKind norm = NormKind::LAYER;
  bool norm_bias = true;
  int norms_per_layer = 2; ///< of the hidden size; 4: also behind attention and feed-forward (Gemma 2 and 3)
  bool final_norm = true;
  bool embedding_norm = false;

  std::int64_t max_positions = 0;     ///< longest sequence; 0: not stated
  std::int64_t learned_positions = 0; ///< rows of a position table; 0: rotary or none
  std::int64_t token_types = 0;       ///< rows of a token-type table (BERT)
  bool tied_embeddings = false;       ///< input and output share one table
  bool head_bias = false;
  bool head_transform = false; ///< BERT: dense, GELU and norm before the output
  bool pooler = false;         ///< BERT: dense on the first token, and a classifier of two classes
  int prediction_layers = 0; ///< DeepSeek-V3's multi-token prediction: further layers, each behind a projection 2h -> h
  std::optional<Patches> patches; ///< vision transformer: no vocabulary

  [[nodiscard]] const LayerKind& kind_of(std::size_t layer) const {
    return kinds[static_cast<std::size_t>(layers[layer])];
  }
  bool operator==(const LanguageModel&) const = default;
};

} // namespace tandem::model
