// Scalable Vector Graphics as text: elements with attributes, one a line.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::report {

struct TextStyle {
  const char* anchor = "start"; ///< start, middle, end
  bool bold = false, soft = false;
};

/// A drawing in pixels, from the top left. White below everything, for papers and for dark pages alike.
class Svg {
public:
  /// `description` is what those hear who cannot see it.
  Svg(double width, double height, const std::string& title, const std::string& description);

  void text(double x, double y, std::string_view words, TextStyle style = {});
  void line(double x1, double y1, double x2, double y2, std::string_view colour, bool dashed = false);
  void rectangle(double x, double y, double width, double height, std::string_view colour);
  void path(const std::vector<std::pair<double, double>>& points, std::string_view colour, bool dashed = false);
  /// The mark of a series, at a point: circles, squares, triangles and diamonds in turn.
  void mark(std::size_t series, double x, double y, std::string_view colour);

  /// The whole document.
  [[nodiscard]] std::string document() const;

private:
  std::string head_, body_;
};

/// Colours of the page in light: of a series by its number, from 0; "ink", "soft", "rule" by name.
std::string page_colour(std::size_t series);
std::string page_colour(std::string_view name);

/// Pixels that a title in bold takes with a margin at both ends.
double title_width(std::string_view title);

/// Pixels that a text of 12 pixels takes at most, roughly.
double text_width(std::string_view text);

} // namespace tandem::report
