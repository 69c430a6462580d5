// zfp: fixed-rate ZFP on the GPU. Lindstrom, "Fixed-Rate Compressed Floating-Point Arrays", IEEE TVCG 20 (2014).
#include "collective/codecs/codecs.h"
#include "collective/parameters.h"

#include <fmt/format.h>

namespace tandem::collective {

namespace {

constexpr int VALUE_BITS = 32;

} // namespace

SchemeHalf zfp_at(const std::string& rate) {
  return [rate](Codec codec, const Parameters& parameters) {
    const int bits = whole_parameter(parameters, rate, 1, VALUE_BITS);
    codec.ratio = static_cast<double>(VALUE_BITS) / bits;
    codec.error = fmt::format("lossy, fixed rate of {} of {} bits", bits, VALUE_BITS);
    return codec;
  };
}

CodecInfo zfp_codec() {
  std::vector<Parameter> parameters{{"rate", "16", "bits of an fp32 value on the wire, 1 to 32 (MVAPICH-Plus: 16)"}};
  for (auto& parameter : gpu_codec_parameters())
    parameters.push_back(std::move(parameter));
  return {"zfp", "fixed-rate ZFP of fp32 values: ratio 32 / rate, lossy", std::move(parameters),
          [](const Parameters& given) { return zfp_at("rate")(gpu_codec(given), given); }};
}

} // namespace tandem::collective
