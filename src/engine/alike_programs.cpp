// Compares programs operation by operation, those of one fingerprint.
#include "engine/alike_programs.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace tandem::engine {

namespace {

using model::Op;

bool same_traffic(const std::vector<model::Traffic>& a, const std::vector<model::Traffic>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const model::Traffic& x, const model::Traffic& y) {
    return x.account == y.account && x.access == y.access && x.per_span == y.per_span && x.fixed == y.fixed;
  });
}

bool same_pieces(const model::Span& a, const model::Span& b) {
  return a.first == b.first && a.same_shape(b);
}

/// All that the engine looks at but the peer, for which the channel stands, and the pieces.
auto plain_fields(const Op& op) {
  return std::tuple(op.kind, op.leg, op.phase, op.stream, op.first_stage_end, op.sms, op.acquires, op.releases,
                    op.repeats, op.latency.has_value(), op.latency.value_or(model::Seconds()).value(), op.delay.value(),
                    op.pace.value(), op.sm_seconds, op.wire_factor, op.sm_bytes_per_span,
                    op.effect.sources & model::FRESH, op.effect.span.count);
}

class Programs {
public:
  Programs(const model::Schedule& schedule, const std::vector<ProgramIndex>& indices)
      : schedule_(schedule), indices_(indices) {
    const auto& pieces = schedule.piece_bytes;
    are_pieces_alike_ = std::all_of(pieces.begin(), pieces.end(), [&](double one) { return one == pieces.front(); });
  }

  [[nodiscard]] std::uint64_t fingerprint(std::uint32_t program) const {
    const auto& ops = schedule_.programs[program].ops;
    std::uint64_t sum = ops.size();
    for (std::uint32_t op = 0; op < ops.size(); ++op) {
      const std::hash<double> hash;
      sum = sum * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(ops[op].kind) +
            (indices_[program].channel_of[op] << 3U) + hash(ops[op].sm_seconds) + hash(ops[op].sm_bytes_per_span);
    }
    return sum;
  }

  [[nodiscard]] bool are_alike(std::uint32_t a, std::uint32_t b) const {
    const auto &one = schedule_.programs[a], &other = schedule_.programs[b];
    if (one.ops.size() != other.ops.size() || indices_[a].channel_of != indices_[b].channel_of)
      return false;
    for (std::uint32_t op = 0; op < one.ops.size(); ++op)
      if (!are_ops_alike(one.ops[op], other.ops[op]) ||
          !std::ranges::equal(one.dag.successors(op), other.dag.successors(op)))
        return false;
    return true;
  }

private:
  [[nodiscard]] bool are_ops_alike(const Op& a, const Op& b) const {
    return plain_fields(a) == plain_fields(b) && (are_pieces_alike_ || same_pieces(a.effect.span, b.effect.span)) &&
           same_traffic(a.traffic, b.traffic) && same_traffic(a.peer_traffic, b.peer_traffic);
  }

  const model::Schedule& schedule_;
  const std::vector<ProgramIndex>& indices_;
  bool are_pieces_alike_ = true;
};

} // namespace

std::vector<std::uint32_t> alike_programs(const model::Schedule& schedule, const std::vector<ProgramIndex>& indices) {
  const Programs programs(schedule, indices);
  std::map<std::uint64_t, std::vector<std::uint32_t>> known; // programs that are unlike, by fingerprint
  std::vector<std::uint32_t> first;
  for (std::uint32_t program = 0; program < schedule.programs.size(); ++program) {
    auto& candidates = known[programs.fingerprint(program)];
    const auto same = std::find_if(candidates.begin(), candidates.end(),
                                   [&](std::uint32_t other) { return programs.are_alike(program, other); });
    first.push_back(same == candidates.end() ? program : *same);
    if (same == candidates.end())
      candidates.push_back(program);
  }
  return first;
}

} // namespace tandem::engine
