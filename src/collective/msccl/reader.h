// Reads MSCCL's XML.
#pragma once

#include "collective/msccl/algorithm.h"

#include <string>

namespace tandem::collective::msccl {

/// Throws UserError with file:line:column for what is not well formed: tags, numbers, buffers, peers, steps out of
/// order, dependencies on what does not exist, two thread blocks at one end of a connection, a send that nobody
/// receives. Whether the algorithm does what it promises is verify()'s question.
Algorithm read_algorithm(const std::string& path);

} // namespace tandem::collective::msccl
