// Names the limit of a result.
#include "study/explain.h"

#include "base/units.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::study {

namespace {

std::string time(double seconds) {
  return base::format_seconds(base::Seconds(seconds));
}

std::string slower(double now, double alone) {
  return fmt::format("{:+.1f} % against alone", (now / alone - 1.0) * 100.0);
}

} // namespace

std::string explain(const model::CaseResult& result, const model::CaseResult* alone) {
  const double total = result.time_s;
  if (result.ideal)
    return result.gemm_s >= result.rs_s
               ? fmt::format("bound by the GEMM: it hides the whole RS of {}", time(result.rs_s))
               : fmt::format("bound by the RS: {} longer than the GEMM", time(result.rs_s - result.gemm_s));
  const double sublayers = total - result.other_s;
  const double in_turn = result.gemm_s + result.rs_s + result.ag_s;
  if (in_turn <= sublayers * 1.001)
    return fmt::format("nothing overlaps: GEMM {:.0f} %, RS {:.0f} %, AG {:.0f} % of the time",
                       100 * result.gemm_s / total, 100 * result.rs_s / total, 100 * result.ag_s / total);
  // What is left of the RS when the GEMM has ended shows which of the two was the longer.
  const double tail = std::max(0.0, sublayers - result.gemm_s - result.ag_s);
  const bool known = alone != nullptr && alone->gemm_s > 0.0 && alone != &result;
  if (tail < 0.05 * sublayers) {
    const auto slow = known ? fmt::format(", {}", slower(result.gemm_s, alone->gemm_s)) : "";
    return fmt::format("GEMM-bound: GEMM {}{}; then AG {}", time(result.gemm_s), slow, time(result.ag_s));
  }
  const auto rs = known ? fmt::format(", {}", slower(result.rs_s, alone->rs_s)) : "";
  return fmt::format("RS-bound: {} of it after the GEMM{}; then AG {}", time(tail), rs, time(result.ag_s));
}

} // namespace tandem::study
