// Charts as data, and as drawings for papers. The page draws its own in the browser (assets/plot.js, bars.js).
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tandem::report {

/// How numbers are shown: value times factor, in this unit.
struct ShownUnit {
  double factor = 1.0;
  std::string unit; ///< empty: a ratio
};

/// For values in `unit` (report_metrics.h) of which `most` is the largest.
ShownUnit shown_unit(const std::string& unit, double most);

/// "speed-up (%)", or without a unit the subject alone.
std::string with_unit(const std::string& subject, const ShownUnit& unit);

/// At most four significant digits.
std::string four_digits(double value);

struct ChartLine {
  std::string name;
  std::vector<std::pair<double, double>> points; ///< (x, y) by x
};

struct LineChart {
  std::string title, subject; ///< the study, and what is drawn of it
  std::string description;    ///< of the subject
  std::string unit;           ///< of y
  std::string x_title;
  std::vector<std::string> x_names; ///< not empty: x are indices of these
  std::vector<ChartLine> lines;
};

/// Logarithmic axes where values span much; else y begins at 0. Precondition: there is a point.
std::string line_chart_svg(const LineChart& chart);

struct ChartBar {
  std::string label;
  std::vector<double> parts; ///< by BarChart::parts
};

struct BarChart {
  std::string title, subject, description, unit; ///< as of lines
  std::vector<std::string> parts;                ///< names
  std::vector<ChartBar> bars;
};

/// Stacked bars, one below the other, with their sums. Precondition: there is a bar.
std::string bar_chart_svg(const BarChart& chart);

} // namespace tandem::report
