// Results read back, and what differs between two of them.
#include "report/result_diff.h"

#include "base/error.h"
#include "temporary_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::report {
namespace {

using base::UserError;
using ::testing::HasSubstr;
using tests::TextFile;

const char* TRAINED = R"({"model": "m", "configuration": {"tp": "8"}, "cases": [{"strategies": "", "iteration_s": 2.0,
  "tokens_per_s": 100.0, "breakdown": {"compute_s": 1.5, "recompute_s": 0.5, "exposed_tp_s": 0.25, "bubble_s": 0.25},
  "critical_path": [{"what": "GEMM", "time_s": 1.75}, {"what": "tp all-reduce", "time_s": 0.25}], "used": ["tp: ring"]}]})";
const char* FASTER = R"({"model": "m", "configuration": {"tp": "4"}, "cases": [{"strategies": "t3", "iteration_s": 1.5,
  "tokens_per_s": 100.0, "breakdown": {"compute_s": 1.0, "recompute_s": 0.0, "exposed_tp_s": 0.25, "bubble_s": 0.25},
  "critical_path": [{"what": "GEMM", "time_s": 1.5}], "used": ["tp: t3"]}]})";

std::string message_of(const std::string& text) {
  const TextFile file("bad", text);
  try {
    (void)read_result_file(file.path());
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

// Recomputation is part of compute_s: apart from it 1.5 - 0.5 = 1 s are left, and the terms sum to the iteration.
TEST(ResultFile, terms_of_an_iteration_sum_to_it) {
  const TextFile file("terms", TRAINED);
  const auto result = read_result_file(file.path());
  ASSERT_EQ(result.entries.size(), 1U);
  const auto& entry = result.entries.front();
  EXPECT_EQ(entry.terms.front(), (std::pair<std::string, double>("compute", 1.0)));
  double sum = 0.0;
  for (const auto& [what, seconds] : entry.terms)
    sum += seconds;
  EXPECT_DOUBLE_EQ(sum, entry.time_s);
  EXPECT_EQ(result.inputs.at("configuration.tp"), "8");
}

TEST(ResultFile, refuses_what_is_no_result) {
  EXPECT_THAT(message_of("{\n\"cases\": ["), HasSubstr("bad:2: is not valid JSON"));
  EXPECT_THAT(message_of("[]"), HasSubstr("is no result"));
  EXPECT_THAT(message_of("7"), HasSubstr("is no result"));
  EXPECT_THAT(message_of("{}"), HasSubstr("is no result"));
  EXPECT_THAT(message_of(R"({"cases": []})"), HasSubstr("is no result"));
  EXPECT_THAT(message_of(R"({"cases": [3]})"), HasSubstr("is no result"));
  EXPECT_THAT(message_of(R"({"cases": {"a": 3}})"), HasSubstr("is no result"));
  EXPECT_THAT(message_of(R"({"cases": [{"iteration_s": 1}]})"), HasSubstr("is not as tandem train writes it"));
  EXPECT_THAT(message_of(R"({"operation": "x", "rows": [{"size_bytes": 1, "time_us": "fast"}]})"),
              HasSubstr("is not as tandem collective writes it"));
  EXPECT_THAT(message_of(R"({"operation": "x", "rows": [{"size_bytes": 1, "time_us": -1, "algorithm": "ring",
    "protocol": "LL"}]})"),
              HasSubstr("a time of"));
}

// Compute 1.0 -> 1.0, recompute 0.5 -> 0: the whole difference of 0.5 s.
TEST(ResultDiff, names_the_largest_change_first) {
  const TextFile one("a", TRAINED), other("b", FASTER);
  const auto a = read_result_file(one.path()), b = read_result_file(other.path());
  const auto pairs = pair_results(a, &b, "", "");
  ASSERT_EQ(pairs.size(), 1U); // one entry each, whatever they are called
  const auto list = changes(pairs[0].a.terms, pairs[0].b.terms);
  EXPECT_EQ(list.front().what, "recompute");
  EXPECT_DOUBLE_EQ(list.front().b_s - list.front().a_s, -0.5);
  const auto text = diff_table(pairs, {}, 3);
  EXPECT_THAT(text, HasSubstr("B is 1.333x as fast as A")); // 2 / 1.5; tokens: 200 against 150
  EXPECT_THAT(text, HasSubstr("B with 0.75x the tokens of A: per token both take the same time"));
  EXPECT_THAT(text, HasSubstr("configuration.tp: 8 -> 4"));
  EXPECT_THAT(text, HasSubstr("tp: t3"));
  EXPECT_THAT(text, HasSubstr("tp all-reduce"));
}

TEST(ResultDiff, a_result_does_not_differ_from_itself) {
  const TextFile file("same", TRAINED);
  const auto a = read_result_file(file.path());
  const auto pairs = pair_results(a, &a, "", "");
  for (const auto& change : changes(pairs[0].a.path, pairs[0].b.path))
    EXPECT_EQ(change.a_s, change.b_s);
  EXPECT_THAT(diff_table(pairs, {}, 3), HasSubstr("both take the same time"));
}

TEST(ResultDiff, refuses_what_cannot_be_compared) {
  const TextFile one("one", TRAINED);
  const TextFile sizes("sizes", R"({"operation": "all-reduce", "rows": []})");
  const auto a = read_result_file(one.path()), empty = read_result_file(sizes.path());
  EXPECT_THROW(pair_results(a, nullptr, "", ""), UserError); // a single entry
  EXPECT_THROW(pair_results(a, &empty, "", ""), UserError);  // holds nothing
  EXPECT_THROW(pair_results(a, &a, "rinq", ""), UserError);  // no such entry
  EXPECT_THROW(pair_results(a, nullptr, "", "x"), UserError);
}

} // namespace
} // namespace tandem::report
