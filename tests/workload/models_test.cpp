// Parameter counts against published ones: models that ship, and Hugging Face configurations where the samples lie.
#include "workload/model_reader.h"
#include "workload/parameters.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace tandem::workload {
namespace {

const std::string SHIPPED = std::string(TANDEM_SOURCE_DIR) + "/workloads/models/";
const std::string SAMPLES = std::string(TANDEM_SOURCE_DIR) + "/../shared/samples/hf-config/";

ParameterCount count(const AnyModel& model) {
  if (const auto* language = std::get_if<model::LanguageModel>(&model))
    return count_parameters(*language);
  if (const auto* convolutional = std::get_if<model::ConvolutionalModel>(&model))
    return {.total = count_parameters(*convolutional)};
  return {.total = count_parameters(std::get<model::RecommendationModel>(model))};
}

struct Published {
  const char* file;
  double total, active;
  double tolerance; ///< of a figure that was rounded; 0: exact
};

class Counts : public ::testing::TestWithParam<Published> {};

TEST_P(Counts, AgreeWithThePublishedOnes) {
  const Published& published = GetParam();
  const bool sample = std::string(published.file).ends_with(".json");
  const std::string path = (sample ? SAMPLES : SHIPPED) + published.file;
  if (sample && !std::filesystem::exists(path))
    GTEST_SKIP() << path << " is not here";
  const auto found = count(read_model(path));
  EXPECT_NEAR(static_cast<double>(found.total), published.total, published.tolerance * published.total);
  if (published.active > 0) {
    EXPECT_NEAR(static_cast<double>(found.active), published.active, published.tolerance * published.active);
  }
}

// Exact ones: weights of the published checkpoints (safetensors index on Hugging Face, or torchvision's documentation).
// Rounded ones: the paper or model card that the model file names.
INSTANTIATE_TEST_SUITE_P(
    Shipped, Counts,
    ::testing::Values(Published{"gpt3-175b.yaml", 174.6e9, 0, 1e-3},   // arXiv 2104.04473, eq. 2
                      Published{"gpt-1.7b.yaml", 1.7e9, 0, 0.03},      // its table 1, rounded to a tenth of a billion
                      Published{"gpt-18.4b.yaml", 18.4e9, 0, 3e-3},    // as above
                      Published{"gpt-145.6b.yaml", 145.6e9, 0, 1e-3},  // as above
                      Published{"gpt-1008b.yaml", 1008e9, 0, 1e-3},    // as above
                      Published{"llama2-7b.yaml", 6738415616, 0, 0},   // checkpoint
                      Published{"llama2-13b.yaml", 13015864320, 0, 0}, // checkpoint
                      Published{"llama2-70b.yaml", 68976648192, 0, 0}, // checkpoint
                      Published{"llama3-8b.yaml", 8030261248, 0, 0},   // checkpoint
                      Published{"llama3-70b.yaml", 70553706496, 0, 0}, // checkpoint
                      Published{"llama3.1-405b.yaml", 405853388800, 0, 0},       // checkpoint: 405.85e9
                      Published{"mixtral-8x7b.yaml", 46702792704, 12.9e9, 2e-3}, // checkpoint; active: arXiv 2401.04088
                      Published{"bert-large.yaml", 336226108, 0, 0},             // BertForPreTraining
                      Published{"vit-b16.yaml", 86567656, 0, 0},                 // torchvision
                      Published{"vit-l16.yaml", 304326632, 0, 0},                // torchvision
                      Published{"resnet50.yaml", 25557032, 0, 0},                // torchvision
                      Published{"vgg16.yaml", 138357544, 0, 0},                  // torchvision
                      Published{"alexnet.yaml", 61100840, 0, 0}));               // torchvision

INSTANTIATE_TEST_SUITE_P(
    HuggingFace, Counts,
    ::testing::Values(
        Published{"deepseek-native-config_16B.json", 15706484224, 2.66e9, 2e-3}, // DeepSeek-V2-Lite: 15.7e9 and 2.4e9
        Published{"deepseek-native-config_671B.json", 671026419200, 37.55e9, 1e-3}, // arXiv 2412.19437: 671e9 and 37e9
        Published{"deepseek_R1_0528_config.json", 671026419200, 37.55e9, 1e-3},
        Published{"dialogpt-gpt2-117M.json", 124439808, 0, 0}, Published{"dialogpt-gpt2-762M.json", 774030080, 0, 0},
        Published{"executorch-Llama-3.2-3B-Instruct.json", 3212749824, 0, 0},
        Published{"executorch-Qwen3-4B.json", 4022468096, 0, 0},
        Published{"executorch-gemma3_1b_it.json", 999885952, 0, 0},
        Published{"executorch-llama3-8B-instruct.json", 8030261248, 0, 0},
        Published{"executorch-phi3.5-mini-instruct.json", 3821079552, 0, 0},
        Published{"llmservingsim-Llama-3.1-8B.json", 8030261248, 0, 0},
        Published{"llmservingsim-Phi-mini-MoE-instruct.json", 7.6e9, 2.4e9, 0.02}, // model card: 7.6B, 2.4B active
        Published{"llmservingsim-Qwen3-32B.json", 32762123264, 0, 0},
        Published{"neuronx-70B_config_llama2.json", 68976648192, 0, 0},
        Published{"neuronx-70B_config_llama3.json", 70553706496, 0, 0},
        Published{"neuronx-8B_config_llama3.1.json", 8030261248, 0, 0},
        Published{"neuronx-dbrx-16x13b.json", 131596523520, 36.5e9, 0.01}, // model card: 132B, 36B active
        Published{"qwen3-235B-A22B_FP8_config.json", 235093634560, 22e9, 0.01},
        Published{"qwen3-30B-A3B_config.json", 30532122624, 3.3e9, 0.02},
        Published{"qwen3-next-80B-A3B_Instruct_FP8_config.json", 80e9, 0, 0.005}, // model card: 80B
        Published{"ttmetal-devstral-2-123b.json", 125025988608, 0, 0},            // published as 123B
        Published{"ttmetal-mistral-7b-v0.3.json", 7248023552, 0, 0}, Published{"ttmetal-phi-4.json", 14659507200, 0, 0},
        Published{"ttmetal-qwen3.5-27b.json", 27e9, 0, 0.005})); // published as 27B

TEST(Models, EveryFileThatShipsIsRead) {
  for (const auto& entry : std::filesystem::directory_iterator(SHIPPED)) {
    const auto model = read_model(entry.path().string());
    EXPECT_GT(count(model).total, 0) << entry.path();
  }
}

TEST(Models, EveryHuggingFaceSampleIsRead) {
  if (!std::filesystem::exists(SAMPLES))
    GTEST_SKIP() << SAMPLES << " is not here";
  for (const auto& entry : std::filesystem::directory_iterator(SAMPLES))
    EXPECT_NO_THROW((void)read_model(entry.path().string())) << entry.path();
}

// DeepSeek-V3's further layer for the token after the next: the 14e9 of its weights hold copies of embedding and
// output, 2 x 129280 x 7168 = 1.85e9, which are shared here.
TEST(Models, PredictionLayersAreCountedApart) {
  const std::string path = SAMPLES + "deepseek_R1_0528_config.json";
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << path << " is not here";
  EXPECT_NEAR(static_cast<double>(count(read_model(path)).prediction), 14e9 - 1.85e9, 0.05 * 14e9);
}

} // namespace
} // namespace tandem::workload
