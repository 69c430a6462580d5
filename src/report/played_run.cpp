// Indexing of records and channels, with the checks that make the drawing safe.
#include "report/played_run.h"

#include "base/error.h"

#include <fmt/format.h>

namespace tandem::report {

using model::OpKind;

PlayedRun::PlayedRun(const TimelineRun& run) : run_(run) {
  if (!run.recording || !run.cluster)
    throw base::Bug("a timeline without a recording or a cluster");
  if (run.recording->items.size() != run.items.size() || run.item_names.size() != run.items.size())
    throw base::Bug(fmt::format("a timeline of {} schedules and {} names for a recording of {} items", run.items.size(),
                                run.item_names.size(), run.recording->items.size()));
  for (const model::Schedule* schedule : run.items) {
    if (schedule->ranks != run.recording->ranks)
      throw base::Bug(
          fmt::format("a schedule of {} ranks in a recording of {}", schedule->ranks, run.recording->ranks));
    bytes_.emplace_back(*schedule);
  }
  index_records();
  index_channels();
}

void PlayedRun::index_records() {
  std::size_t count = 0;
  for (std::uint32_t item = 0; item < items(); ++item) {
    std::vector<std::size_t>& offsets = offsets_.emplace_back();
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
      offsets.push_back(count);
      count += program(item, rank).ops.size();
    }
  }
  records_.assign(count, nullptr);
  for (const model::OpRecord& record : run_.recording->ops) {
    if (record.item >= items() || record.rank >= ranks() || record.op >= program(record.item, record.rank).ops.size())
      throw base::Bug(fmt::format("a record of operation {} of rank {} in item {}, which was not played", record.op,
                                  record.rank, record.item));
    const model::OpRecord*& slot = records_[number({record.item, record.rank, record.op})];
    if (slot)
      throw base::Bug(
          fmt::format("two records of operation {} of rank {} in item {}", record.op, record.rank, record.item));
    slot = &record;
  }
  if (run_.recording->ops.size() != count)
    throw base::Bug(fmt::format("a timeline needs a record of each of {} operations, and there are {}", count,
                                run_.recording->ops.size()));
}

void PlayedRun::index_channels() {
  for (std::uint32_t item = 0; item < items(); ++item) {
    std::vector<ProgramChannels>& programs = channels_.emplace_back();
    for (const model::Program& program : schedule(item).programs) {
      ProgramChannels& channels = programs.emplace_back();
      channels.place.assign(program.ops.size(), 0);
      std::map<Channel, std::uint32_t> received;
      for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
        const model::Op& op = program.ops[i];
        const Channel channel{schedule(item).peer(0, op.peer), op.channel};
        if (op.kind == OpKind::TRANSFER) {
          channels.transfers[channel].push_back(i);
          ++channels.sent;
        } else if (op.kind == OpKind::RECV) {
          channels.place[i] = received[channel]++;
          ++channels.received;
        }
      }
    }
    // Each receive has a transfer of its own (sender() sees to it), so equal sums leave no transfer without one.
    std::size_t sent = 0, received = 0;
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
      const std::size_t which = schedule(item).program_of.empty() ? 0 : schedule(item).program_of[rank];
      sent += programs[which].sent;
      received += programs[which].received;
    }
    if (sent != received)
      throw base::Bug(fmt::format("item {} has {} transfers and {} receives", item, sent, received));
  }
}

OpRef PlayedRun::sender(OpRef receive) const {
  const model::Schedule& played = schedule(receive.item);
  const auto program_of = [&](std::uint32_t rank) -> std::size_t {
    return played.program_of.empty() ? 0 : played.program_of[rank];
  };
  const std::uint32_t from = peer(receive);
  const auto offset = static_cast<std::int32_t>(receive.rank) - static_cast<std::int32_t>(from);
  const Channel channel{played.peer(0, offset), op(receive).channel};
  const auto& transfers = channels_[receive.item][program_of(from)].transfers;
  const auto found = transfers.find(channel);
  const std::uint32_t place = channels_[receive.item][program_of(receive.rank)].place[receive.op];
  if (found == transfers.end() || place >= found->second.size())
    throw base::Bug(fmt::format("operation {} of rank {} in item {} receives what rank {} does not send", receive.op,
                                receive.rank, receive.item, from));
  return {receive.item, from, found->second[place]};
}

} // namespace tandem::report
