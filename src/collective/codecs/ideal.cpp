// ideal: a codec that takes no time and no memory, at any ratio: what a real one can reach at best.
#include "collective/codecs/codecs.h"

namespace tandem::collective {

CodecInfo ideal_codec() {
  return {"ideal",
          "bound: any ratio, in no time; at ratio 1 the bare collective to the last bit",
          {{"ratio", "1", "bytes of data per byte on the wire"}},
          [](const Parameters& parameters) {
            Codec codec;
            codec.ratio = ratio_parameter(parameters, "ratio");
            codec.place = CodecPlace::INLINE;
            codec.through_memory = false;
            codec.error = "lossless";
            return codec;
          }};
}

} // namespace tandem::collective
