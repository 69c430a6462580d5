// mz-hybrid: MPC, which loses nothing, for model parallelism and ZFP for gradients. Xu et al., "Accelerating Large
// Language Model Training with Hybrid GPU-based Compression", CCGrid 2024 (arXiv 2409.02423).
#include "collective/codecs/codecs.h"
#include "collective/parameters.h"

namespace tandem::collective {

CodecInfo mz_hybrid_codec() {
  return {"mz-hybrid", "scheme: ZFP for data parallelism, lossless MPC for all other dimensions",
          scheme_parameters({{"dp_rate", "8", "bits of an fp32 value on the wire for dim=dp, 1 to 32"},
                             {"ratio", "1.15", "of MPC, which the data decides: measure yours", true}}),
          [](const Parameters& given) {
            return scheme_codec(given, zfp_at("dp_rate"), [](Codec codec, const Parameters& parameters) {
              return mpc_of(std::move(codec), ratio_parameter(parameters, "ratio"));
            });
          }};
}

} // namespace tandem::collective
