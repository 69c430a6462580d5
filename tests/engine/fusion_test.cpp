// A GEMM with its all-to-all, and with the all-gather of its input, against closed forms; docs/models.md, "Fusion with
// an all-to-all or an all-gather". Only SMs, wires, latencies and launches take time.
#include "collective/bounds.h"
#include "collective/strategy.h"
#include "collective/verify.h"
#include "engine/child.h"
#include "engine/machines.h"
#include "engine/proven.h"
#include "engine/waves.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tandem::test {
namespace {

using model::CollectiveKind;

constexpr double LATENCY_S = 7e-7;

struct Setting {
  int ranks;
  std::int64_t k;
  double bandwidth;
};

/// Pieces that are longer than the way of their chunk, and shorter.
std::vector<Setting> settings() {
  std::vector<Setting> list;
  for (const int ranks : {2, 3, 5, 8})
    for (const std::int64_t k : {128, 512, 4096})
      for (const double bandwidth : {2e10, 1e11, 1e12})
        list.push_back({ranks, k, bandwidth});
  return list;
}

double time_of(const std::string& strategy, const collective::Request& request, double bandwidth) {
  const auto cluster = switched(request.op.ranks, {.bandwidth = bandwidth, .latency_s = LATENCY_S}, wave_device());
  const double time = played(cluster, proven(strategy, request, cluster)).end_s;
  EXPECT_GE(time, collective::lower_bound(request, cluster).value());
  return time;
}

/// t: a wave; c: a chunk, what one wave makes for one rank; b, l: bandwidth and latency of a route.
///   sequential: launch + N t, then launch + (N-1) c/b + l: every rank sends to and receives from all at once.
///   t3, tile-fused: wave p is for one other rank, and no two ranks have the same one; it goes when it is made, at
///   launch + (p + 1) t. The wires are idle in between when c/b < t, and the last of N-1 chunks then leaves at launch +
///   (N-1) t + c/b; else they are busy from the first wave on, until launch + t + (N-1) c/b. The own wave is the last.
///   decomposed: g = launch + t a piece, s = launch + c/b a copy of the engine, which makes them one after the other:
///   the last of N-1 has left when the longest of p pieces and then N - p copies is over, at p = 1 or p = N - 1.
TEST(Fusion, WithAnAllToAll) {
  for (const auto& [ranks, k, bandwidth] : settings()) {
    const auto gemm = gemm_of(ranks, k);
    const model::CollectiveOp op{.kind = CollectiveKind::ALL_TO_ALL, .ranks = ranks, .bytes = gemm.output()};
    const collective::Request request{.op = op, .producer = gemm};
    const double t = wave_s(k), c = 80.0 * 128 * 128 * 2 / bandwidth, n = ranks;
    const auto what = fmt::format("{} ranks, k = {}, {} B/s", ranks, k, bandwidth);
    const double sequential = time_of("sequential", request, bandwidth);
    expect_near(sequential, 2 * LAUNCH_S + n * t + (n - 1) * c + LATENCY_S, what + ", sequential");
    const double fused = LAUNCH_S + std::max({n * t, (n - 1) * t + c + LATENCY_S, t + (n - 1) * c + LATENCY_S});
    for (const auto* strategy : {"t3", "t3:algorithm=direct", "t3-mca"}) {
      const double time = time_of(strategy, request, bandwidth);
      expect_near(time, fused, what + ", " + strategy);
      EXPECT_GE(sequential, time) << what;
    }
    const double g = LAUNCH_S + t, s = LAUNCH_S + c;
    expect_near(time_of("decomposed", request, bandwidth),
                std::max({n * g, g + (n - 1) * s + LATENCY_S, (n - 1) * g + s + LATENCY_S}), what + ", decomposed");
    if (c < t) // else the GEMM waits for its stores: one stage of them may be under way
      expect_near(time_of("tile-fused", request, bandwidth), fused, what + ", tile-fused");
  }
}

/// c: a chunk of A, the rows of one rank; g = launch + t: a partial GEMM.
///   sequential: launch + (N-1) (c/b + l), then launch + N t.
///   decomposed: each step of the ring is a copy, a = launch + c/b + l; piece p starts when piece p - 1 has ended and
///   chunk p has come, at p a. Its end is the largest of p a + (N - p) g, which is at p = 0 or p = N - 1.
///   t3: one launch of all; wave p starts when wave p - 1 has ended and chunk p has come, at launch + p (c/b + l) from
///   the ring. Direct, the engine of rank r - p sends to r p-th: launch + p c/b + l.
TEST(Fusion, WithTheAllGatherOfTheInput) {
  for (const auto& [ranks, k, bandwidth] : settings()) {
    const auto gemm = gemm_of(ranks, k);
    const model::CollectiveOp op{.kind = CollectiveKind::ALL_GATHER, .ranks = ranks, .bytes = gemm.input()};
    const collective::Request request{.op = op, .producer = std::nullopt, .consumer = gemm};
    const double t = wave_s(k), c = 8.0 * 128 * static_cast<double>(k) * 2 / bandwidth, n = ranks;
    const auto what = fmt::format("{} ranks, k = {}, {} B/s", ranks, k, bandwidth);
    const double sequential = time_of("sequential", request, bandwidth);
    expect_near(sequential, 2 * LAUNCH_S + (n - 1) * (c + LATENCY_S) + n * t, what + ", sequential");
    const double g = LAUNCH_S + t, a = LAUNCH_S + c + LATENCY_S;
    const double decomposed = time_of("decomposed", request, bandwidth);
    expect_near(decomposed, std::max(n * g, (n - 1) * a + g), what + ", decomposed");
    expect_near(time_of("t3", request, bandwidth), LAUNCH_S + std::max(n * t, (n - 1) * (c + LATENCY_S) + t),
                what + ", t3");
    // chunk p comes at p c + l, and N - p waves are left: the first or the last waits longest
    expect_near(time_of("t3:algorithm=direct", request, bandwidth),
                LAUNCH_S + std::max({n * t, c + LATENCY_S + (n - 1) * t, (n - 1) * c + LATENCY_S + t}),
                what + ", t3:algorithm=direct");
    // Where the work is longer than the launches, cutting it pays: the shorter of the two is hidden but for one piece.
    if (std::min(t, c) * (n - 1) > n * LAUNCH_S) {
      EXPECT_GT(sequential, decomposed) << what;
    }
  }
}

} // namespace
} // namespace tandem::test
