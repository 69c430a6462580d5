// Stacked horizontal bars.
#include "report/picture/chart.h"
#include "report/picture/svg.h"

#include <algorithm>
#include <numeric>

namespace tandem::report {

namespace {

constexpr double BAR_STEP = 20, BAR_HEIGHT = 15, BARS_WIDTH = 480, BARS_TOP = 88, NOTE_WIDTH = 90;

double sum_of_bar(const ChartBar& bar) {
  return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0);
}

} // namespace

std::string bar_chart_svg(const BarChart& chart) {
  double most = 0.0, label = 0.0, legend = 0.0;
  for (const auto& bar : chart.bars) {
    most = std::max(most, sum_of_bar(bar));
    label = std::max(label, text_width(bar.label) + 16);
  }
  for (const auto& part : chart.parts)
    legend += text_width(part) + 34;
  const auto unit = shown_unit(chart.unit, most);
  const double width = std::max({label + BARS_WIDTH + NOTE_WIDTH, legend + 24, title_width(chart.title)});
  Svg svg(width, BARS_TOP + BAR_STEP * static_cast<double>(chart.bars.size()) + 12, chart.title + ": " + chart.subject,
          chart.description);
  svg.text(12, 24, chart.title, {.bold = true});
  svg.text(12, 46, with_unit(chart.subject, unit));
  double x = 12;
  for (std::size_t i = 0; i < chart.parts.size(); ++i) {
    svg.rectangle(x, 62, 12, 12, page_colour(i));
    svg.text(x + 18, 72, chart.parts[i]);
    x += text_width(chart.parts[i]) + 34;
  }
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const auto& bar = chart.bars[i];
    const double y = BARS_TOP + BAR_STEP * static_cast<double>(i);
    svg.text(label - 8, y + 12, bar.label, {.anchor = "end"});
    double from = label;
    for (std::size_t part = 0; part < bar.parts.size(); ++part) {
      const double length = most > 0.0 ? bar.parts[part] / most * BARS_WIDTH : 0.0;
      if (length > 0.0)
        svg.rectangle(from, y, length, BAR_HEIGHT, page_colour(part));
      from += length;
    }
    svg.text(from + 6, y + 12, four_digits(sum_of_bar(bar) * unit.factor));
  }
  return svg.document();
}

} // namespace tandem::report
