// Fuzzes the reader of device files; every value that it accepts is printed and read back.
#include "fuzz.h"
#include "platform/devices.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tandem::fuzz::MemoryFile file;
  file.write(data, size);
  tandem::fuzz::expect_answer_or_user_error([] {
    const tandem::model::Device device = tandem::platform::read_device(file.path());
    tandem::model::Device again = device;
    for (const auto& key : tandem::platform::device_keys()) {
      const std::string value = key.get(device);
      if (value.empty())
        continue;
      key.set(again, value);
      tandem::fuzz::expect(key.get(again) == value, "a value that reads back as another one");
    }
  });
  return 0;
}
