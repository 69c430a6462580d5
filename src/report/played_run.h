// A run ready to be drawn: its operations by rank, each receive with the transfer that it waits for.
#pragma once

#include "report/timeline.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tandem::report {

/// One operation of one rank.
struct OpRef {
  std::uint32_t item = 0, rank = 0, op = 0;
  bool operator==(const OpRef&) const = default;
};

class PlayedRun {
public:
  /// Throws Bug unless every operation was recorded once and every transfer has its receive. `run` must outlive this.
  explicit PlayedRun(const TimelineRun& run);

  [[nodiscard]] const TimelineRun& run() const { return run_; }
  [[nodiscard]] std::uint32_t ranks() const { return static_cast<std::uint32_t>(run_.recording->ranks); }
  [[nodiscard]] std::uint32_t items() const { return static_cast<std::uint32_t>(run_.items.size()); }
  [[nodiscard]] const model::Schedule& schedule(std::uint32_t item) const { return *run_.items[item]; }
  [[nodiscard]] const model::Program& program(std::uint32_t item, std::uint32_t rank) const {
    return schedule(item).program(static_cast<int>(rank));
  }
  [[nodiscard]] const model::Op& op(OpRef ref) const { return program(ref.item, ref.rank).ops[ref.op]; }
  [[nodiscard]] const std::string& label(OpRef ref) const { return schedule(ref.item).labels[op(ref).label]; }
  [[nodiscard]] const model::OpRecord& record(OpRef ref) const { return *records_[number(ref)]; }
  /// Position among all operations of the run: an id.
  [[nodiscard]] std::size_t number(OpRef ref) const { return offsets_[ref.item][ref.rank] + ref.op; }
  [[nodiscard]] std::size_t size() const { return records_.size(); }
  /// Bytes of the operation's span.
  [[nodiscard]] double bytes(OpRef ref) const {
    return bytes_[ref.item](static_cast<int>(ref.rank), op(ref).effect.span);
  }
  [[nodiscard]] std::uint32_t peer(OpRef ref) const {
    return static_cast<std::uint32_t>(schedule(ref.item).peer(static_cast<int>(ref.rank), op(ref).peer));
  }
  /// The transfer that a RECV waits for: as many transfers of its channel come before it as receives before the RECV.
  [[nodiscard]] OpRef sender(OpRef receive) const;

private:
  using Channel = std::pair<int, std::uint16_t>; ///< peer as an offset in [0, ranks), channel
  /// Transfers by channel, and per RECV how many of its channel come before it.
  struct ProgramChannels {
    std::map<Channel, std::vector<std::uint32_t>> transfers;
    std::vector<std::uint32_t> place;
    std::size_t sent = 0, received = 0;
  };

  void index_records();
  void index_channels();

  const TimelineRun& run_;
  std::vector<model::SpanBytes> bytes_;                ///< per item
  std::vector<std::vector<std::size_t>> offsets_;      ///< [item][rank]
  std::vector<const model::OpRecord*> records_;        ///< by number()
  std::vector<std::vector<ProgramChannels>> channels_; ///< [item][program]
};

} // namespace tandem::report
