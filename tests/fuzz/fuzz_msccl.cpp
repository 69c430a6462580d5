// Fuzzes the reader of MSCCL files; what it reads is proven or refused, and written and read back as the same.
#include "collective/msccl/reader.h"
#include "collective/msccl/schedule.h"
#include "collective/msccl/strategy.h"
#include "fuzz.h"

namespace {

/// Files that ask for much memory in few bytes are valid and take their time: not what is sought here.
bool asks_for_much(std::string_view text) {
  int digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 3)
      return true;
  }
  return false;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tandem::fuzz::MemoryFile file, again;
  if (asks_for_much(tandem::fuzz::text_of(data, size)))
    return 0;
  file.write(data, size);
  tandem::fuzz::expect_answer_or_user_error([] {
    const auto algorithm = tandem::collective::msccl::read_algorithm(file.path());
    const auto text = tandem::collective::msccl::to_xml(algorithm);
    again.write(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    tandem::fuzz::expect(tandem::collective::msccl::to_xml(tandem::collective::msccl::read_algorithm(again.path())) ==
                             text,
                         "an algorithm that reads back as another one");
    (void)tandem::collective::msccl::file_strategy(file.path()).make({{"sms", "1"}});
  });
  return 0;
}
