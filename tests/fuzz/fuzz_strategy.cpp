// Fuzzes the selection of a strategy; what is selected says whether it can run, plans, and its plan is proven.
#include "collective/strategy.h"
#include "collective/verify.h"
#include "fuzz.h"
#include "platform/platform.h"

namespace {

using tandem::model::Cluster;

void select_and_plan(const std::string& text) {
  if (!tandem::collective::plugin_file(text).empty())
    return; // nothing is loaded that happens to lie about
  static const Cluster cluster = tandem::platform::read_cluster(TANDEM_SOURCE_DIR "/platforms/t3-ring-4.xml",
                                                                {TANDEM_SOURCE_DIR "/platforms/devices"});
  const auto selection = tandem::collective::select_strategy(text);
  tandem::collective::Request request;
  request.producer = tandem::model::Gemm{.m = 768, .n = 640, .k = 256};
  request.op = {.kind = tandem::model::CollectiveKind::ALL_REDUCE, .bytes = tandem::base::Bytes(768.0 * 640 * 2)};
  if (selection.strategy->why_not(request, cluster).empty())
    tandem::fuzz::expect(tandem::collective::verify(selection.strategy->plan(request, cluster)).empty(),
                         "a plan that is not proven");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(tandem::fuzz::text_of(data, size));
  tandem::fuzz::expect_answer_or_user_error([&text] { select_and_plan(text); });
  return 0;
}
