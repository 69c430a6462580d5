// Spans, program building, and totals of recordings.
#include "model/schedule.h"

#include "base/error.h"
#include "model/recording.h"

#include <algorithm>

namespace tandem::model {

SpanBytes::SpanBytes(const Schedule& schedule) : schedule_(schedule) {
  const auto& pieces = schedule.piece_bytes;
  if (!pieces.empty() && std::all_of(pieces.begin(), pieces.end(), [&](double one) { return one == pieces.front(); })) {
    all_alike_ = pieces.front();
    return;
  }
  prefix_.assign(pieces.size() + 1, 0.0);
  for (std::size_t piece = 0; piece < pieces.size(); ++piece)
    prefix_[piece + 1] = prefix_[piece] + pieces[piece];
}

double SpanBytes::operator()(int rank, Span span) const {
  const std::size_t pieces = schedule_.piece_bytes.size();
  if (span.count == 0 || pieces == 0)
    return 0.0;
  if (all_alike_) // not a difference of sums, which would depend on the rank in the last digits
    return *all_alike_ * span.count;
  const std::size_t run = span.run == 0 ? span.count : span.run;
  std::size_t first = schedule_.first_piece(rank, span);
  double sum = 0.0;
  for (std::size_t runs = span.count / run; runs > 0; --runs, first = (first + span.stride) % pieces) {
    const std::size_t end = first + run;
    sum += end <= pieces ? prefix_[end] - prefix_[first] : prefix_[pieces] - prefix_[first] + prefix_[end - pieces];
  }
  return sum;
}

OpId ProgramBuilder::add(Op op, std::initializer_list<OpId> after) {
  return add(std::move(op), std::vector<OpId>(after));
}

OpId ProgramBuilder::add(Op op, const std::vector<OpId>& after) {
  const OpId id(size());
  ops_.push_back(std::move(op));
  for (const OpId on : after)
    depend(id, on);
  return id;
}

void ProgramBuilder::depend(OpId op, OpId on) {
  edges_.emplace_back(on.index, op.index);
}

Program ProgramBuilder::build() {
  const std::uint32_t nodes = size();
  for (const auto& [from, to] : edges_)
    if (from >= nodes || to >= nodes)
      throw base::Bug("a dependency names an operation that does not exist");
  ops_.shrink_to_fit(); // the program stays, and may be one of many
  return {std::move(ops_), Dag(nodes, edges_)};
}

double DramBytes::total() const {
  double sum = 0.0;
  for (const auto& account : bytes)
    for (const double access : account)
      sum += access;
  return sum;
}

} // namespace tandem::model
