// Lines with marks, a legend beside them.
#include "report/picture/chart.h"
#include "report/picture/svg.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace tandem::report {

namespace {

constexpr double PLOT_WIDTH = 470, PLOT_HEIGHT = 260, LEFT_MARGIN = 64, TOP_MARGIN = 72, BOTTOM_MARGIN = 52;
constexpr double LEGEND_GAP = 24, LEGEND_STEP = 20, LEGEND_SAMPLE = 28, TITLE_LEFT = 12;
constexpr double SIDE = 12; ///< between the plot's edge and the first mark

/// Values between two ends as pixels.
class AxisPlaces {
public:
  AxisPlaces(double low, double high, double from, double to, bool is_log)
      : low_(is_log ? std::log(low) : low), high_(is_log ? std::log(high) : high), from_(from), to_(to), log_(is_log) {}
  [[nodiscard]] double at(double value) const {
    const double place = log_ ? std::log(value) : value;
    return high_ > low_ ? from_ + (place - low_) / (high_ - low_) * (to_ - from_) : (from_ + to_) / 2.0;
  }

private:
  double low_, high_, from_, to_;
  bool log_;
};

/// 0, 20, 40, ... or, of a logarithmic axis, 1, 2, 5, 10, ...
std::vector<double> axis_ticks(double low, double high, bool is_log) {
  std::vector<double> ticks;
  constexpr double SLACK = 1e-3; // of rounding at the ends
  if (is_log) {
    for (double power = std::pow(10.0, std::floor(std::log10(low))); power <= high; power *= 10.0)
      for (const double step : {1.0, 2.0, 5.0})
        if (step * power >= low * (1 - SLACK) && step * power <= high * (1 + SLACK))
          ticks.push_back(step * power);
    return ticks;
  }
  const double raw = (high - low) / 7.0;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10.0 * power;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * power >= raw)
      step = factor * power;
  for (double index = std::ceil(low / step); index * step <= high * (1 + SLACK); ++index)
    ticks.push_back(index * step);
  return ticks;
}

class LineDrawing {
public:
  explicit LineDrawing(const LineChart& chart)
      : chart_(chart),
        width_(std::max(LEFT_MARGIN + PLOT_WIDTH + LEGEND_GAP + legend_width(chart), title_width(chart.title))),
        height_(std::max(TOP_MARGIN + PLOT_HEIGHT + BOTTOM_MARGIN,
                         TOP_MARGIN + LEGEND_STEP * static_cast<double>(chart.lines.size()) + LEGEND_GAP)),
        svg_(width_, height_, chart.title + ": " + chart.subject, chart.description) {
    for (const auto& line : chart.lines)
      for (const auto& [x, y] : line.points) {
        xs_.insert(x);
        least_ = std::min(least_, y);
        most_ = std::max(most_, y);
      }
    unit_ = shown_unit(chart.unit, most_);
    constexpr double LOG_X_SPAN = 10, LOG_Y_SPAN = 20;
    log_x_ = chart.x_names.empty() && *xs_.begin() > 0.0 && *xs_.rbegin() > LOG_X_SPAN * *xs_.begin();
    log_y_ = least_ > 0.0 && most_ > LOG_Y_SPAN * least_;
  }

