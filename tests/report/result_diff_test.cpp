// Results read back, and what differs between two of them.
#include "report/result_diff.h"

#include "base/error.h"
#include "temporary_files.h"

#include <fmt/format.h>
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
  EXPECT_THAT(
      message_of(
          R"({"operation": "x", "rows": [{"size_bytes": 1, "time_us": -1, "strategy": "ring", "algorithm": "ring",
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

/// A file of `compare`: each strategy in each sub-layer; times count up from 1 s in the order of the entries.
std::string compared_in(const std::vector<std::string>& sublayers, const std::vector<std::string>& strategies) {
  std::string text;
  int time = 0;
  for (const auto& sublayer : sublayers)
    for (const auto& strategy : strategies) {
      ++time;
      text += fmt::format(R"({}{{"model": "T-NLG", "tp": 8, "sublayer": "{}", "phase": "forward", "strategy": "{}",
        "time_s": {}, "compute_s": 1, "exposed_communication_s": {}, "idle_s": 0}})",
                          text.empty() ? "" : ",", sublayer, strategy, time, time - 1);
    }
  return fmt::format(R"({{"workload": {{"title": "t"}}, "cases": [{}]}})", text);
}

/// Each pair as "time of A:time of B".
std::vector<std::string> paired(const ResultFile& a, const ResultFile* b, const std::string& name_a,
                                const std::string& name_b) {
  std::vector<std::string> pairs;
  for (const auto& pair : pair_results(a, b, name_a, name_b))
    pairs.push_back(fmt::format("{}:{}", pair.a.time_s, pair.b.time_s));
  return pairs;
}

using Pairs = std::vector<std::string>;

// OP: sequential 1 s, t3 2 s, t3-mca 3 s; FC-2: 4, 5, 6 s.
TEST(ResultPairs, of_one_file_stay_within_a_case) {
  const TextFile file("cases", compared_in({"OP", "FC-2"}, {"sequential", "t3", "t3-mca"}));
  const auto result = read_result_file(file.path());
  EXPECT_EQ(paired(result, nullptr, "", ""), (Pairs{"1:2", "1:3", "4:5", "4:6"}));
  EXPECT_EQ(paired(result, nullptr, "t3", "t3-mca"), (Pairs{"2:3", "5:6"}));
  EXPECT_EQ(paired(result, nullptr, "sequential", ""), (Pairs{"1:2", "1:3", "4:5", "4:6"}));
  EXPECT_EQ(paired(result, nullptr, "", "sequential"), (Pairs{"2:1", "5:4"}));
  EXPECT_EQ(paired(result, nullptr, "t3", "sequential"), (Pairs{"2:1", "5:4"}));
  EXPECT_EQ(paired(result, nullptr, "FC-2", ""), (Pairs{"4:5", "4:6"}));
  EXPECT_EQ(paired(result, nullptr, "", "T-NLG 8 FC-2 forward"), (Pairs{"4:5", "4:6"}));
  EXPECT_EQ(paired(result, nullptr, "OP", "FC-2"), (Pairs{"1:4", "2:5", "3:6"}));
  EXPECT_EQ(paired(result, nullptr, "T-NLG 8 OP forward t3", "T-NLG 8 FC-2 forward t3-mca"), (Pairs{"2:6"}));
}

TEST(ResultPairs, of_iterations_are_their_strategies) {
  const std::string iteration = R"({"strategies": "STRATEGY", "iteration_s": TIME, "tokens_per_s": 1.0, "breakdown":
    {"compute_s": TIME, "recompute_s": 0.0}, "used": []})";
  const auto entry = [&iteration](const std::string& strategy, const std::string& time) {
    auto text = iteration;
    for (const auto& [word, by] : {std::pair("STRATEGY", strategy), std::pair("TIME", time), std::pair("TIME", time)})
      text.replace(text.find(word), std::string(word).size(), by);
    return text;
  };
  const TextFile file("iterations", R"({"cases": [)" + entry("", "1") + "," + entry("tp=t3", "2") + "," +
                                        entry("tp=t3-mca", "3") + "]}");
  const auto result = read_result_file(file.path());
  EXPECT_EQ(paired(result, nullptr, "", ""), (Pairs{"1:2", "1:3"}));
  EXPECT_EQ(paired(result, nullptr, "tp=t3", "tp=t3-mca"), (Pairs{"2:3"}));
  EXPECT_EQ(paired(result, nullptr, "tp=t3", ""), (Pairs{"2:1", "2:3"}));
  EXPECT_EQ(paired(result, nullptr, "default strategies", "tp=t3-mca"), (Pairs{"1:3"}));
  EXPECT_EQ(paired(result, &result, "", ""), (Pairs{"1:1", "2:2", "3:3"}));
}

