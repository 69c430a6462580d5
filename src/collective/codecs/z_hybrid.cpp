// z-hybrid: ZFP for every dimension, at a low rate for gradients and a high one for model parallelism. Xu et al.,
// "Accelerating Large Language Model Training with Hybrid GPU-based Compression", CCGrid 2024 (arXiv 2409.02423).
#include "collective/codecs/codecs.h"

namespace tandem::collective {

CodecInfo z_hybrid_codec() {
  return {"z-hybrid", "scheme: ZFP at a low rate for data parallelism, at a high one for all other dimensions",
          scheme_parameters({{"dp_rate", "8", "bits of an fp32 value on the wire for dim=dp, 1 to 32"},
                             {"mp_rate", "16", "the same for all other dimensions"}}),
          [](const Parameters& given) { return scheme_codec(given, zfp_at("dp_rate"), zfp_at("mp_rate")); }};
}

} // namespace tandem::collective
