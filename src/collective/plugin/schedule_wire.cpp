// The fields of a schedule, once for both ways.
#include "collective/plugin/schedule_wire.h"

#include "collective/plugin/wire.h"

namespace tandem::collective {

namespace {

using Edges = std::vector<model::Dag::Edge>;

Edges edges_of(const model::Dag& dag) {
  Edges edges;
  edges.reserve(dag.edges());
  for (std::uint32_t node = 0; node < dag.size(); ++node)
    for (const auto successor : dag.successors(node))
      edges.emplace_back(node, successor);
  return edges;
}

} // namespace

template <class Wire> void fields(Wire& wire, Like<model::Span> auto& span) {
  wire(span.first, span.count, span.run, span.stride);
}

template <class Wire> void fields(Wire& wire, Like<model::Effect> auto& effect) {
  wire(effect.sources);
  wire.choice(effect.target, model::Buffer::SCRATCH);
  wire(effect.update, effect.span, effect.from, effect.to);
}

template <class Wire> void fields(Wire& wire, Like<model::Traffic> auto& traffic) {
  wire.choice(traffic.account, model::Phase::OTHER);
  wire.choice(traffic.access, model::Access::UPDATE);
  wire(traffic.per_span, traffic.fixed);
}

template <class Wire> void fields(Wire& wire, Like<model::Op> auto& op) {
  wire.choice(op.kind, model::OpKind::TRIGGER);
  wire.choice(op.leg, model::Leg::FROM_SWITCH);
  wire.choice(op.phase, model::Phase::OTHER);
  wire.choice(op.stream, model::Stream::COMMUNICATION);
  wire(op.first_stage_end, op.label, op.channel, op.peer, op.sms, op.acquires, op.releases);
  wire(op.delay, op.sm_seconds, op.sm_bytes_per_span, op.wire_factor, op.traffic, op.peer_traffic, op.effect);
}

template <class Wire> void fields(Wire& wire, Like<model::Resource> auto& resource) {
  wire(resource.name, resource.capacity);
  wire.choice(resource.when_full, model::WhenFull::SPILL);
  wire(resource.spill_bytes);
}

template <class Wire> void fields(Wire& wire, Like<model::Protocol> auto& protocol) {
  wire(protocol.name, protocol.base);
  for (auto& hop : protocol.hops)
    wire(hop.latency, hop.wire_factor, hop.rate);
}

template <class Wire> void fields(Wire& wire, Like<model::Dag::Edge> auto& edge) {
  wire(edge.first, edge.second);
}

void fields(WireWriter& wire, const model::Program& program) {
  wire(program.ops, edges_of(program.dag));
}

void fields(WireReader& wire, model::Program& program) {
  Edges edges;
  wire(program.ops, edges);
  const auto nodes = static_cast<std::uint32_t>(program.ops.size());
  for (const auto& [from, to] : edges)
    if (from >= nodes || to >= nodes)
      WireReader::fail();
  program.dag = model::Dag(nodes, edges);
}

template <class Wire> void fields(Wire& wire, Like<model::Schedule> auto& schedule) {
  wire(schedule.strategy, schedule.algorithm, schedule.choice, schedule.ranks, schedule.pieces_per_chunk,
       schedule.scratch, schedule.piece_bytes, schedule.programs);
  wire(schedule.program_of, schedule.labels, schedule.resources, schedule.tracker, schedule.protocol);
  wire.choice(schedule.arbitration, model::Arbitration::COMPUTE_FIRST);
  wire.choice(schedule.goal, model::CollectiveKind::BARRIER);
  wire(schedule.root, schedule.in_place, schedule.produces, schedule.adds_in_switch, schedule.ideal);
}

std::string to_wire(const model::Schedule& schedule) {
  WireWriter wire;
  wire(schedule);
  return wire.bytes();
}

model::Schedule schedule_from_wire(const std::string& bytes) {
  WireReader wire(bytes);
  model::Schedule schedule;
  wire(schedule);
  wire.end();
  return schedule;
}

} // namespace tandem::collective
