// Studies: their points, what rules points out, and errors with their places.
#include "study/sweep/study_points.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Kind = FlagInfo::Kind;

const std::vector<CommandInfo> COMMANDS = {{"train",
                                            {{"model", "--model", Kind::VALUE, true},
                                             {"nodes", "--nodes", Kind::VALUE, false},
                                             {"tp", "--tp", Kind::VALUE, false},
                                             {"dp", "--dp", Kind::VALUE, false},
                                             {"micro_batch", "--micro-batch", Kind::VALUE, false},
                                             {"sp", "--sp", Kind::SWITCH, false},
                                             {"strategy", "--strategy", Kind::REPEATED, false},
                                             {"set.device.sms", "--set", Kind::ASSIGNMENT, false}}},
                                           {"collective", {{"operation", "", Kind::POSITIONAL, false}}}};

Study parsed(const std::string& text) {
  return parse_study("title: t\ncommand: train\n" + text, "s.yaml", COMMANDS);
}

std::vector<StudyPoint> points_of(const Study& study, const CheckWords& check = {}) {
  return make_points(
      study, {}, check ? check : [](const auto& /*words*/) { return std::string(); });
}

std::string error_of(const std::string& text) {
  try {
    (void)points_of(parsed(text));
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(StudyPoints, AreAllCombinationsTheFirstAxisVaryingSlowest) {
  const auto study = parsed("axes: {nodes: [1, 2], tp: [4, 8]}\nderive: {dp: nodes * 8 / tp}\nfixed: {model: gpt}\n");
  const auto points = points_of(study);
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(shell_line(points[0].words), "train --nodes 1 --tp 4 --dp 2 --model gpt");
  EXPECT_EQ(shell_line(points[3].words), "train --nodes 2 --tp 8 --dp 2 --model gpt");
  EXPECT_THAT(points[1].inputs, ElementsAre("1", "8", "1", "gpt"));
  EXPECT_EQ(points[1].name(study), "nodes 1, tp 8");
}

TEST(StudyPoints, EveryKindOfFlagBecomesWords) {
  const auto study = parsed("axes:\n  strategy: [[ring, 'tree:chunks=2'], ~]\n  sp: [true, false]\n"
                            "fixed: {set.device.sms: 80, micro_batch: 2}\n");
  const auto points = points_of(study);
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(shell_line(points[0].words),
            "train --strategy ring --strategy tree:chunks=2 --sp --set device.sms=80 --micro-batch 2");
  EXPECT_EQ(shell_line(points[3].words), "train --set device.sms=80 --micro-batch 2"); // ~: no flag; false: no switch
  EXPECT_EQ(points[0].inputs[0], "ring; tree:chunks=2");
  EXPECT_EQ(points[3].inputs[0], "");
}

TEST(StudyPoints, MapsAreValuesThatGoTogether) {
  const auto study = parsed("axes:\n  size: [{model: a, tp: 1}, {model: b, tp: 2, dp: 3}]\n  nodes: [1, 2]\n");
  const auto points = points_of(study);
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(shell_line(points[0].words), "train --model a --tp 1 --nodes 1");
  EXPECT_EQ(shell_line(points[2].words), "train --model b --tp 2 --dp 3 --nodes 1");
}

TEST(StudyPoints, WordsGoFirstAndAreQuoted) {
  const auto study =
      parse_study("title: t\ncommand: collective\naxes: {operation: [all reduce]}\n", "s.yaml", COMMANDS);
  EXPECT_EQ(shell_line(points_of(study)[0].words), "collective 'all reduce'");
  EXPECT_EQ(shell_line({"it's", "", "a=b"}), "'it'\\''s' '' a=b");
}

/// 8 GPUs do not divide by tp 3; dp 1 is ruled out by the condition; the command refuses dp 4, which is derived.
TEST(StudyPoints, WhatRulesAPointOutIsItsReason) {
  const auto study = parsed("axes: {tp: [1, 2, 3, 8]}\nderive: {dp: 8 / tp}\nwhere: [dp > 1]\n");
  const auto points = points_of(study, [](const std::vector<std::string>& words) {
    return shell_line(words).find("--dp 4") == std::string::npos ? std::string() : "--dp: 4 is too many";
  });
  EXPECT_EQ(points[0].reason, "");
  EXPECT_EQ(points[1].reason, "--dp: 4 is too many");
  EXPECT_EQ(points[2].reason, "dp: 8 / 3 is not a whole number");
  EXPECT_EQ(points[3].reason, "where: dp > 1 does not hold");
  EXPECT_TRUE(points[3].words.empty());
  EXPECT_THAT(points[3].inputs, ElementsAre("8", "1"));
}

TEST(StudyPoints, AVariableIsForExpressionsOnly) {
  const auto study = parsed("variables: [gpus]\naxes: {gpus: [8, 16]}\nderive: {nodes: gpus / 8}\n");
  EXPECT_EQ(shell_line(points_of(study)[1].words), "train --nodes 2");
}

/// A value of the author's own that the command refuses is a mistake, with the value's place.
TEST(StudyPoints, AWrongValueIsAMistakeAtItsPlace) {
  const auto study = parsed("axes:\n  tp: [1, x]\n");
  try {
    (void)points_of(study, [](const std::vector<std::string>& words) {
      return words.back() == "x" ? std::string("--tp: 'x' is no number") : std::string();
    });
    FAIL();
  } catch (const base::UserError& error) {
    EXPECT_STREQ(error.what(), "s.yaml:4:11: --tp: 'x' is no number");
  }
}

TEST(StudyFile, MistakesHaveTheirPlaceAndTheNearestWord) {
  EXPECT_THAT(error_of("axes: {node: [1]}\n"), testing::StartsWith("s.yaml:3:8: unknown flag of train or name of "
                                                                   "variables 'node' (did you mean 'nodes'?)"));
  EXPECT_THAT(error_of("axes: {set.device.sm: [1]}\n"), HasSubstr("(did you mean 'set.device.sms'?)"));
  EXPECT_THAT(error_of("axis: {}\n"), HasSubstr("s.yaml:3:1: unknown key 'axis' (did you mean 'axes'?)"));
  EXPECT_THAT(error_of("axes: {tp: [1]}\nfixed: {tp: 2}\n"),
              HasSubstr("s.yaml:4:9: 'tp' is given twice, first in line 3"));
  EXPECT_THAT(error_of("axes: {tp: []}\n"), HasSubstr("tp: a list of values is needed"));
  EXPECT_THAT(error_of("axes: {tp: [[1, 2]]}\n"), HasSubstr("it takes one value"));
  EXPECT_THAT(error_of("axes: {sp: [1]}\n"), HasSubstr("unknown value of sp '1'"));
  EXPECT_THAT(error_of("axes: {tp: [1]}\nderive: {dp: 8 / tpp}\n"), HasSubstr("s.yaml:4:14: '8 / tpp': unknown name"));
  EXPECT_THAT(error_of("axes: {tp: [1]}\nvariables: [tp]\n"), HasSubstr("'tp' is a flag of train"));
  EXPECT_THAT(error_of("axes: {tp: [1]}\nvariables: [x]\n"), HasSubstr("'x' has no value"));
  EXPECT_THAT(error_of("axes: [1]\n"), HasSubstr("a map of names and values is needed"));
  EXPECT_THAT(error_of(""), HasSubstr("missing key 'axes'"));
  std::string many = "axes:\n";
  for (const char* name : {"nodes", "tp", "dp", "micro_batch"}) {
    many += fmt::format("  {}: [1", name);
    for (int i = 2; i < 30; ++i)
      many += fmt::format(", {}", i);
    many += "]\n";
  }
  EXPECT_THAT(error_of(many), HasSubstr("more than 100000 points"));
}

TEST(StudyFile, AnUnknownCommandIsNamed) {
  try {
    (void)parse_study("title: t\ncommand: trian\naxes: {tp: [1]}\n", "s.yaml", COMMANDS);
    FAIL();
  } catch (const base::UserError& error) {
    EXPECT_STREQ(error.what(),
                 "s.yaml:2:10: unknown command 'trian' (did you mean 'train'?); allowed: train, collective");
  }
}

} // namespace
} // namespace tandem::study
