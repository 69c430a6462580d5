// A timeline read back, and packed for the page.
#include "report/trace_reader.h"

#include "base/error.h"
#include "report/page_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace tandem::report {
namespace {

using base::UserError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// As write_iteration_timeline() writes: two slices of one kind and one on the critical path, and a counter.
std::string trace() {
  std::ostringstream out;
  TraceWriter writer(out, {{"simgrid", "3.32"}});
  writer.process(1, "rank 0");
  writer.thread({1, 2}, "compute");
  writer.thread({1, 3}, "tp");
  TraceArgs first, second, third;
  first.add(MICRO_BATCH, 0.0).add("bytes", 128.0);
  second.add(MICRO_BATCH, 1.0).add("bytes", 128.0);
  third.add("strategy", "ring").add(CRITICAL_PATH, "yes");
  writer.slice({1, 2}, "IP", "forward", 1500, 2750, second); // not in the order of time
  writer.slice({1, 2}, "IP", "forward", 0, 1000, first);
  writer.slice({1, 3}, "OP", "tp", 1000, 301'000, third);
  writer.counter(1, "memory", 5, TraceArgs().add("buffers", 3.0));
  writer.finish();
  return out.str();
}

TEST(TraceReader, ReadsBackWhatWasWritten) {
  const auto text = trace();
  EXPECT_TRUE(is_trace(text));
  const auto slices = read_trace(text, "t.json");
  ASSERT_EQ(slices.tracks.size(), 2U);
  EXPECT_EQ(slices.tracks[0].process, "rank 0");
  EXPECT_EQ(slices.tracks[0].thread, "compute");
  ASSERT_EQ(slices.tracks[0].slices.size(), 2U);
  const auto& [first, second] = std::tie(slices.tracks[0].slices[0], slices.tracks[0].slices[1]);
  EXPECT_EQ(first.begin, 0);
  EXPECT_EQ(first.length, 1000);
  EXPECT_EQ(first.micro_batch, 0);
  EXPECT_EQ(second.begin, 1500);
  EXPECT_EQ(second.length, 1250);
  EXPECT_EQ(second.micro_batch, 1);
  EXPECT_EQ(first.kind, second.kind); // they differ in time and micro-batch only
  EXPECT_FALSE(first.critical);
  const auto& third = slices.tracks[1].slices.front();
  EXPECT_TRUE(third.critical);
  EXPECT_EQ(third.micro_batch, -1);
  EXPECT_EQ(slices.names[slices.kinds[third.kind].name], "OP");
  EXPECT_EQ(slices.categories[slices.kinds[third.kind].category], "tp");
  EXPECT_EQ(slices.arguments[slices.kinds[third.kind].arguments], R"({"strategy":"ring"})");
}

std::string refused(const std::string& text) {
  try {
    read_trace(text, "t.json");
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(TraceReader, RefusesWhatIsNoTimeline) {
  EXPECT_FALSE(is_trace(R"({"cases": ["an escaped \"traceEvents\" is text"]})"));
  EXPECT_THAT(refused(R"({"traceEvents": []})"), HasSubstr("t.json: is a trace without slices"));
  EXPECT_THAT(refused(R"({"traceEvents": [{"ph": "X", )"), HasSubstr("not JSON at byte"));
  EXPECT_THAT(refused(R"({"traceEvents": [{"ph": "X", "name": "a", "ts": 1}]})"),
              HasSubstr("slice 'a' needs ts and dur"));
  EXPECT_THAT(refused(R"({"traceEvents": [{"ph": "X", "name": "a", "ts": -1, "dur": 1}]})"), HasSubstr("0 or more"));
  EXPECT_THAT(refused(R"({"traceEvents": [{"ph": "X", "name": "a", "ts": 1e300, "dur": 1}]})"),
              HasSubstr("needs ts and dur"));
  // events elsewhere are none
  EXPECT_THAT(refused(R"({"other": [{"ph": "X", "name": "a", "ts": 1, "dur": 1}], "traceEvents": []})"),
              HasSubstr("without slices"));
}

// RFC 4648, section 10.
TEST(PageTimeline, Base64) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
}

TEST(PageTimeline, PacksColumns) {
  const auto page = page_timeline(read_trace(trace(), "t.json"));
  EXPECT_THAT(page["names"], ElementsAre("IP", "OP"));
  EXPECT_EQ(page["tracks"][0]["count"], 2);
  // 1000 = 7 * 128 + 104: bytes 104 + 128, 7. Begin 0, length 1000, kind 0, 2 (0 + 1); then 1500 on (11 * 128 + 92),
  // length 1250 (9 * 128 + 98), kind 0, 2 (1 + 1)
  EXPECT_EQ(page["tracks"][0]["slices"], base64(std::string("\x00\xE8\x07\x00\x02\xDC\x0B\xE2\x09\x00\x04", 11)));
  // 300000 = 18 * 16384 + 39 * 128 + 96; no micro-batch, on the critical path: 2 (-1 + 1) + 1
  EXPECT_EQ(page["tracks"][1]["slices"], base64(std::string("\xE8\x07\xE0\xA7\x12\x01\x01", 7)));
}

} // namespace
} // namespace tandem::report
