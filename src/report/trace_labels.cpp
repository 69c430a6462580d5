// Names and arguments of slices.
#include "report/trace_labels.h"

#include "base/error.h"

#include <numeric>

namespace tandem::report {

using model::Access;
using model::OpKind;
using model::Phase;

const char* phase_word(Phase phase) {
  switch (phase) {
  case Phase::GEMM:
    return "GEMM";
  case Phase::RS:
    return "RS";
  case Phase::AG:
    return "AG";
  case Phase::OTHER:
    return "other";
  }
  throw base::Bug("unnamed phase");
}

std::string op_verb(const model::Op& op) {
  if (op.kind == OpKind::TRANSFER)
    return "send";
  if (op.kind == OpKind::RECV)
    return "receive";
  if (op.kind == OpKind::TRIGGER)
    return "trigger";
  if (op.sms > 0)
    return "compute";
  if (op.traffic.empty())
    return "launch";
  switch (op.traffic.front().access) {
  case Access::READ:
    return "read";
  case Access::WRITE:
    return "write";
  case Access::UPDATE:
    return "update";
  }
  throw base::Bug("unnamed access");
}

TraceArgs op_args(const PlayedRun& run, OpRef ref) {
  static constexpr const char* ACCESSES[] = {"dram_read_bytes", "dram_write_bytes", "dram_update_bytes"};
  const model::Op& op = run.op(ref);
  TraceArgs args;
  args.add("phase", phase_word(op.phase)).add("operation", ref.op);
  const double bytes = run.bytes(ref);
  if (bytes > 0.0)
    args.add("bytes", bytes);
  if (op.kind == OpKind::TRANSFER)
    args.add("to_rank", run.peer(ref)).add("channel", op.channel);
  else if (op.kind == OpKind::RECV)
    args.add("from_rank", run.peer(ref)).add("channel", op.channel);
  if (op.sms > 0)
    args.add("sms", op.sms);
  for (const Access access : {Access::READ, Access::WRITE, Access::UPDATE}) {
    double sum = 0.0;
    for (const model::Traffic& part : op.traffic)
      if (part.access == access)
        sum += part.per_span * bytes + part.fixed.value();
    if (sum > 0.0)
      args.add(ACCESSES[static_cast<std::size_t>(access)], sum);
  }
  return args;
}

TraceArgs phase_args(const PlayedRun& run, std::uint32_t item, std::uint32_t rank, Phase phase) {
  const model::Schedule& schedule = run.schedule(item);
  const model::PhaseTimes& times = run.run().recording->items[item][rank].phases[static_cast<std::size_t>(phase)];
  TraceArgs args;
  args.add("item", run.run().item_names[item]).add("busy_s", times.busy_s);
  if (!schedule.goal || (phase != Phase::RS && phase != Phase::AG))
    return args;
  const double whole = std::accumulate(schedule.piece_bytes.begin(), schedule.piece_bytes.end(), 0.0);
  const double chunk = model::SpanBytes(schedule)(static_cast<int>(rank), {0, schedule.pieces_per_chunk});
  const bool scatter = phase == Phase::RS;
  args.add("Collective name", scatter ? "_reduce_scatter_base" : "_allgather_base")
      .add("dtype", "Byte")
      .add("In msg nelems", scatter ? whole : chunk)
      .add("Out msg nelems", scatter ? chunk : whole)
      .add("Group size", schedule.ranks)
      .add("Rank", rank);
  return args;
}

} // namespace tandem::report
