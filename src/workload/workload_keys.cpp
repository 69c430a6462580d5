// The explicit table of the workload format: one row per key, level by level.
#include "workload/workload_reader.h"

namespace tandem::workload {

namespace {

constexpr long long MAX_TP = 4096;
constexpr long long MAX_HIDDEN = 1LL << 20;
constexpr long long MAX_EDGE = 1LL << 24; ///< of a matrix: m, n, k, tokens
constexpr long long MAX_LAYERS = 100000;

const char* const TP_TYPE = "whole number or list of them";
const char* const WHOLE = "whole number";
const char* const WORDS = "list of words";

} // namespace

// clang-format off
const std::vector<KeyInfo>& workload_keys() {
  static const std::vector<KeyInfo> keys = {
      {"", "title", "text", false, "",
       "heading of the report; the file's name by default", 0, 0, {}},
      {"", "platform", "path", true, "",
       "platform file, relative to this file; {tp} stands for the case's tensor-parallel degree", 0, 0, {}},
      {"", "baseline", "strategy", false, "sequential",
       "strategy that speed-ups refer to", 0, 0, {}},
      {"", "strategies", "list of strategies", true, "",
       "what is compared, unless --strategy says otherwise: name or name:key=value", 0, 0, {}},
      {"", "precision", "word", false, "fp16",
       "type of all tensors", 0, 0, {"fp32", "tf32", "bf16", "fp16", "fp8"}},
      {"", "tp", TP_TYPE, false, "",
       "tensor-parallel degrees (numbers of GPUs) of models and gemms that do not give their own", 1, MAX_TP, {}},
      {"", "models", "list of models", false, "",
       "transformer models; their parts are chosen by sublayers and layers", 0, 0, {}},
      {"", "sublayers", WORDS, false, "",
       "sub-layers of each model, a GEMM and its all-reduce each: OP attention output projection (forward), "
       "FC-2 second feed-forward GEMM (forward), FC-1 input gradient of the first one (backward), "
       "IP input gradient of the attention input projection (backward)", 0, 0, {"OP", "FC-2", "FC-1", "IP"}},
      {"", "layers", WORDS, false, "",
       "whole transformer layers of each model: training is forward and backward with dropout, "
       "prompt is forward only without dropout", 0, 0, {"training", "prompt"}},
      {"", "gemms", "list of GEMMs", false, "",
       "single GEMMs with a collective; the report calls their model custom", 0, 0, {}},

      {"models", "name", "text", true, "", "name in the report; each once", 0, 0, {}},
      {"models", "hidden", WHOLE, true, "", "hidden size; every tp must divide it", 1, MAX_HIDDEN, {}},
      {"models", "layers", WHOLE, false, "1",
       "layers of the model, for the record: a case is one layer or less", 1, MAX_LAYERS, {}},
      {"models", "heads", WHOLE, false, "",
       "attention heads, must divide hidden; needed by the file's layers. A tp that does not divide it is accepted: "
       "attention is timed on the GPU that has most heads", 1, MAX_HIDDEN, {}},
      {"models", "sequence", WHOLE, false, "",
       "tokens of a sequence, must divide tokens; needed by the file's layers", 1, MAX_EDGE, {}},
      {"models", "tokens", WHOLE, true, "", "tokens of a pass: sequence length x batch", 1, MAX_EDGE, {}},
      {"models", "tp", TP_TYPE, false, "",
       "tensor-parallel degrees of this model, each once; by default those of the file", 1, MAX_TP, {}},

      {"gemms", "name", "text", true, "", "name in the report; each once", 0, 0, {}},
      {"gemms", "m", WHOLE, true, "", "rows of the output on each GPU", 1, MAX_EDGE, {}},
      {"gemms", "n", WHOLE, true, "", "columns of the output on each GPU", 1, MAX_EDGE, {}},
      {"gemms", "k", WHOLE, true, "", "length of the sum on each GPU, not divided any further", 1, MAX_EDGE, {}},
      {"gemms", "collective", "word", false, "all-reduce",
       "all-reduce and reduce-scatter follow the GEMM and add up the m x n outputs of all GPUs; all-to-all follows it "
       "and brings each GPU its part of every output (expert parallelism); all-gather comes before it and brings the "
       "m x k input together, of which each GPU has a part of the rows", 0, 0,
       {"all-reduce", "reduce-scatter", "all-to-all", "all-gather", "none"}},
      {"gemms", "tp", TP_TYPE, false, "",
       "numbers of GPUs, each once; by default those of the file", 1, MAX_TP, {}},
  };
  return keys;
}
// clang-format on

} // namespace tandem::workload
