// A strategy that an MSCCL file describes.
#pragma once

#include "collective/strategy.h"

#include <string>

namespace tandem::collective::msccl {

/// The strategy does the file's operation on the file's number of ranks. Throws UserError with the file's place: not
/// well formed, or an algorithm that verify() refuses.
StrategyInfo file_strategy(const std::string& path);

} // namespace tandem::collective::msccl
