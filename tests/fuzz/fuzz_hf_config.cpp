// Fuzzes the reader of Hugging Face configurations.
#include "fuzz.h"
#include "workload/model_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(tandem::fuzz::text_of(data, size));
  tandem::fuzz::expect_answer_or_user_error([&text] {
    const auto model = tandem::workload::parse_hf_config(text, "config.json");
    tandem::fuzz::expect(!model.layers.empty() && !model.kinds.empty(), "a model without layers");
    for (const int kind : model.layers)
      tandem::fuzz::expect(kind >= 0 && static_cast<std::size_t>(kind) < model.kinds.size(), "a layer of no kind");
  });
  return 0;
}
