// Lanes: nothing overlaps, nothing is lost, as few as first fit needs; exact sums of counters.
#include "report/track_layout.h"

#include "report/trace_counter.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

namespace tandem::report {
namespace {

TEST(Lanes, FirstFit) {
  // [0,4) and [1,2) overlap; [2,3) fits behind [1,2), [4,5) behind [0,4). A point at 4 fits there too.
  const auto placed =
      lanes({{4, 5, {0, 0, 3}}, {1, 2, {0, 0, 1}}, {0, 4, {0, 0, 0}}, {2, 3, {0, 0, 2}}, {4, 4, {0, 0, 4}}});
  ASSERT_EQ(placed.size(), 2U);
  const auto ops = [](const Lane& lane) {
    std::vector<std::uint32_t> found;
    for (const Segment& segment : lane)
      found.push_back(segment.op.op);
    return found;
  };
  EXPECT_EQ(ops(placed[0]), (std::vector<std::uint32_t>{0, 4, 3}));
  EXPECT_EQ(ops(placed[1]), (std::vector<std::uint32_t>{1, 2}));
}

TEST(Lanes, NothingOverlapsWhateverTheInput) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<Segment> segments;
    for (std::uint32_t op = 0; op < 60; ++op) {
      const auto begin = static_cast<Nanoseconds>(random() % 40);
      segments.push_back({begin, begin + static_cast<Nanoseconds>(random() % 10), {0, 0, op}});
    }
    const auto placed = lanes(segments);
    std::size_t total = 0;
    for (const Lane& lane : placed) {
      total += lane.size();
      for (std::size_t i = 1; i < lane.size(); ++i)
        EXPECT_LE(lane[i - 1].end, lane[i].begin);
    }
    EXPECT_EQ(total, segments.size());
    std::shuffle(segments.begin(), segments.end(), random);
    const auto again = lanes(segments);
    ASSERT_EQ(again.size(), placed.size());
    for (std::size_t i = 0; i < placed.size(); ++i)
      EXPECT_TRUE(std::equal(placed[i].begin(), placed[i].end(), again[i].begin(), again[i].end(),
                             [](const Segment& a, const Segment& b) { return a.op == b.op; }));
  }
}

TEST(TraceCounter, MomentsHaveATimeAndSumsComeBackToZero) {
  std::ostringstream out;
  TraceWriter trace(out, {});
  TraceCounter counter({"GB/s"});
  counter.spread(0, 7.0, 5, 5); // no time: within one nanosecond, 7 GB/s
  counter.spread(0, 1.0, 0, 3); // a third of a GB/s
  counter.spread(0, 1.0, 3, 6); // the same from then on: no event at 3
  counter.write(trace, 4, "x");
  trace.finish();
  EXPECT_EQ(out.str(), R"({"displayTimeUnit":"ns",
"metadata":{},
"traceEvents":[
{"ph":"C","name":"x","pid":4,"ts":0.000,"args":{"GB/s":0.333333}},
{"ph":"C","name":"x","pid":4,"ts":0.005,"args":{"GB/s":7.333333}},
{"ph":"C","name":"x","pid":4,"ts":0.006,"args":{"GB/s":0}}
]}
)");
}

} // namespace
} // namespace tandem::report
