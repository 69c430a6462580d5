// From a schedule to the same with compressed messages: pure, and blind to which algorithm it is.
#pragma once

#include "collective/codec.h"
#include "model/device.h"
#include "model/schedule.h"

#include <string>

namespace tandem::collective {

/// Empty when messages of the schedule can be compressed; else the reason.
std::string why_not_compressed(const model::Schedule& schedule);

/// Every message of at least codec.threshold is encoded before it is sent and decoded once it is in. docs/models.md,
/// "Compression".
///
/// What is sent a second time as it came in, or as it was sent before, is not encoded again; it is sent on before it is
/// decoded. What was added to is encoded anew: a reduction decodes, adds and encodes at every hop.
///
/// Preconditions: the schedule is proven, why_not_compressed() is empty. The result moves the same data in the same
/// order, and waits for no less.
model::Schedule compressed(const model::Schedule& schedule, const Codec& codec, const model::Device& device);

} // namespace tandem::collective
