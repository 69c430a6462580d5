// Text as content of HTML, SVG or XML.
#pragma once

#include <string>
#include <string_view>

namespace tandem::report {

/// What has a meaning in markup is escaped; what these formats have no character for becomes U+FFFD.
std::string html_text(std::string_view text);

} // namespace tandem::report
