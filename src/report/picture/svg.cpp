// Colours are those of assets/report.css, which is built in.
#include "report/picture/svg.h"

#include "base/error.h"
#include "report/html_text.h"
#include "report/report_assets.h"

#include <fmt/format.h>

namespace tandem::report {

namespace {

constexpr std::size_t SERIES_COLOURS = 10; // --c0 to --c9
constexpr const char* DASHES = " stroke-dasharray=\"5 4\"";

std::string pixels(double value) {
  return fmt::format("{:.1f}", value);
}

} // namespace

std::string page_colour(std::string_view name) {
  const std::string_view style = REPORT_STYLE;
  const auto key = fmt::format("--{}: ", name);
  const auto from = style.find(key);
  const auto end = style.find(';', from);
  if (from == std::string_view::npos || end == std::string_view::npos)
    throw base::Bug(fmt::format("the page's style has no colour {}", name));
  return std::string(style.substr(from + key.size(), end - from - key.size()));
}

std::string page_colour(std::size_t series) {
  return page_colour(fmt::format("c{}", series % SERIES_COLOURS));
}

double text_width(std::string_view text) {
  constexpr double PIXELS_PER_CHARACTER = 6.8; // of a sans-serif of 12 pixels
  return PIXELS_PER_CHARACTER * static_cast<double>(text.size());
}

double title_width(std::string_view title) {
  constexpr double OF_TEXT = 1.3, MARGINS = 24; // bold, and 14 pixels to 12
  return OF_TEXT * text_width(title) + MARGINS;
}

Svg::Svg(double width, double height, const std::string& title, const std::string& description) {
  head_ =
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
                  "role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n<title>{2}</title>\n<desc>{3}</desc>\n"
                  "<rect width=\"{0}\" height=\"{1}\" fill=\"{4}\"/>\n",
                  pixels(width), pixels(height), html_text(title), html_text(description), page_colour("page"));
}

void Svg::text(double x, double y, std::string_view words, TextStyle style) {
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" fill=\"{}\"{}>{}</text>\n", pixels(x), pixels(y),
                       style.anchor, page_colour(style.soft ? "soft" : "ink"),
                       style.bold ? " font-weight=\"bold\" font-size=\"14\"" : "", html_text(words));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view colour, bool dashed) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\"{}/>\n", pixels(x1), pixels(y1),
                       pixels(x2), pixels(y2), colour, dashed ? DASHES : "");
}

void Svg::rectangle(double x, double y, double width, double height, std::string_view colour) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", pixels(x), pixels(y),
                       pixels(width), pixels(height), colour);
}

void Svg::path(const std::vector<std::pair<double, double>>& points, std::string_view colour, bool dashed) {
  std::string places;
  for (const auto& [x, y] : points)
    places += fmt::format("{}{} {}", places.empty() ? 'M' : 'L', pixels(x), pixels(y));
  body_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{}/>\n", places, colour,
                       dashed ? DASHES : "");
}

void Svg::mark(std::size_t series, double x, double y, std::string_view colour) {
  constexpr std::size_t SHAPES = 4;
  switch (series % SHAPES) {
  case 0:
    body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"{}\"/>\n", pixels(x), pixels(y), colour);
    break;
  case 1:
    rectangle(x - 3.5, y - 3.5, 7, 7, colour);
    break;
  case 2:
    body_ += fmt::format("<path d=\"M{} {}l5 9h-10z\" fill=\"{}\"/>\n", pixels(x), pixels(y - 5), colour);
    break;
  default:
    body_ += fmt::format("<path d=\"M{} {}l5 5l-5 5l-5 -5z\" fill=\"{}\"/>\n", pixels(x), pixels(y - 5), colour);
  }
}

std::string Svg::document() const {
  return head_ + body_ + "</svg>\n";
}

} // namespace tandem::report
