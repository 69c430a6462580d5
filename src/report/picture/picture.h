// One chart of results as SVG, for a paper or a README.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tandem::report {

struct PictureChoice {
  std::string chart;   ///< a metric's key, "efficiency", "breakdown", "memory" or "dram"; empty: the time
  std::string against; ///< input on the horizontal axis; empty: the number of GPUs, else the first number that varies
};

/// The chart of `data` (report_data.h). Lines are the settings of the inputs that vary besides; bars are the points.
/// Throws UserError: no such chart or input (with what is allowed), nothing to draw, results of several commands.
std::string picture_svg(const nlohmann::ordered_json& data, const PictureChoice& choice);

} // namespace tandem::report
