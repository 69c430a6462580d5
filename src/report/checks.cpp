// Conservation of time, of bytes on links and of DRAM bytes; bounds.
#include "report/checks.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace tandem::report {

namespace {

constexpr double TOLERANCE = 1e-9;

/// `slack` is what rounding may add. Written so that NaN is never near anything.
bool near(double found, double expected, double slack = 0.0) {
  return std::abs(found - expected) <= TOLERANCE * std::abs(expected) + slack;
}

void check_rank_times(std::vector<std::string>& failures, const model::Recording& recording) {
  // Differences of clock readings are exact to the last bit of the clock, not of the span: allow for thousands of such
  // roundings.
  const double slack = 1e-13 * std::abs(recording.end_s);
  for (std::size_t item = 0; item < recording.items.size(); ++item) {
    for (std::size_t rank = 0; rank < recording.items[item].size(); ++rank) {
      const model::RankItem& times = recording.items[item][rank];
      const double span = times.end_s - times.begin_s;
      const double sum = times.compute_s + times.exposed_s + times.idle_s;
      if (!near(sum, span, slack))
        failures.push_back(
            fmt::format("item {}, rank {}: compute {} s + exposed {} s + idle {} s = {} s, but the rank took {} s",
                        item, rank, times.compute_s, times.exposed_s, times.idle_s, sum, span));
    }
  }
}

void check_case_times(std::vector<std::string>& failures, const model::CaseResult& result) {
  const double sum = result.compute_s + result.exposed_s + result.idle_s;
  if (!result.ideal && !near(sum, result.time_s))
    failures.push_back(fmt::format("compute {} s + exposed {} s + idle {} s = {} s, but the case took {} s",
                                   result.compute_s, result.exposed_s, result.idle_s, sum, result.time_s));
}

void check_bound(std::vector<std::string>& failures, double time_s, double lower_bound_s) {
  if (!(time_s >= lower_bound_s * (1.0 - TOLERANCE)))
    failures.push_back(fmt::format("the time of {} s beats its lower bound of {} s", time_s, lower_bound_s));
}

void check_links(std::vector<std::string>& failures, const model::Recording& recording) {
  const double on_links = std::accumulate(recording.link_bytes.begin(), recording.link_bytes.end(), 0.0);
  if (!near(on_links, recording.wire_hop_bytes))
    failures.push_back(fmt::format("{} bytes crossed links, but message bytes x links of their routes are {}", on_links,
                                   recording.wire_hop_bytes));
}

void check_busiest_link(std::vector<std::string>& failures, const model::LinkUse& links) {
  if (!(links.utilisation <= 1.0 + TOLERANCE))
    failures.push_back(fmt::format("link {} carried {} bytes, {} of what its bandwidth allows in that time",
                                   links.busiest, links.busiest_bytes, links.utilisation));
}

bool is_amount(double bytes) {
  return std::isfinite(bytes) && bytes >= 0.0;
}

void check_dram(std::vector<std::string>& failures, const model::Recording& recording, const model::DramSummary& dram) {
  static constexpr std::array<const char*, model::PHASES> ACCOUNTS = {"GEMM", "RS", "AG", "other"};
  static constexpr std::array<const char*, 3> ACCESSES = {"reads", "writes", "updates"};
  for (std::size_t rank = 0; rank < recording.dram.size(); ++rank)
    for (std::size_t account = 0; account < ACCOUNTS.size(); ++account)
      for (std::size_t access = 0; access < ACCESSES.size(); ++access)
        if (const double bytes = recording.dram[rank].bytes[account][access]; !is_amount(bytes))
          failures.push_back(
              fmt::format("rank {}: {} bytes of {} {} in DRAM", rank, bytes, ACCOUNTS[account], ACCESSES[access]));
  for (const double bytes : {dram.gemm_read, dram.gemm_write, dram.rs_read, dram.rs_write, dram.ag_read, dram.ag_write,
                             dram.other_read, dram.other_write})
    if (!is_amount(bytes))
      failures.push_back(fmt::format("{} bytes in the case's DRAM traffic", bytes));
}

void check_breakdown(std::vector<std::string>& failures, const model::Breakdown& part, const std::string& whose,
                     double iteration_s) {
  if (const double sum = part.sum(); !near(sum, iteration_s))
    failures.push_back(fmt::format("{} sum to {} s, the iteration takes {} s", whose, sum, iteration_s));
}

void check_memory(std::vector<std::string>& failures, const model::StageResult& stage) {
  const auto& held = stage.memory.at_end;
  const double slack = TOLERANCE * std::accumulate(held.begin(), held.end(), 0.0);
  for (std::size_t account = model::ACTIVATIONS; account < held.size(); ++account)
    if (!near(held[account], 0.0, slack))
      failures.push_back(fmt::format("stage {} ends with {} B of {} that nobody gave back", stage.stage, held[account],
                                     model::memory_account_names()[account]));
}

} // namespace

std::vector<std::string> failed_checks(const model::Recording& recording, const model::TrainCase& result) {
  std::vector<std::string> failures;
  check_breakdown(failures, result.breakdown, "the mean times of the ranks", result.iteration_s);
  for (const auto& stage : result.stages) {
    check_breakdown(failures, stage.breakdown, fmt::format("the times of stage {}", stage.stage), result.iteration_s);
    check_memory(failures, stage);
  }
  check_links(failures, recording);
  check_bound(failures, result.iteration_s, result.lower_bound_s);
  return failures;
}

std::vector<std::string> failed_checks(const model::Recording& recording, const model::CaseResult& result) {
  std::vector<std::string> failures;
  check_rank_times(failures, recording);
  check_case_times(failures, result);
  check_bound(failures, result.time_s, result.lower_bound_s);
  check_links(failures, recording);
  check_busiest_link(failures, result.links);
  check_dram(failures, recording, result.dram);
  return failures;
}

std::string checks_line(std::size_t results) {
  return fmt::format("checks: time adds up, link bytes = message bytes x hops, nothing beats its bound ({} {})",
                     results, results == 1 ? "result" : "results");
}

} // namespace tandem::report
