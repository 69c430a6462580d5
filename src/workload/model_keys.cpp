// The explicit table of our model files: one row per key, level by level.
#include "workload/model_reader.h"

namespace tandem::workload {

namespace {

constexpr long long MAX_SIZE = 1LL << 24;
constexpr long long MOST_MODEL_LAYERS = 100000;
constexpr long long MAX_PARAMETERS = 1LL << 40;

const char* const WHOLE_NUMBER = "whole number";
const char* const TRUTH = "true or false";

} // namespace

// clang-format off
const std::vector<KeyInfo>& model_keys() {
  static const std::vector<KeyInfo> keys = {
      {"", "name", "text", true, "", "name in reports", 0, 0, {}},
      {"", "kind", "word", false, "transformer", "what the other keys describe", 0, 0,
       {"transformer", "convolutional", "recommendation", "measured"}},
      {"", "source", "text", true, "", "where the facts come from", 0, 0, {}},

      {"", "layers", WHOLE_NUMBER, false, "", "transformer: number of layers; required there", 1, MOST_MODEL_LAYERS, {}},
      {"", "hidden", WHOLE_NUMBER, false, "", "transformer: hidden size; required there", 1, MAX_SIZE, {}},
      {"", "heads", WHOLE_NUMBER, false, "", "transformer: attention heads; required there", 1, MAX_SIZE, {}},
      {"", "kv_heads", WHOLE_NUMBER, false, "", "heads of keys and values; by default as many as heads", 1, MAX_SIZE, {}},
      {"", "head_dim", WHOLE_NUMBER, false, "", "width of a head; by default hidden / heads", 1, MAX_SIZE, {}},
      {"", "ffn", WHOLE_NUMBER, false, "", "inner width of the feed-forward block; by default 4 x hidden", 1, MAX_SIZE, {}},
      {"", "gated", TRUTH, false, "false", "feed-forward of three matrices, as SwiGLU", 0, 0, {"true", "false"}},
      {"", "norm", "word", false, "layer", "LayerNorm or RMSNorm", 0, 0, {"layer", "rms"}},
      {"", "bias", TRUTH, false, "true", "biases of matrices and LayerNorms", 0, 0, {"true", "false"}},
      {"", "causal", TRUTH, false, "true", "a token sees those before it only", 0, 0, {"true", "false"}},
      {"", "vocab", WHOLE_NUMBER, false, "", "rows of the token table", 1, MAX_SIZE, {}},
      {"", "positions", WHOLE_NUMBER, false, "0", "rows of a learned position table; 0: rotary", 0, MAX_SIZE, {}},
      {"", "max_positions", WHOLE_NUMBER, false, "0", "longest sequence of a rotary model, for the record", 0, MAX_SIZE, {}},
      {"", "tied", TRUTH, false, "true", "input and output share the token table", 0, 0, {"true", "false"}},
      {"", "token_types", WHOLE_NUMBER, false, "0",
       "rows of a token-type table. Above 0 the model is a BERT: a norm behind the embeddings, none behind the layers, "
       "a transform before the output, a pooler", 0, MAX_SIZE, {}},
      {"", "experts", WHOLE_NUMBER, false, "0", "routed experts of every layer; 0: none. ffn is then the width of one", 0, MAX_SIZE, {}},
      {"", "top_k", WHOLE_NUMBER, false, "1", "experts that a token goes to", 1, MAX_SIZE, {}},
      {"", "shared_ffn", WHOLE_NUMBER, false, "0", "width of the experts that all tokens go to, together", 0, MAX_SIZE, {}},
      {"", "image", WHOLE_NUMBER, false, "", "vision transformer: edge of an image in pixels", 1, MAX_SIZE, {}},
      {"", "patch", WHOLE_NUMBER, false, "", "vision transformer: edge of a patch", 1, MAX_SIZE, {}},
      {"", "classes", WHOLE_NUMBER, false, "1000", "vision transformer: outputs", 1, MAX_SIZE, {}},

      {"", "matrices", "list of layers", false, "", "convolutional: layers with weights, in forward order", 0, 0, {}},
      {"matrices", "name", "text", true, "", "name of the layer", 0, 0, {}},
      {"matrices", "in", WHOLE_NUMBER, true, "", "channels (features) that it reads", 1, MAX_SIZE, {}},
      {"matrices", "out", WHOLE_NUMBER, true, "", "channels (features) that it makes", 1, MAX_SIZE, {}},
      {"matrices", "kernel", WHOLE_NUMBER, false, "1", "edge of the filter", 1, 1024, {}},
      {"matrices", "size", WHOLE_NUMBER, false, "1", "edge of the output", 1, MAX_SIZE, {}},
      {"matrices", "stride", WHOLE_NUMBER, false, "1", "step of the filter", 1, 1024, {}},
      {"matrices", "bias", TRUTH, false, "false", "a bias per output channel", 0, 0, {"true", "false"}},
      {"matrices", "norm", TRUTH, false, "false", "batch norm behind it", 0, 0, {"true", "false"}},
      {"matrices", "residual", TRUTH, false, "false", "what a shortcut brings is added behind it", 0, 0, {"true", "false"}},
      {"matrices", "shortcut", TRUTH, false, "false",
       "stands in a shortcut: reads what its block reads, and has no ReLU behind it", 0, 0, {"true", "false"}},
      {"matrices", "pool", WHOLE_NUMBER, false, "1", "behind it, each edge is pooled so many to one", 1, MAX_SIZE, {}},

      {"", "dense_features", WHOLE_NUMBER, false, "", "recommendation: width of the dense input", 1, MAX_SIZE, {}},
      {"", "vector", WHOLE_NUMBER, false, "", "recommendation: width of an embedding", 1, MAX_SIZE, {}},
      {"", "tables", "rows of each table, joined by '-', as 1000-20", false, "",
       "recommendation: embedding tables; NxROWS stands for N equal ones", 0, 0, {}},
      {"", "lookups", WHOLE_NUMBER, false, "1", "recommendation: rows summed per table and sample", 1, MAX_SIZE, {}},
      {"", "bottom", "widths joined by '-', as 512-256-64", false, "",
       "recommendation: MLP of the dense features; ends with the width of an embedding", 0, 0, {}},
      {"", "top", "widths joined by '-', as 512-256-1", false, "",
       "recommendation: MLP of the dense vector and all dot products", 0, 0, {}},

      {"", "measured", "list of layers", false, "", "measured: layers in forward order, with how long each takes", 0, 0, {}},
      {"measured", "name", "text", true, "", "name of the layer; with count, of the first: \"NAME 1\"", 0, 0, {}},
      {"measured", "count", WHOLE_NUMBER, false, "1", "so many equal layers in a row", 1, MOST_MODEL_LAYERS, {}},
      {"measured", "forward", "time", true, "", "of a micro-batch on a GPU, as 2.5ms", 0, 0, {}},
      {"measured", "backward", "time", true, "", "likewise", 0, 0, {}},
      {"measured", "parameters", WHOLE_NUMBER, false, "0", "of a rank, that data parallelism reduces", 0, MAX_PARAMETERS, {}},
      {"measured", "kept", "size", false, "0B", "activations of a micro-batch that it keeps for the backward pass", 0, 0, {}},
      {"measured", "all_reduce", "size", false, "0B", "reduced over tp behind its forward pass", 0, 0, {}},
      {"measured", "backward_all_reduce", "size", false, "0B", "reduced over tp behind its backward pass", 0, 0, {}},
      {"measured", "all_to_all", "size", false, "0B",
       "that a rank sends to all ranks of dp behind the layer's forward pass; until says which layer waits for it. Gradients "
       "go the other way behind that layer's backward pass", 0, 0, {}},
      {"measured", "until", "text", false, "", "layer that waits for the all_to_all", 0, 0, {}},
  };
  return keys;
}
// clang-format on

} // namespace tandem::workload
