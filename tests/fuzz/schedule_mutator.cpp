// One small change per turn; enumerators stay within their type, all else may become anything.
#include "schedule_mutator.h"

#include <limits>
#include <utility>

namespace tandem::fuzz {

using model::Dag;
using model::Op;
using model::Program;

namespace {

std::vector<Dag::Edge> edges_of(const Dag& dag) {
  std::vector<Dag::Edge> edges;
  for (std::uint32_t node = 0; node < dag.size(); ++node)
    for (const auto successor : dag.successors(node))
      edges.emplace_back(node, successor);
  return edges;
}

} // namespace

model::Schedule ScheduleMutator::run() {
  while (bytes_.remaining_bytes() > 0) {
    const auto what = bytes_.ConsumeIntegralInRange<int>(0, 15);
    if (what == 0)
      change_schedule();
    else if (what == 1)
      change_resource();
    else if (what < 7)
      change_program();
    else if (!schedule_.programs.empty()) {
      auto& ops = schedule_.programs[number() % schedule_.programs.size()].ops;
      if (!ops.empty())
        change_op(ops[bytes_.ConsumeIntegral<std::uint16_t>() % ops.size()]);
    }
  }
  return std::move(schedule_);
}

std::uint32_t ScheduleMutator::number() {
  return bytes_.ConsumeBool() ? bytes_.ConsumeIntegralInRange<std::uint32_t>(0, 40)
                              : bytes_.ConsumeIntegral<std::uint32_t>();
}

double ScheduleMutator::cost() {
  constexpr double INFINITE = std::numeric_limits<double>::infinity();
  constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();
  return bytes_.PickValueInArray({0.0, 1.0, 2.0, 1e-6, 1e9, 0.5, -1.0, 1e308, 5e-324, INFINITE, NOT_A_NUMBER});
}

void ScheduleMutator::change_schedule() {
  switch (bytes_.ConsumeIntegralInRange<int>(0, 10)) {
  case 9:
    schedule_.scratch = bytes_.ConsumeIntegralInRange<std::uint32_t>(0, 64);
    break;
  case 0:
    schedule_.ranks = static_cast<int>(number());
    break;
  case 1:
    schedule_.pieces_per_chunk = number();
    break;
  case 2:
    schedule_.piece_bytes.resize(bytes_.ConsumeIntegralInRange<std::size_t>(0, 256));
    break;
  case 3:
    if (!schedule_.piece_bytes.empty())
      schedule_.piece_bytes[number() % schedule_.piece_bytes.size()] = cost();
    break;
  case 4:
    schedule_.program_of.resize(bytes_.ConsumeIntegralInRange<std::size_t>(0, 16));
    break;
  case 5:
    if (!schedule_.program_of.empty())
      schedule_.program_of[number() % schedule_.program_of.size()] = number();
    break;
  case 6:
    schedule_.labels.resize(bytes_.ConsumeIntegralInRange<std::size_t>(0, 64));
    break;
  case 7:
    schedule_.tracker = bytes_.ConsumeBool() ? std::optional<int>(static_cast<int>(number())) : std::nullopt;
    break;
  case 8:
    schedule_.goal = bytes_.ConsumeBool()
                         ? std::optional(static_cast<model::CollectiveKind>(bytes_.ConsumeIntegralInRange<int>(0, 3)))
                         : std::nullopt;
    break;
  default:
    schedule_.produces = !schedule_.produces;
  }
}

void ScheduleMutator::change_resource() {
  if (schedule_.resources.empty() || bytes_.ConsumeIntegralInRange<int>(0, 3) == 0) {
    schedule_.resources.push_back({"slots", static_cast<int>(number()), model::WhenFull::BLOCK, {}});
    return;
  }
  auto& resource = schedule_.resources[number() % schedule_.resources.size()];
  if (bytes_.ConsumeBool())
    resource.capacity = static_cast<int>(number());
  else
    resource.when_full = bytes_.ConsumeBool() ? model::WhenFull::BLOCK : model::WhenFull::SPILL;
}

void ScheduleMutator::change_program() {
  constexpr std::size_t MOST_OPS = 4096; // of a changed schedule: growth is not what is sought
  if (schedule_.programs.empty() || bytes_.ConsumeIntegralInRange<int>(0, 15) == 0) {
    schedule_.programs.push_back(schedule_.programs.empty() ? Program{} : schedule_.programs.front());
    return;
  }
  Program& program = schedule_.programs[number() % schedule_.programs.size()];
  auto edges = edges_of(program.dag);
  auto size = static_cast<std::uint32_t>(program.ops.size());
  const auto any = [&] { return bytes_.ConsumeIntegral<std::uint16_t>() % size; };
  switch (bytes_.ConsumeIntegralInRange<int>(0, 4)) {
  case 0:
    if (size > 0)
      edges.emplace_back(any(), any());
    break;
  case 1:
    if (!edges.empty())
      edges.erase(edges.begin() + bytes_.ConsumeIntegral<std::uint16_t>() % static_cast<std::ptrdiff_t>(edges.size()));
    break;
  case 2:
    if (size > 0) {
      const auto a = any(), b = any();
      std::swap(program.ops[a], program.ops[b]);
    }
    break;
  case 3:
    if (size > 0 && size < MOST_OPS) {
      const Op copied = program.ops[any()];
      program.ops.push_back(copied);
      ++size;
      edges.emplace_back(any(), size - 1);
    }
    break;
  default:
    if (size > 0) { // the last operation goes, with what waits for it
      program.ops.pop_back();
      --size;
      std::erase_if(edges, [&](const Dag::Edge& edge) { return edge.first >= size || edge.second >= size; });
    }
  }
  program.dag = Dag(size, edges);
}

void ScheduleMutator::change_op(Op& op) {
  switch (bytes_.ConsumeIntegralInRange<int>(0, 8)) {
  case 0:
    op.kind = static_cast<model::OpKind>(bytes_.ConsumeIntegralInRange<int>(0, 3));
    break;
  case 1:
    op.peer = static_cast<std::int32_t>(number());
    break;
  case 2:
    op.channel = static_cast<std::uint16_t>(number());
    break;
  case 3:
    op.label = static_cast<std::uint16_t>(number());
    break;
  case 4:
    op.acquires = static_cast<std::int16_t>(number());
    break;
  case 5:
    op.releases = static_cast<std::int16_t>(number());
    break;
  case 6:
    change_cost(op);
    break;
  default:
    change_data(op);
  }
}

void ScheduleMutator::change_data(Op& op) {
  const auto place = [&] { return bytes_.ConsumeBool() ? std::optional(number()) : std::nullopt; };
  switch (bytes_.ConsumeIntegralInRange<int>(0, 6)) {
  case 0:
    op.effect.sources = static_cast<model::Sources>(number());
    break;
  case 1:
    op.effect.target = static_cast<model::Buffer>(bytes_.ConsumeIntegralInRange<int>(0, 3));
    break;
  case 2:
    op.effect.update = !op.effect.update;
    break;
  case 3:
    op.effect.span.first = number();
    break;
  case 4:
    op.effect.from = place();
    break;
  case 5:
    op.effect.to = place();
    break;
  default:
    op.effect.span.count = number();
  }
}

void ScheduleMutator::change_cost(Op& op) {
  switch (bytes_.ConsumeIntegralInRange<int>(0, 4)) {
  case 0:
    op.delay = model::Seconds(cost());
    break;
  case 1:
    op.sm_seconds = cost();
    break;
  case 2:
    op.sm_bytes_per_span = cost();
    break;
  case 3:
    op.sms = static_cast<std::uint16_t>(number());
    break;
  default:
    op.traffic.push_back({model::Phase::RS, model::Access::READ, cost(), model::Bytes(cost())});
  }
}

} // namespace tandem::fuzz
