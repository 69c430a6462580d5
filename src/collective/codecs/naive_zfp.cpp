// naive-zfp: the same fixed-rate ZFP for every dimension. Xu et al., "Accelerating Large Language Model Training with
// Hybrid GPU-based Compression", CCGrid 2024 (arXiv 2409.02423).
#include "collective/codecs/codecs.h"

namespace tandem::collective {

CodecInfo naive_zfp_codec() {
  return {"naive-zfp", "scheme: the same ZFP for every dimension",
          scheme_parameters({{"rate", "8", "bits of an fp32 value on the wire, 1 to 32"}}),
          [](const Parameters& given) { return scheme_codec(given, zfp_at("rate"), zfp_at("rate")); }};
}

} // namespace tandem::collective
