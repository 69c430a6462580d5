// --timeline, read back as a viewer does: several strategies side by side, slices that nest, arrows that end.
#include "app/program.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace tandem::app {
namespace {

using nlohmann::json;

json timeline(const std::vector<std::string>& words) {
  const Folder folder;
  auto arguments = words;
  arguments.insert(arguments.end(), {"--timeline", "t.json", "-o", "r.json"});
  const auto outcome = run({.arguments = arguments, .folder = folder.path().string()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  return json::parse(folder.read("t.json"));
}

struct Slice {
  long long begin, end;
};

/// Slices of each track, in nanoseconds, longer ones first where they begin together.
std::map<std::pair<int, int>, std::vector<Slice>> slices(const json& trace) {
  std::map<std::pair<int, int>, std::vector<Slice>> tracks;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X")
      continue;
    const auto begin = std::llround(event.at("ts").get<double>() * 1000);
    const auto length = std::llround(event.at("dur").get<double>() * 1000);
    tracks[{event.at("pid"), event.at("tid")}].push_back({begin, begin + length});
  }
  for (auto& [track, list] : tracks)
    std::stable_sort(list.begin(), list.end(), [](const Slice& a, const Slice& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
  return tracks;
}

void expect_nested(const json& trace) {
  for (const auto& [track, list] : slices(trace)) {
    std::vector<long long> open; // ends of the slices around
    for (const auto& slice : list) {
      while (!open.empty() && open.back() <= slice.begin)
        open.pop_back();
      if (!open.empty()) {
        ASSERT_LE(slice.end, open.back()) << "track " << track.first << "/" << track.second << " at " << slice.begin;
      }
      open.push_back(slice.end);
    }
  }
}

std::set<std::string> processes(const json& trace) {
  std::set<std::string> names;
  for (const auto& event : trace.at("traceEvents"))
    if (event.at("ph") == "M" && event.at("name") == "process_name")
      names.insert(event.at("args").at("name").get<std::string>());
  return names;
}

void expect_sound(const json& trace) {
  expect_nested(trace);
  std::multiset<long long> begun, ended; // arrows
  std::map<std::string, int> counters;
  for (const auto& event : trace.at("traceEvents")) {
    const std::string kind = event.at("ph");
    if (kind == "s")
      begun.insert(event.at("id").get<long long>());
    if (kind == "f")
      ended.insert(event.at("id").get<long long>());
    if (kind == "C")
      ++counters[event.at("name").get<std::string>()];
  }
  EXPECT_EQ(begun, ended);
  EXPECT_FALSE(begun.empty());
  EXPECT_GT(counters["HBM GB/s"], 0);
}

TEST(Timeline, ShowsStrategiesSideBySide) {
  const auto trace = timeline({"compare", repository("workloads/examples/one-sublayer.yaml")});
  std::set<std::string> expected;
  for (const std::string strategy : {"sequential", "t3", "t3-mca"})
    for (int gpu = 0; gpu < 8; ++gpu)
      expected.insert(strategy + " \u00b7 GPU " + std::to_string(gpu));
  EXPECT_EQ(processes(trace), expected);
  expect_sound(trace);
}

TEST(Timeline, ShowsEveryStrategyThatASwitchedNodeCanRun) {
  expect_sound(timeline({"compare", repository("workloads/examples/h100-node.yaml"), "--only", "sublayer=OP"}));
}

TEST(Timeline, ShowsAWholeLayer) {
  const auto trace =
      timeline({"compare", repository("workloads/t3-end-to-end.yaml"), "--only", "model=Mega-GPT-2", "--only", "tp=8",
                "--only", "phase=prompt", "--strategy", "sequential", "--strategy", "t3-mca"});
  expect_sound(trace);
  EXPECT_EQ(processes(trace).size(), 16U);
}

} // namespace
} // namespace tandem::app
