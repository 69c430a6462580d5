// Timelines read back as a viewer does: nesting, arrows, counters, names, determinism; broken recordings are refused.
#include "report/timeline.h"

#include "base/error.h"
#include "report/fake_run.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace tandem::report {
namespace {

using Json = nlohmann::json;
using TrackId = std::pair<int, int>;

std::string timeline_text(const std::vector<TimelineRun>& runs) {
  std::ostringstream out;
  write_timeline(out, runs);
  return out.str();
}

/// Events of one kind ("ph"), in file order.
std::vector<Json> events(const Json& trace, const std::string& kind) {
  std::vector<Json> found;
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == kind)
      found.push_back(event);
  return found;
}

long long ns(const Json& microseconds) {
  return std::llround(microseconds.get<double>() * 1000);
}

TrackId track_of(const Json& event) {
  return {event["pid"], event["tid"]};
}

std::map<std::string, TrackId> track_names(const Json& trace, int pid) {
  std::map<std::string, TrackId> names;
  for (const Json& event : events(trace, "M"))
    if (event["name"] == "thread_name" && event["pid"] == pid)
      names[event["args"]["name"]] = track_of(event);
  return names;
}

std::vector<Json> slices_on(const Json& trace, TrackId track) {
  std::vector<Json> found;
  for (const Json& event : events(trace, "X"))
    if (track_of(event) == track)
      found.push_back(event);
  return found;
}

/// What Perfetto demands: sorted by begin, in file order among equals, each slice lies in the one that is open or after
/// it. The first that does not.
std::string nesting_fault(const Json& trace) {
  std::map<TrackId, std::vector<Json>> tracks;
  for (const Json& event : events(trace, "X"))
    tracks[track_of(event)].push_back(event);
  for (auto& [track, slices] : tracks) {
    std::stable_sort(slices.begin(), slices.end(),
                     [](const Json& a, const Json& b) { return ns(a["ts"]) < ns(b["ts"]); });
    std::vector<long long> open;
    for (const Json& slice : slices) {
      const long long begin = ns(slice["ts"]), end = begin + ns(slice["dur"]);
      while (!open.empty() && open.back() <= begin)
        open.pop_back();
      if (end < begin || (!open.empty() && end > open.back()))
        return slice.dump();
      open.push_back(end);
    }
  }
  return {};
}

TEST(Timeline, SlicesNestOnEveryTrack) {
  const fakes::FakeRun fake;
  EXPECT_EQ(nesting_fault(Json::parse(timeline_text({fake.run}))), "");
}

TEST(Timeline, TheNestingTestSeesAnOverlap) {
  const fakes::FakeRun fake;
  Json trace = Json::parse(timeline_text({fake.run}));
  for (Json& event : trace["traceEvents"])
    if (event["ph"] == "X" && event["name"] == "GEMM")
      event["dur"] = event["dur"].get<double>() + 100; // beyond its item
  EXPECT_NE(nesting_fault(trace), "");
}

TEST(Timeline, ProcessPerGpuOfEachRun) {
  const fakes::FakeRun fake;
  TimelineRun other = fake.run;
  other.name = "t3-mca";
  const Json trace = Json::parse(timeline_text({fake.run, other}));
  std::map<int, std::string> names;
  for (const Json& event : events(trace, "M"))
    if (event["name"] == "process_name")
      names[event["pid"]] = event["args"]["name"];
  ASSERT_EQ(names.size(), 6U);
  EXPECT_EQ(names[0], "t3 \u00b7 GPU 0");
  EXPECT_EQ(names[5], "t3-mca \u00b7 GPU 2");
  EXPECT_EQ(trace["metadata"]["t3 SimGrid"], "3.32");
  EXPECT_EQ(nesting_fault(trace), "");
}

TEST(Timeline, TracksOfAGpu) {
  const fakes::FakeRun fake;
  const auto names = track_names(Json::parse(timeline_text({fake.run})), 1);
  std::vector<std::string> found;
  for (const auto& [name, track] : names)
    found.push_back(name);
  // Operations 9 and 10 overlap: a second track of SM communication. Both transfers leave GPU 1 by link1.
  EXPECT_THAT(found, testing::UnorderedElementsAre("phase GEMM", "phase RS", "compute kernels", "SM communication",
                                                   "SM communication 2", "DMA", "near-memory", "arrivals",
                                                   "tracker triggers", "link link1"));
}

