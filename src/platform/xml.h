// The reader of XML files, under the names that this folder uses.
#pragma once

#include "base/xml.h"

namespace tandem::platform {

using base::Element;
using base::words;
using base::XmlFile;
using base::XmlTag;

} // namespace tandem::platform
