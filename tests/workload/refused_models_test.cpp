// Models that are not understood are refused, with the file and the key.
#include "base/error.h"
#include "workload/model_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::workload {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string LLAMA = R"("model_type": "llama", "hidden_size": 64, "vocab_size": 100, "num_attention_heads": 4,
 "num_key_value_heads": 2, "intermediate_size": 128, "num_hidden_layers": 2)";

std::string complaint(const std::string& text, bool json = true) {
  try {
    json ? (void)parse_hf_config(text, "config.json") : (void)parse_model_yaml(text, "model.yaml");
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "accepted";
}

std::string llama_with(const std::string& more) {
  return complaint("{" + LLAMA + ",\n" + more + "}");
}

TEST(RefusedModels, ALlamaIsAccepted) {
  EXPECT_EQ(complaint("{" + LLAMA + "}"), "accepted");
}

TEST(RefusedModels, UnknownKeysWithTheNearest) {
  EXPECT_THAT(llama_with(R"("intermediate_sizes": 3)"),
              AllOf(HasSubstr("config.json:3"), HasSubstr("'intermediate_sizes' is not understood"),
                    HasSubstr("did you mean 'intermediate_size'")));
  EXPECT_THAT(llama_with(R"("num_local_experts": 8)"), HasSubstr("'num_local_experts' is not understood"));
}

TEST(RefusedModels, ValuesOutOfTheirKind) {
  EXPECT_THAT(llama_with(R"("head_dim": "x")"), AllOf(HasSubstr("config.json:3: head_dim"), HasSubstr("whole number")));
  EXPECT_THAT(llama_with(R"("head_dim": 1.5)"), HasSubstr("whole number"));
  EXPECT_THAT(llama_with(R"("head_dim": -1)"), HasSubstr("whole number"));
  EXPECT_THAT(llama_with(R"("head_dim": 1e300)"), HasSubstr("whole number"));
  EXPECT_THAT(llama_with(R"("head_dim": 1e999)"), HasSubstr("config.json: has a number that is too large"));
  EXPECT_THAT(llama_with(R"("head_dim": 18446744073709551615)"), HasSubstr("whole number"));
  EXPECT_THAT(llama_with(R"("hidden_act": "softplus")"), HasSubstr("softplus"));
  EXPECT_THAT(llama_with(R"("tie_word_embeddings": 1)"), HasSubstr("true, false"));
}

TEST(RefusedModels, WhatIsNoModel) {
  EXPECT_THAT(complaint(""), HasSubstr("not valid JSON"));
  EXPECT_THAT(complaint("[1]"), HasSubstr("a list"));
  EXPECT_THAT(complaint("{}"), HasSubstr("model_type"));
  EXPECT_THAT(complaint(R"({"model_type": "llamma"})"), HasSubstr("did you mean 'llama'"));
  EXPECT_THAT(complaint(R"({"model_type": "llama"})"), HasSubstr("missing key 'hidden_size'"));
  EXPECT_THAT(llama_with(R"("hidden_size": 64)"), HasSubstr("given twice"));
  std::string deep(100, '[');
  EXPECT_THAT(llama_with("\"rope_scaling\": " + deep), HasSubstr("nested deeper"));
}

TEST(RefusedModels, ShapesThatDoNotDivide) {
  EXPECT_THAT(complaint(R"({"model_type": "llama", "hidden_size": 65, "vocab_size": 100, "num_attention_heads": 4,
   "intermediate_size": 128, "num_hidden_layers": 2})"),
              HasSubstr("4 does not divide the 65 of hidden_size"));
}

TEST(RefusedModels, OurOwnFiles) {
  const std::string gpt = "name: x\nsource: y\nlayers: 2\nhidden: 64\nheads: 4\nvocab: 10\n";
  EXPECT_EQ(complaint(gpt, false), "accepted");
  EXPECT_THAT(complaint(gpt + "head: 3\n", false), AllOf(HasSubstr("model.yaml:7"), HasSubstr("did you mean 'heads'")));
  EXPECT_THAT(complaint(gpt + "top_k: 2\n", false), HasSubstr("needs experts"));
  EXPECT_THAT(complaint(gpt + "tables: 1-2\n", false), HasSubstr("'tables' says nothing about"));
  EXPECT_THAT(complaint(gpt + "image: 224\n", false), HasSubstr("image and patch come together"));
  EXPECT_THAT(complaint("name: x\nsource: y\nkind: recommendation\ndense_features: 3\nvector: 8\ntables: 5--6\n"
                        "bottom: 8\ntop: 1\n",
                        false),
              HasSubstr("model.yaml:6"));
}

TEST(RefusedModels, NamesWithTheNearest) {
  try {
    (void)find_model("llama3-8", {std::string(TANDEM_SOURCE_DIR) + "/workloads/models"});
    FAIL();
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'llama3-8b'"));
  }
}

} // namespace
} // namespace tandem::workload
