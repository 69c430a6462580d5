// Fuzzes the reader of workload files.
#include "fuzz.h"
#include "workload/workload_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(tandem::fuzz::text_of(data, size));
  tandem::fuzz::expect_answer_or_user_error([&text] {
    const auto workload = tandem::workload::parse_workload(text, "fuzz.yaml");
    tandem::fuzz::expect(!workload.cases.empty() && !workload.strategies.empty(), "a workload without anything to run");
    for (const auto& one : workload.cases) {
      tandem::fuzz::expect(one.tp >= 1 && !one.items.empty() && !one.platform.empty(), "a case without its parts");
      for (const auto& item : one.items)
        if (item.gemm)
          tandem::fuzz::expect(item.gemm->m > 0 && item.gemm->n > 0 && item.gemm->k > 0, "an empty GEMM");
    }
  });
  return 0;
}