  std::string draw() {
    svg_.text(TITLE_LEFT, 24, chart_.title, {.bold = true});
    svg_.text(TITLE_LEFT, 46, with_unit(chart_.subject, unit_) + (log_y_ ? ", logarithmic" : ""));
    const double low = log_y_ ? least_ * unit_.factor / 1.2 : std::min(0.0, least_ * unit_.factor);
    const double high = most_ > 0.0 ? most_ * unit_.factor * (log_y_ ? 1.2 : 1.06) : 1.0;
    const AxisPlaces y(low, high, TOP_MARGIN + PLOT_HEIGHT, TOP_MARGIN, log_y_);
    const AxisPlaces x(*xs_.begin(), *xs_.rbegin(), LEFT_MARGIN + SIDE, LEFT_MARGIN + PLOT_WIDTH - SIDE, log_x_);
    for (const double tick : axis_ticks(low, high, log_y_)) {
      svg_.line(LEFT_MARGIN, y.at(tick), LEFT_MARGIN + PLOT_WIDTH, y.at(tick), page_colour("rule"));
      svg_.text(LEFT_MARGIN - 6, y.at(tick) + 4, four_digits(tick), {.anchor = "end"});
    }
    horizontal_axis(x);
    for (std::size_t i = 0; i < chart_.lines.size(); ++i)
      series(i, x, y);
    return svg_.document();
  }

private:
  static double legend_width(const LineChart& chart) {
    double width = 0.0;
    for (const auto& line : chart.lines)
      width = std::max(width, LEGEND_SAMPLE + 8 + text_width(line.name));
    return width + 8;
  }

  [[nodiscard]] std::string x_text(double x) const {
    return chart_.x_names.empty() ? four_digits(x) : chart_.x_names[static_cast<std::size_t>(x)];
  }

  /// Marks every value of a few, and writes those that have room, the last in any case.
  void horizontal_axis(const AxisPlaces& places) {
    const double bottom = TOP_MARGIN + PLOT_HEIGHT;
    svg_.line(LEFT_MARGIN, bottom, LEFT_MARGIN + PLOT_WIDTH, bottom, page_colour("soft"));
    double room = std::numeric_limits<double>::max(); // from the left to what is written already
    const std::vector<double> from_the_right(xs_.rbegin(), xs_.rend());
    for (const double x : from_the_right) {
      const auto text = x_text(x);
      const double half = text_width(text) / 2.0;
      svg_.line(places.at(x), bottom, places.at(x), bottom + 4, page_colour("soft"));
      if (places.at(x) + half + 6 > room)
        continue;
      svg_.text(places.at(x), bottom + 18, text, {.anchor = "middle"});
      room = places.at(x) - half;
    }
    svg_.text(LEFT_MARGIN + PLOT_WIDTH / 2, bottom + 40, chart_.x_title, {.anchor = "middle", .soft = true});
  }

  void series(std::size_t index, const AxisPlaces& x, const AxisPlaces& y) {
    constexpr std::size_t COLOURS_OF_PAGE = 10;
    const auto& line = chart_.lines[index];
    const auto colour = page_colour(index);
    const bool dashed = index >= COLOURS_OF_PAGE;
    std::vector<std::pair<double, double>> places;
    for (const auto& [at, value] : line.points)
      places.emplace_back(x.at(at), y.at(value * unit_.factor));
    if (chart_.x_names.empty()) // between names there is nothing that a line could stand for
      svg_.path(places, colour, dashed);
    for (const auto& [at, value] : places)
      svg_.mark(index, at, value, colour);
    if (chart_.lines.size() == 1 && line.name.empty())
      return;
    const double left = LEFT_MARGIN + PLOT_WIDTH + LEGEND_GAP;
    const double top = TOP_MARGIN + 8 + LEGEND_STEP * static_cast<double>(index);
    svg_.path({{left, top}, {left + LEGEND_SAMPLE, top}}, colour, dashed);
    svg_.mark(index, left + LEGEND_SAMPLE / 2, top, colour);
    svg_.text(left + LEGEND_SAMPLE + 8, top + 4, line.name);
  }

  const LineChart& chart_;
  double width_, height_;
  Svg svg_;
  std::set<double> xs_;
  double least_ = std::numeric_limits<double>::max(), most_ = std::numeric_limits<double>::lowest();
  ShownUnit unit_;
  bool log_x_ = false, log_y_ = false;
};

} // namespace

std::string line_chart_svg(const LineChart& chart) {
  return LineDrawing(chart).draw();
}

} // namespace tandem::report
