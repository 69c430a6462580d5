// The estimate in words.
#include "study/run_limit.h"

#include "base/error.h"
#include "base/log.h"
#include "base/units.h"

#include <fmt/format.h>

namespace tandem::study {

namespace {

/// One send, receive or piece of work with its activities: a ring all-reduce over 16,384 GPUs, 524,000 operations of 8
/// classes, in 4.5 to 6 s, by how loaded the machine was.
constexpr double SECONDS_PER_OPERATION = 7e-6;

} // namespace

double estimated_run_s(const engine::Load& load) {
  return SECONDS_PER_OPERATION * static_cast<double>(load.operations);
}

std::function<void(const engine::Load&)> run_limit(double most_s, const std::string& what, const std::string& advice) {
  return [most_s, what, advice](const engine::Load& load) {
    const double seconds = estimated_run_s(load);
    base::log_info(fmt::format("{}: {} classes of ranks, {} operations, about {:.2g} s", what, load.classes,
                               load.operations, seconds));
    if (most_s > 0.0 && seconds > most_s)
      throw base::Infeasible(
          fmt::format("{}: {} operations of {} classes of ranks would take about {:.2g} s, longer than "
                      "{:.2g} s; {}, or --max-time 0s to wait for it",
                      what, load.operations, load.classes, seconds, most_s, advice));
  };
}

} // namespace tandem::study