TEST(ResultPairs, of_one_strategy_are_its_cases) {
  const TextFile file("one-strategy", compared_in({"OP", "FC-2", "IP"}, {"t3"}));
  EXPECT_EQ(paired(read_result_file(file.path()), nullptr, "", ""), (Pairs{"1:2", "1:3"}));
}

// The other file has the cases in another order and lacks a strategy.
TEST(ResultPairs, of_two_files_are_the_same_case_and_strategy) {
  const TextFile one("one", compared_in({"OP", "FC-2"}, {"sequential", "t3"})),
      other("other", compared_in({"FC-2", "OP"}, {"t3"}));
  const auto a = read_result_file(one.path()), b = read_result_file(other.path());
  EXPECT_EQ(paired(a, &b, "", ""), (Pairs{"2:2", "4:1"}));
  EXPECT_EQ(paired(a, &b, "sequential", ""), (Pairs{"1:2", "3:1"})); // the only ones of their case
  EXPECT_EQ(paired(a, &b, "FC-2", ""), (Pairs{"4:1"}));
}

std::string refusal_of_pairs(const ResultFile& a, const ResultFile* b, const std::string& name_a,
                             const std::string& name_b) {
  try {
    (void)pair_results(a, b, name_a, name_b);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ResultPairs, say_what_there_is_to_choose_from) {
  const TextFile one("one", compared_in({"OP"}, {"sequential", "t3"})),
      other("other", compared_in({"OP"}, {"t3-mca", "ideal-overlap"}));
  const auto a = read_result_file(one.path()), b = read_result_file(other.path());
  EXPECT_THAT(refusal_of_pairs(a, &b, "", ""),
              HasSubstr(fmt::format("choose with --a and --b: {} has strategies sequential, t3, of cases T-NLG 8 OP "
                                    "forward; {} has strategies t3-mca, ideal-overlap, of cases T-NLG 8 OP forward",
                                    a.file, b.file)));
  EXPECT_THAT(refusal_of_pairs(a, nullptr, "sequentail", ""),
              HasSubstr("unknown strategy or case 'sequentail' (did you mean 'sequential'?); allowed: sequential, t3, "
                        "T-NLG 8 OP forward"));
}

// Sizes of two strategies: each size by itself, whatever the order.
TEST(ResultPairs, of_a_collective_stay_within_a_size) {
  const TextFile file("sizes", R"({"operation": "all-reduce", "rows": [
    {"size_bytes": 8, "time_us": 1e6, "strategy": "ring", "algorithm": "ring", "protocol": "none"},
    {"size_bytes": 16, "time_us": 2e6, "strategy": "ring", "algorithm": "ring", "protocol": "none"},
    {"size_bytes": 8, "time_us": 3e6, "strategy": "tree", "algorithm": "tree", "protocol": "none",
     "busiest_link": "port", "busiest_link_utilisation": 0.5},
    {"size_bytes": 16, "time_us": 4e6, "strategy": "tree", "algorithm": "tree", "protocol": "none"}]})");
  const auto result = read_result_file(file.path());
  EXPECT_EQ(paired(result, nullptr, "", ""), (Pairs{"1:3", "2:4"}));
  EXPECT_EQ(paired(result, nullptr, "tree", "ring"), (Pairs{"3:1", "4:2"}));
  EXPECT_THAT(diff_table(pair_results(result, nullptr, "", ""), {}, 3),
              HasSubstr("busiest link port, at 50.0 % of its bandwidth"));
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
