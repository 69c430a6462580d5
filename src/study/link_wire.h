// Link traffic between the process that simulates and the one that reports, with every digit.
#pragma once

#include "model/link_use.h"

#include <nlohmann/json.hpp>

namespace tandem::model {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LinkUse, bytes, busiest, busiest_medium, busiest_bytes, utilisation)

} // namespace tandem::model
