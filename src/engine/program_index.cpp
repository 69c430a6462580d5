// Collects the channels and resource queues of a program.
#include "engine/program_index.h"

#include <map>

namespace tandem::engine {

ProgramIndex::ProgramIndex(const model::Schedule& schedule, const model::Program& program)
    : channel_of(program.ops.size(), 0), acquirers(schedule.resources.size()) {
  using Key = std::pair<std::int32_t, std::uint16_t>;
  std::map<Key, std::uint32_t> known_out, known_in;
  for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
    const auto& described = program.ops[op];
    if (described.acquires >= 0)
      acquirers[static_cast<std::size_t>(described.acquires)].push_back(op);
    const bool sends = described.kind == model::OpKind::TRANSFER;
    if (!sends && described.kind != model::OpKind::RECV)
      continue;
    auto& channels = sends ? outgoing : incoming;
    auto& known = sends ? known_out : known_in;
    // Offsets that name the same peer are one channel: -1 and ranks - 1.
    const Key key{schedule.peer(0, described.peer), described.channel};
    const auto [entry, added] = known.try_emplace(key, static_cast<std::uint32_t>(channels.size()));
    if (added)
      channels.push_back({key.first, key.second, {}});
    channels[entry->second].ops.push_back(op);
    channel_of[op] = entry->second;
  }
}

} // namespace tandem::engine
