// mpc: lossless MPC on the GPU. Yang, Mukka, Hesaaraki, Burtscher, "MPC: A Massively Parallel Compression Algorithm for
// Scientific Data", CLUSTER 2015.
#include "collective/codecs/codecs.h"

namespace tandem::collective {

Codec mpc_of(Codec codec, double ratio) {
  codec.ratio = ratio;
  codec.error = "lossless";
  return codec;
}

CodecInfo mpc_codec() {
  std::vector<Parameter> parameters{{"ratio", "1.15", "bytes of data per byte on the wire: measure yours", true}};
  for (auto& parameter : gpu_codec_parameters())
    parameters.push_back(std::move(parameter));
  return {"mpc", "MPC: lossless, at a ratio that the data decides", std::move(parameters),
          [](const Parameters& given) { return mpc_of(gpu_codec(given), ratio_parameter(given, "ratio")); }};
}

} // namespace tandem::collective
