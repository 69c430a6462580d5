// The conservation checks accept a sound recording and catch each kind of broken one.
#include "report/checks.h"

#include "report/fakes.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace tandem::report {
namespace {

/// Two ranks, one item of 1 ms; 100 bytes over two links each.
model::Recording sound_recording() {
  model::Recording recording;
  recording.ranks = 2;
  recording.end_s = 1e-3;
  model::RankItem item;
  item.end_s = 1e-3;
  item.compute_s = 0.6e-3;
  item.exposed_s = 0.3e-3;
  item.idle_s = 0.1e-3;
  recording.items = {{item, item}};
  recording.dram.resize(2);
  recording.dram[1].at(model::Phase::RS, model::Access::UPDATE) = 64;
  recording.link_bytes = {100, 100, 0};
  recording.wire_bytes = 100;
  recording.wire_hop_bytes = 200;
  return recording;
}

model::CaseResult sound_result() {
  return fakes::case_of({}, 0.8e-3)[0];
}

TEST(Checks, PassesASoundRecording) {
  EXPECT_THAT(failed_checks(sound_recording(), sound_result()), testing::IsEmpty());
}

TEST(Checks, CatchesEachBrokenRecording) {
  constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();
  const struct {
    const char* symptom;
    std::function<void(model::Recording&, model::CaseResult&)> break_it;
  } table[] = {
      {"item 0, rank 1: compute", [](auto& r, auto&) { r.items[0][1].idle_s += 1e-9; }},
      {"item 0, rank 0: compute", [&](auto& r, auto&) { r.items[0][0].exposed_s = NOT_A_NUMBER; }},
      {"but the case took", [](auto&, auto& c) { c.exposed_s *= 1.0001; }},
      {"bytes crossed links", [](auto& r, auto&) { r.link_bytes[2] = 1; }},
      {"bytes crossed links", [](auto& r, auto&) { r.wire_hop_bytes = 0; }},
      {"beats its lower bound", [](auto&, auto& c) { c.lower_bound_s = c.time_s * 1.000001; }},
      {"beats its lower bound", [&](auto&, auto& c) { c.lower_bound_s = NOT_A_NUMBER; }},
      {"rank 1: -1 bytes of RS updates",
       [](auto& r, auto&) { r.dram[1].at(model::Phase::RS, model::Access::UPDATE) = -1; }},
      {"rank 0: inf bytes of GEMM reads",
       [](auto& r, auto&) {
         r.dram[0].at(model::Phase::GEMM, model::Access::READ) = std::numeric_limits<double>::infinity();
       }},
      {"of what its bandwidth allows", [](auto&, auto& c) { c.links.utilisation = 1.000001; }},
      {"of what its bandwidth allows", [&](auto&, auto& c) { c.links.utilisation = NOT_A_NUMBER; }},
      {"-5 bytes in the case's DRAM traffic", [](auto&, auto& c) { c.dram.ag_write = -5; }},
      {"nan bytes in the case's DRAM traffic", [&](auto&, auto& c) { c.dram.other_read = NOT_A_NUMBER; }},
  };
  for (const auto& row : table) {
    model::Recording recording = sound_recording();
    model::CaseResult result = sound_result();
    row.break_it(recording, result);
    EXPECT_THAT(failed_checks(recording, result), testing::ElementsAre(testing::HasSubstr(row.symptom))) << row.symptom;
  }
}

TEST(Checks, AllowsRounding) {
  model::Recording recording = sound_recording();
  recording.items[0][0].idle_s += 1e-15;
  recording.link_bytes[0] += 1e-8;
  model::CaseResult result = sound_result();
  result.lower_bound_s = result.time_s * (1 + 1e-12);
  EXPECT_THAT(failed_checks(recording, result), testing::IsEmpty());
}

TEST(Checks, AnIdealBoundNeedNotAddUp) {
  const model::CaseResult ideal = fakes::case_of({}, 0.8e-3)[2];
  EXPECT_NE(ideal.compute_s + ideal.exposed_s + ideal.idle_s, ideal.time_s);
  EXPECT_THAT(failed_checks(sound_recording(), ideal), testing::IsEmpty());
}

TEST(Checks, Line) {
  EXPECT_EQ(checks_line(1),
            "checks: time adds up, link bytes = message bytes x hops, nothing beats its bound (1 result)");
}

} // namespace
} // namespace tandem::report
