// Fuzzes verify() with proven schedules that the input changes: it answers, whatever the schedule.
#include "collective/strategy.h"
#include "collective/verify.h"
#include "fuzz.h"
#include "platform/platform.h"
#include "schedule_mutator.h"

#include <map>
#include <tuple>

namespace {

using tandem::model::CollectiveKind;
using tandem::model::Schedule;

/// The plan of a strategy for so many ranks, empty where it has none; each is made once.
const std::optional<Schedule>& proven(std::size_t strategy, int ranks) {
  static std::map<std::tuple<std::size_t, int>, std::optional<Schedule>> plans;
  static const auto cluster = tandem::platform::read_cluster(TANDEM_SOURCE_DIR "/platforms/t3-ring-8.xml",
                                                             {TANDEM_SOURCE_DIR "/platforms/devices"});
  auto& plan = plans[{strategy, ranks}];
  if (plan)
    return plan;
  const auto selection = tandem::collective::select_strategy(tandem::collective::strategies()[strategy].name);
  tandem::collective::Request request;
  request.producer = tandem::model::Gemm{.m = 512, .n = 640, .k = 256};
  request.op = {.kind = CollectiveKind::ALL_REDUCE, .ranks = ranks, .bytes = request.producer->output()};
  if (!selection.strategy->why_not(request, cluster).empty())
    request.producer.reset(); // it may be for a collective on its own
  if (selection.strategy->why_not(request, cluster).empty())
    plan = selection.strategy->plan(request, cluster);
  return plan;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider bytes(data, size);
  const auto last = tandem::collective::strategies().size() - 1;
  const auto strategy = bytes.ConsumeIntegralInRange<std::size_t>(0, last);
  const auto& plan = proven(strategy, bytes.ConsumeIntegralInRange<int>(1, 8));
  if (plan)
    (void)tandem::collective::verify(tandem::fuzz::ScheduleMutator(*plan, bytes).run());
  return 0;
}
