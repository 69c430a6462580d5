// Three characters begin or end markup within an element.
#include "report/html_text.h"

namespace tandem::report {

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text)
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    default:
      out += static_cast<unsigned char>(c) < ' ' ? std::string("\xEF\xBF\xBD") : std::string(1, c);
    }
  return out;
}

} // namespace tandem::report
