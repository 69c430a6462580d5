// Operations and sizes of `tandem collective` as nccl-tests writes them.
#pragma once

#include "model/collective_op.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::app {

/// Without '-' and '_', as nccl-tests' programs are called.
std::vector<std::string> operation_names();
/// all_reduce, all-reduce and allreduce are the same. Throws UserError with the nearest name.
model::CollectiveKind operation_of(const std::string& text);

/// Bytes, also without a unit. Throws UserError that names `flag`: not a size, not whole, more than 1 PiB.
std::uint64_t size_of(const std::string& flag, const std::string& text);

} // namespace tandem::app
