// Fuzzes the reader of nccl-tests logs.
#include "fuzz.h"
#include "workload/nccl_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(tandem::fuzz::text_of(data, size));
  tandem::fuzz::expect_answer_or_user_error([&text] {
    const auto log = tandem::workload::parse_nccl_log(text, "fuzz.log");
    tandem::fuzz::expect(!log.rows.empty(), "a log without rows");
    for (const auto& row : log.rows)
      tandem::fuzz::expect(row.time_s >= 0.0, "a negative time");
  });
  return 0;
}
