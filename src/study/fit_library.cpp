// One constant after the other by ever smaller steps; the expected times are the tuner's.
#include "study/fit_library.h"

#include "base/error.h"
#include "collective/selector.h"
#include "study/descent.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <set>

namespace tandem::study {

namespace {

constexpr std::size_t FEWEST_ROWS = 6;

/// Mean |ln(expected / measured)| over the rows that are seen.
double misfit(const collective::Tuner& tuner, const model::Library& library,
              const std::vector<workload::MeasuredRow>& rows, const std::vector<bool>& is_seen, double host_s) {
  double sum = 0.0;
  int count = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!is_seen[row])
      continue;
    const auto choices = tuner.choices(static_cast<double>(rows[row].size_bytes), library);
    sum += std::abs(std::log(std::max(host_s, choices.front().predicted_s) / rows[row].time_s));
    ++count;
  }
  return sum / count;
}

/// The constants that matter: base, and the rates that are stated.
std::vector<std::function<void(model::Library&, double)>>
knobs_of(const model::Library& library, const std::set<std::pair<std::string, std::string>>& used) {
  std::vector<std::function<void(model::Library&, double)>> knobs;
  for (std::size_t at = 0; at < library.entries.size(); ++at) {
    const auto& entry = library.entries[at];
    if (!used.contains({entry.algorithm, entry.protocol.name}))
      continue;
    knobs.emplace_back([at](model::Library& changed, double factor) {
      auto& base = changed.entries[at].protocol.base;
      base = base::Seconds(base.value() * factor);
    });
    for (std::size_t medium = 0; medium < model::MEDIA; ++medium)
      if (entry.protocol.hops[medium].rate.value() > 0.0)
        knobs.emplace_back([at, medium](model::Library& changed, double factor) {
          auto& rate = changed.entries[at].protocol.hops[medium].rate;
          rate = base::BytesPerSecond(rate.value() * factor);
        });
  }
  return knobs;
}

} // namespace

LibraryFit fit_library(const model::Cluster& cluster, model::CollectiveKind kind, int ranks,
                       const std::vector<workload::MeasuredRow>& rows, double host_s) {
  if (!cluster.library)
    throw base::UserError("--fit changes the constants of a communication library, and the GPUs name none (--library)");
  const collective::Tuner tuner(kind, ranks, cluster);
  LibraryFit fit{*cluster.library, std::vector<bool>(rows.size(), false)};
  std::size_t sized = 0;
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (rows[row].size_bytes > 0)
      fit.is_seen[row] = sized++ % 2 == 0;
  if (sized < FEWEST_ROWS)
    throw base::UserError(fmt::format("--fit: {} rows above 0 bytes; allowed: {} or more", sized, FEWEST_ROWS));
  std::set<std::pair<std::string, std::string>> used;
  for (const auto& choice : tuner.choices(1.0, fit.library))
    used.emplace(choice.algorithm, choice.protocol);
  if (used.empty())
    throw base::UserError(fmt::format("--fit: library {} has no algorithm for {} over the links of this platform",
                                      fit.library.name, model::to_string(kind)));
  fit.library = descend(fit.library, knobs_of(fit.library, used), [&](const model::Library& library) {
    return misfit(tuner, library, rows, fit.is_seen, host_s);
  });
  return fit;
}

} // namespace tandem::study
