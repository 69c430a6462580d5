// The tags of SimGrid XML 4.1: what Tandem reads, and what it refuses.
#pragma once

#include "platform/xml.h"

#include <vector>

namespace tandem::platform {

const std::vector<XmlTag>& platform_tags();

} // namespace tandem::platform
