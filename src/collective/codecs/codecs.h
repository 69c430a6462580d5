// Declares what the table of codecs lists, and the codecs that schemes are made of.
#pragma once

#include "collective/codec.h"

namespace tandem::collective {

#define CODEC(name) CodecInfo name##_codec();
#include "collective/codecs/table.inc"
#undef CODEC

/// Lossless MPC at a ratio that the data decides.
Codec mpc_of(Codec codec, double ratio);

/// Parameters of a scheme, which has a codec for each parallel dimension: `dim`, `own`, and those of a codec on a GPU.
std::vector<Parameter> scheme_parameters(std::vector<Parameter> own);
using SchemeHalf = std::function<Codec(Codec, const Parameters&)>;
/// Fixed-rate ZFP: as many of the 32 bits of a value as the parameter of that name says.
SchemeHalf zfp_at(const std::string& rate);
/// Makes a scheme's codec: `data_parallel` for dim=dp, `model_parallel` for all others. The error names the dimension.
Codec scheme_codec(const Parameters& parameters, const SchemeHalf& data_parallel, const SchemeHalf& model_parallel);

} // namespace tandem::collective
