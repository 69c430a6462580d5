// Fuzzes the readers of other programs' plans; the first byte says whose: d(eepspeed), n(emo), else Megatron-LM.
#include "fuzz.h"
#include "workload/plans/plan_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0)
    return 0;
  const std::string name = data[0] == 'd' ? "plan.json" : data[0] == 'n' ? "plan.yaml" : "plan.sh";
  const std::string text(tandem::fuzz::text_of(data + 1, size - 1));
  tandem::fuzz::expect_answer_or_user_error([&] {
    const auto plan = tandem::workload::parse_plan_file(text, name);
    for (const auto& setting : plan.settings)
      tandem::fuzz::expect(setting.flag.compare(0, 2, "--") == 0, "a setting that is no flag");
    if (plan.model)
      (void)tandem::workload::language_model_of(*plan.model);
  });
  return 0;
}