TEST(Timeline, ItemsHoldKernelsAndKernelsHoldOperations) {
  const fakes::FakeRun fake;
  const Json trace = Json::parse(timeline_text({fake.run}));
  std::vector<std::string> names;
  std::vector<std::pair<long long, long long>> times;
  for (const Json& slice : slices_on(trace, track_names(trace, 0).at("compute kernels"))) {
    names.push_back(slice["name"]);
    times.emplace_back(ns(slice["ts"]), ns(slice["dur"]));
  }
  EXPECT_THAT(names, testing::ElementsAre("FC-2", "OP", "GEMM launch", "GEMM", "read", "compute", "update",
                                          "GEMM launch", "GEMM", "read", "compute", "update"));
  EXPECT_EQ(times[1], std::pair(9000LL, 9000LL)); // the second item
  EXPECT_EQ(times[3], std::pair(1000LL, 4000LL)); // operations 1 to 3, from 1 to 5 us
}

TEST(Timeline, ArrowsPairTransfersWithTheirArrivals) {
  const fakes::FakeRun fake;
  const Json trace = Json::parse(timeline_text({fake.run}));
  std::map<long long, Json> begins, ends;
  for (const Json& event : events(trace, "s"))
    EXPECT_TRUE(begins.emplace(event["id"], event).second) << "an id twice";
  for (const Json& event : events(trace, "f"))
    EXPECT_TRUE(ends.emplace(event["id"], event).second) << "an id twice";
  ASSERT_EQ(begins.size(), 12U); // 2 transfers x 3 ranks x 2 items
  ASSERT_EQ(ends.size(), begins.size());
  std::set<int> hops;
  for (const auto& [id, begin] : begins) {
    const Json& end = ends.at(id);
    EXPECT_LE(ns(begin["ts"]), ns(end["ts"]));
    const int to = end["pid"], from = begin["pid"];
    hops.insert((to - from + 3) % 3);
    // Both ends lie on a slice that begins then, and the slices name each other's rank.
    for (const auto& [event, key, peer] : {std::tuple(begin, "to_rank", to), std::tuple(end, "from_rank", from)}) {
      const auto slices = slices_on(trace, track_of(event));
      EXPECT_TRUE(std::any_of(slices.begin(), slices.end(), [&, &k = key, &e = event, &p = peer](const Json& slice) {
        return ns(slice["ts"]) == ns(e["ts"]) && slice["args"].value(k, -1) == p;
      })) << event.dump();
    }
  }
  EXPECT_EQ(hops, (std::set<int>{1, 2}));
}

/// Values of one component of a counter over time.
std::map<long long, double> counter(const Json& trace, int pid, const std::string& name, const std::string& component) {
  std::map<long long, double> values;
  for (const Json& event : events(trace, "C"))
    if (event["pid"] == pid && event["name"] == name)
      values[ns(event["ts"])] = event["args"][component];
  return values;
}

/// Bytes under a counter in GB/s: a GB/s for a nanosecond is a byte.
double integral(const std::map<long long, double>& values) {
  double sum = 0;
  for (auto it = values.begin(); it != values.end() && std::next(it) != values.end(); ++it)
    sum += it->second * static_cast<double>(std::next(it)->first - it->first);
  return sum;
}

TEST(Timeline, CountersAreNeverNegativeAndEndAtZero) {
  const fakes::FakeRun fake;
  const Json trace = Json::parse(timeline_text({fake.run}));
  std::map<std::pair<int, std::string>, Json> last;
  for (const Json& event : events(trace, "C")) {
    for (const auto& [component, value] : event["args"].items())
      EXPECT_GE(value.get<double>(), 0.0) << event.dump();
    last[{event["pid"], event["name"]}] = event["args"];
  }
  EXPECT_EQ(last.size(), 9U); // HBM, tracker entries and one link per GPU
  for (const auto& [key, values] : last)
    for (const auto& [component, value] : values.items())
      EXPECT_EQ(value, 0.0) << key.second;
}

