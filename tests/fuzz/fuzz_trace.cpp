// Fuzzes the reader of timelines, and what the page makes of them.
#include "fuzz.h"
#include "report/page_timeline.h"

#include <nlohmann/json.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(tandem::fuzz::text_of(data, size));
  tandem::fuzz::expect_answer_or_user_error([&text] {
    const auto slices = tandem::report::read_trace(text, "fuzz.json");
    tandem::fuzz::expect(!slices.tracks.empty(), "a timeline without slices");
    for (const auto& track : slices.tracks) {
      tandem::report::Nanoseconds before = 0;
      for (const auto& slice : track.slices) {
        tandem::fuzz::expect(slice.begin >= before && slice.length >= 0, "slices out of order");
        tandem::fuzz::expect(slice.kind < slices.kinds.size(), "a slice of no kind");
        before = slice.begin;
      }
    }
    (void)tandem::report::page_timeline(slices);
  });
  return 0;
}
