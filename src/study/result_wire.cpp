// Answers as JSON with every digit; only processes of one run talk it.
#include "study/result_wire.h"

#include "base/error.h"
#include "study/energy_wire.h"
#include "study/link_wire.h"

#include <nlohmann/json.hpp>

namespace tandem::model {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ResourceUse, name, capacity, peak, spills)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DramSummary, gemm_read, gemm_write, rs_read, rs_write, ag_read, ag_write, other_read,
                                   other_write)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GemmSplit, compute_s, memory_s, launch_s, waiting_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ItemTime, name, kind, time_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CaseResult, model, tp, sublayer, phase, platform, strategy, ideal, time_s, gemm_s,
                                   rs_s, ag_s, compute_s, exposed_s, idle_s, gemm_split, other_s, speedup,
                                   lower_bound_s, dram, links, items, limit, algorithm, resources, memory_intensity,
                                   queue_threshold, played_gpus, assumed, notes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PhaseTimes, used, begin_s, end_s, busy_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankItem, begin_s, end_s, compute_s, exposed_s, idle_s, phases)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OpRecord, rank, item, op, begin_s, end_s)

} // namespace tandem::model

namespace tandem::study {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Answer, result, ranks, items, ops)

std::string to_wire(const Answer& answer) {
  nlohmann::json json(answer);
  json["energy"] = energy_wire(answer.result.energy);
  return json.dump();
}

Answer from_wire(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    auto answer = json.get<Answer>();
    answer.result.energy = from_energy_wire(json.at("energy"));
    return answer;
  } catch (const nlohmann::json::exception& error) {
    throw base::Bug(std::string("a simulation's answer cannot be read: ") + error.what());
  }
}

} // namespace tandem::study
