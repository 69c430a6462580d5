// The frame of the page; what is inside is drawn by report/assets from the data.
#include "report/html_report.h"

#include "report/html_text.h"
#include "report/json_text.h"
#include "report/report_assets.h"

#include <nlohmann/json.hpp>

namespace tandem::report {

namespace {

/// JSON that no HTML parser takes for the end of its <script>: '<' occurs in strings only, where an escape may stand
/// for it.
std::string json_in_script(const nlohmann::ordered_json& data) {
  std::string out;
  for (const char c : json_text(data))
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

} // namespace

std::string html_report(const nlohmann::ordered_json& data) {
  const auto title = html_text(data.at("title").get<std::string>());
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     // no request leaves the page, whatever is in it
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                     "'unsafe-inline'; script-src 'unsafe-inline'\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n";
  page += "<title>" + title + "</title>\n<style>\n" + REPORT_STYLE + "</style>\n</head>\n<body>\n<header>\n<h1>";
  page += title;
  page +=
      "</h1>\n</header>\n<main id=\"report\">\n<noscript>The charts and the table of this page are drawn by its own "
      "program; allow it to run.</noscript>\n</main>\n<script type=\"application/json\" id=\"data\">\n";
  page += json_in_script(data);
  page += "</script>\n<script>\n";
  page += REPORT_PROGRAM;
  page += "</script>\n</body>\n</html>\n";
  return page;
}

} // namespace tandem::report
