// STRATEGY+CODEC: any strategy with compressed messages.
#pragma once

#include "collective/codec.h"
#include "collective/strategy.h"

namespace tandem::collective {

/// `selection` with its messages compressed. Its text is left to the caller.
Selection with_codec(Selection selection, CodecSelection codec);

} // namespace tandem::collective
