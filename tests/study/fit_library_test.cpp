// The fit of a library: constants come back from times that they made, and what cannot be fitted is refused.
#include "study/fit_library.h"

#include "base/error.h"
#include "collective/selector.h"
#include "platform/libraries.h"
#include "platform/platform.h"

#include <gtest/gtest.h>

namespace tandem::study {
namespace {

using model::CollectiveKind;

const std::string FOLDER = TANDEM_SOURCE_DIR "/platforms/";

model::Cluster dgx(const std::string& library) {
  auto cluster = platform::read_cluster(FOLDER + "dgx-a100.xml", {FOLDER + "devices"});
  cluster.library = platform::find_library(library, {FOLDER + "libraries"});
  return cluster;
}

std::vector<workload::MeasuredRow> times_by(const model::Cluster& cluster) {
  const collective::Tuner tuner(CollectiveKind::ALL_REDUCE, 8, cluster);
  std::vector<workload::MeasuredRow> rows;
  for (std::uint64_t size = 1024; size <= std::uint64_t{1} << 32; size *= 2)
    rows.push_back({size, tuner.choices(static_cast<double>(size), *cluster.library).front().predicted_s});
  return rows;
}

// Made by nccl-ampere, fitted from NCCL's own constants: the times come back, seen and unseen, and with them what
// decides the largest: 229.5 GB/s of Simple.
TEST(FitLibrary, FindsTheConstantsThatMadeTheTimes) {
  const auto rows = times_by(dgx("nccl-ampere"));
  const auto start = dgx("nccl-tuner-ampere");
  const auto fit = fit_library(start, CollectiveKind::ALL_REDUCE, 8, rows, 0.0);
  const collective::Tuner tuner(CollectiveKind::ALL_REDUCE, 8, start);
  double seen = 0.0, unseen = 0.0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double expected = tuner.choices(static_cast<double>(rows[row].size_bytes), fit.library).front().predicted_s;
    (fit.is_seen[row] ? seen : unseen) += std::abs(expected / rows[row].time_s - 1.0);
  }
  const double half = static_cast<double>(rows.size()) / 2.0;
  EXPECT_LT(seen / half, 0.05);
  EXPECT_LT(unseen / half, 0.08);
  const auto largest = tuner.choices(static_cast<double>(rows.back().size_bytes), fit.library).front();
  EXPECT_NEAR(static_cast<double>(rows.back().size_bytes) * 14 / 8 / largest.predicted_s, 229.5e9, 0.03 * 229.5e9);
}

TEST(FitLibrary, RefusesWhatItCannotFit) {
  auto cluster = dgx("nccl-ampere");
  auto rows = times_by(cluster);
  rows.resize(5);
  EXPECT_THROW(fit_library(cluster, CollectiveKind::ALL_REDUCE, 8, rows, 0.0), base::UserError);
  cluster.library = nullptr;
  EXPECT_THROW(fit_library(cluster, CollectiveKind::ALL_REDUCE, 8, times_by(dgx("nccl-ampere")), 0.0), base::UserError);
}

} // namespace
} // namespace tandem::study
