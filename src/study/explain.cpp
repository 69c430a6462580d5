// Names the limit of a result.
#include "study/explain.h"

#include "base/units.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace tandem::study {

namespace {

/// Less than this share of the time is not worth a word.
constexpr double NOTABLE = 0.02;

std::string time(double seconds) {
  return base::format_seconds(base::Seconds(seconds));
}

/// "CAUSE: how much" of a GEMM that is longer than alone, by its largest part; empty when it is not notably longer.
std::string slowed_by(const model::CaseResult& result, const model::CaseResult& alone) {
  struct Cause {
    double extra;
    const char* text;
  };
  const auto& now = result.gemm_split;
  const auto& then = alone.gemm_split;
  const std::array<Cause, 4> causes{{
      {now.compute_s - then.compute_s, "fewer SMs or more waves"},
      {now.memory_s - then.memory_s, "memory contention and dearer writes"},
      {now.launch_s - then.launch_s, "launches"},
      {now.waiting_s - then.waiting_s, "waiting for communication and adds"},
  }};
  const auto* worst =
      std::max_element(causes.begin(), causes.end(), [](const Cause& a, const Cause& b) { return a.extra < b.extra; });
  if (result.gemm_s - alone.gemm_s < NOTABLE * alone.gemm_s || worst->extra <= 0.0)
    return {};
  return fmt::format("{}: {:+.0f} % against alone, {} of it for that", worst->text,
                     100.0 * (result.gemm_s / alone.gemm_s - 1.0), time(worst->extra));
}

/// The phase that runs beside the GEMM, and what comes after both.
struct Overlap {
  const char* name;
  double hidden_s, rest_s;
};

Overlap overlap_of(const model::CaseResult& result, model::CollectiveKind kind) {
  if (kind == model::CollectiveKind::ALL_GATHER)
    return {"AG", result.ag_s, 0.0};
  return {kind == model::CollectiveKind::ALL_TO_ALL ? "A2A" : "RS", result.rs_s, result.ag_s};
}

std::string explain_ideal(const model::CaseResult& result, const Overlap& overlap) {
  if (result.gemm_s >= overlap.hidden_s)
    return fmt::format("bound by the GEMM: it hides the whole {} of {}", overlap.name, time(overlap.hidden_s));
  return fmt::format("bound by the {}: {} longer than the GEMM", overlap.name, time(overlap.hidden_s - result.gemm_s));
}

std::string shares(const model::CaseResult& result, const Overlap& overlap, bool reduces) {
  const auto text = fmt::format("nothing overlaps: GEMM {:.0f} %, {} {:.0f} %", 100 * result.gemm_s / result.time_s,
                                overlap.name, 100 * overlap.hidden_s / result.time_s);
  return reduces ? fmt::format("{}, AG {:.0f} % of the time", text, 100 * result.ag_s / result.time_s)
                 : text + " of the time";
}

} // namespace

std::string explain(const model::CaseResult& result, const model::CaseResult* alone, model::CollectiveKind kind) {
  const auto overlap = overlap_of(result, kind);
  if (result.ideal)
    return explain_ideal(result, overlap);
  const double sublayers = result.time_s - result.other_s;
  const double in_turn = result.gemm_s + result.rs_s + result.ag_s;
  if (in_turn <= sublayers * 1.001)
    return shares(result, overlap,
                  kind == model::CollectiveKind::ALL_REDUCE || kind == model::CollectiveKind::REDUCE_SCATTER);
  const auto rest = overlap.rest_s > 0.0 ? fmt::format("; then AG {}", time(overlap.rest_s)) : std::string();
  const auto slow = alone == nullptr ? std::string() : slowed_by(result, *alone);
  // What is left to do when the GEMM has ended shows which of the two was the longer.
  const double tail = std::max(0.0, sublayers - result.gemm_s - overlap.rest_s);
  if (tail > 2 * NOTABLE * sublayers)
    return fmt::format("{} outlasts the GEMM: by {}{}{}{}", overlap.name, time(tail),
                       slow.empty() ? "" : "; GEMM slowed by ", slow, rest);
  if (alone == nullptr)
    return fmt::format("bound by the GEMM: {}, not compared with alone since sequential was not run{}",
                       time(result.gemm_s), rest);
  if (slow.empty())
    return fmt::format("GEMM hides the {}: nearly as long as alone, {}{}", overlap.name, time(result.gemm_s), rest);
  return fmt::format("GEMM slowed by {}{}", slow, rest);
}

} // namespace tandem::study
