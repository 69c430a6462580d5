// --beside of `tandem collective`: "allreduce bytes=64M group=0-63:8 strategy=ring:channels=2 start=10us count=4".
#pragma once

#include "study/collective.h"

#include <string>

namespace tandem::app {

/// What the flag's help says of its words.
std::string beside_help();

/// Sizes are rounded down as nccl-tests does, with a warning. Throws UserError that names the flag: an unknown
/// operation or word with the nearest one, a word that is given twice or is missing, a value that cannot be.
study::BesideOptions parse_beside(const std::string& text, std::size_t gpus);

} // namespace tandem::app