TEST(Timeline, CountersHoldTheBytes) {
  const fakes::FakeRun fake;
  const Json trace = Json::parse(timeline_text({fake.run}));
  const auto read = counter(trace, 0, "HBM GB/s", "read");
  EXPECT_EQ(read.at(1000), 3.0); // 3000 B in 1 us
  EXPECT_EQ(read.at(2000), 0.0);
  EXPECT_EQ(read.at(6000), 0.5); // 1000 B in 2 us
  EXPECT_NEAR(integral(read), 2 * (3000 + 1000), 1e-6);
  // From 4 to 5 us the GEMM stores 2000 B beside 1000 B of updates that come in.
  const auto update = counter(trace, 0, "HBM GB/s", "update");
  EXPECT_EQ(update.at(4000), 3.0);
  EXPECT_NEAR(integral(update), 2 * (2000 + 1000), 1e-6);
  EXPECT_NEAR(integral(counter(trace, 0, "HBM GB/s", "write")), 2 * 1000, 1e-6);
  // Each link carries 1000 B of its own GPU's to the next, and twice 1000 B of those that go two links far.
  for (int gpu = 0; gpu < 3; ++gpu) {
    const auto link = counter(trace, gpu, "link link" + std::to_string(gpu), "GB/s");
    EXPECT_EQ(link.at(4000), 1.0);
    EXPECT_EQ(link.at(6000), 1.0);
    EXPECT_NEAR(integral(link), 2 * 3000, 1e-6);
  }
  // The entry is held from the end of the store, at 5 us, to the trigger at 5.5 us.
  const auto entries = counter(trace, 2, "tracker entries", "entries");
  EXPECT_EQ(entries.at(5000), 1.0);
  EXPECT_EQ(entries.at(5500), 0.0);
}

TEST(Timeline, CollectivePhasesBearTheProfilersArguments) {
  const fakes::FakeRun fake;
  const Json trace = Json::parse(timeline_text({fake.run}));
  const Json args = slices_on(trace, track_names(trace, 2).at("phase RS")).at(0)["args"];
  EXPECT_EQ(args["Collective name"], "_reduce_scatter_base");
  EXPECT_EQ(args["In msg nelems"], 3000);
  EXPECT_EQ(args["Out msg nelems"], 1000);
  EXPECT_EQ(args["Group size"], 3);
  EXPECT_FALSE(slices_on(trace, track_names(trace, 2).at("phase GEMM")).at(0)["args"].contains("Collective name"));
}

TEST(Timeline, SameRunsSameBytesWhateverTheOrderOfRecords) {
  fakes::FakeRun fake;
  const std::string text = timeline_text({fake.run});
  EXPECT_EQ(text, timeline_text({fake.run}));
  std::reverse(fake.recording.ops.begin(), fake.recording.ops.end());
  EXPECT_EQ(text, timeline_text({fake.run}));
}

TEST(Timeline, RefusesWhatDoesNotFitTogether) {
  const std::vector<std::pair<const char*, std::function<void(fakes::FakeRun&)>>> table = {
      {"needs a record of each", [](auto& f) { f.recording.ops.pop_back(); }},
      {"two records", [](auto& f) { f.recording.ops.back() = f.recording.ops.front(); }},
      {"was not played", [](auto& f) { f.recording.ops.back().op = 99; }},
      {"outside the time of its item", [](auto& f) { f.recording.items[0][1].end_s = 5e-6; }},
      {"does not send", [](auto& f) { f.schedule.programs[0].ops[5].channel = 3; }},
      {"transfers and 3 receives", [](auto& f) { f.schedule.programs[0].ops[5].kind = model::OpKind::WORK; }},
      {"a schedule of 2 ranks", [](auto& f) { f.schedule.ranks = 2; }},
      {"names for a recording", [](auto& f) { f.run.item_names.pop_back(); }},
      {"without a recording", [](auto& f) { f.run.recording = nullptr; }},
  };
  for (const auto& [symptom, break_it] : table) {
    fakes::FakeRun fake;
    break_it(fake);
    try {
      timeline_text({fake.run});
      ADD_FAILURE() << "no error: " << symptom;
    } catch (const base::Bug& bug) {
      EXPECT_THAT(bug.what(), testing::HasSubstr(symptom));
    }
  }
}

} // namespace
} // namespace tandem::report
