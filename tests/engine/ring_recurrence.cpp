// Derivation.
//
// A transfer of s bytes that the kernel handles at c bytes loaded and stored per byte starts when its input is there
// and the one before it on the channel is done. SM work, memory accesses and wire begin together, but the wire also
// waits until the receive is posted. Without limits from memory the SMs need c s / kernel_rate, the wire s / bandwidth,
// and the accesses are paced over the longer of the two, p:
//
//   start = max(input, done of the previous transfer)     wire_end = max(start, posted) + s / bandwidth
//   done  = max(wire_end, start + p)                      arrival  = done + latency
//
// A receive is posted once its rank has begun and the wire of the previous one has ended. (Near-memory: once the rank's
// kernel has been launched, as nobody may add to memory before.) c = 2 for a copy (load, store), 3 for a reduction of
// two inputs. Step k of a reduce-scatter sends chunk r - k - 1, of an all-gather chunk r - k, both to r + 1. After the
// reduce-scatter the SMs add the last arrival to the own chunk (c = 3), unless memory has done so.
#include "engine/ring_recurrence.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tandem::test {

using model::CollectiveKind;

namespace {

constexpr double COPY = 2.0, REDUCE = 3.0;

class Recurrence {
public:
  Recurrence(const RingModel& ring, const std::vector<double>& starts)
      : ring_(ring), starts_(starts), input_(starts), done_(starts), wire_end_(starts) {}

  void reduce_scatter() {
    launch();
    for (int step = 0; step < ring_.ranks - 1; ++step)
      send_all(step == 0 || ring_.near_memory ? COPY : REDUCE, -step - 1, ring_.near_memory);
    for (int rank = 0; rank < ring_.ranks && !ring_.near_memory; ++rank)
      input_[at(rank)] += REDUCE * chunk(rank) / ring_.kernel_rate;
  }

  void all_gather() {
    launch();
    for (int step = 0; step < ring_.ranks - 1; ++step)
      send_all(COPY, -step, false);
  }

  [[nodiscard]] std::vector<double> ends() const {
    std::vector<double> ends(input_);
    for (std::size_t rank = 0; rank < ends.size(); ++rank)
      ends[rank] = std::max(ends[rank], done_[rank]);
    return ends;
  }

private:
  [[nodiscard]] std::size_t at(int rank) const {
    return static_cast<std::size_t>((rank % ring_.ranks + ring_.ranks) % ring_.ranks);
  }
  /// Chunks end at floor(bytes (c + 1) / N).
  [[nodiscard]] double chunk(int which) const {
    const auto c = static_cast<double>(at(which));
    return std::floor(ring_.bytes * (c + 1.0) / ring_.ranks) - std::floor(ring_.bytes * c / ring_.ranks);
  }

  void launch() {
    for (auto& input : input_)
      input += ring_.launch_s;
    launched_ = input_;
  }

  void send_all(double loads_and_stores, int chunk_offset, bool posted_after_launch) {
    std::vector<double> arrivals(input_.size());
    for (int rank = 0; rank < ring_.ranks; ++rank) {
      const std::size_t from = at(rank), to = at(rank + 1);
      const double size = chunk(rank + chunk_offset), wire = size / ring_.bandwidth;
      const double pace = std::max(wire, loads_and_stores * size / ring_.kernel_rate);
      const double start = std::max(input_[from], done_[from]);
      const double posted = std::max(posted_after_launch ? launched_[to] : starts_[to], wire_end_[from]);
      wire_end_[from] = std::max(start, posted) + wire;
      done_[from] = std::max(wire_end_[from], start + pace);
      arrivals[to] = done_[from] + ring_.latency_s;
    }
    input_ = arrivals;
  }

  const RingModel& ring_;
  const std::vector<double>& starts_;
  std::vector<double> input_;    ///< per rank: what it sends next is there
  std::vector<double> done_;     ///< per rank: its last transfer is done
  std::vector<double> wire_end_; ///< per sender
  std::vector<double> launched_;
};

} // namespace

std::vector<double> ring_ends(const RingModel& ring, CollectiveKind kind, const std::vector<double>& starts) {
  if (ring.ranks == 1)
    return starts;
  Recurrence recurrence(ring, starts);
  if (kind != CollectiveKind::ALL_GATHER)
    recurrence.reduce_scatter();
  if (kind != CollectiveKind::REDUCE_SCATTER)
    recurrence.all_gather();
  return recurrence.ends();
}

double ring_time(const RingModel& ring, CollectiveKind kind) {
  if (ring.ranks == 1)
    return 0.0;
  const double chunk = ring.bytes / ring.ranks, steps = ring.ranks - 1;
  const auto transfer = [&](double loads_and_stores) {
    return std::max(chunk / ring.bandwidth, loads_and_stores * chunk / ring.kernel_rate) + ring.latency_s;
  };
  const double gather = ring.launch_s + steps * transfer(COPY);
  const double scatter = ring.near_memory ? gather
                                          : ring.launch_s + transfer(COPY) + (steps - 1.0) * transfer(REDUCE) +
                                                REDUCE * chunk / ring.kernel_rate;
  switch (kind) {
  case CollectiveKind::REDUCE_SCATTER:
    return scatter;
  case CollectiveKind::ALL_GATHER:
    return gather;
  case CollectiveKind::ALL_REDUCE:
    return scatter + gather;
  default:
    throw std::logic_error("no ring for " + model::to_string(kind));
  }
}

} // namespace tandem::test
