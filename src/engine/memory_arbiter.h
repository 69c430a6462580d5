// Shares one HBM between the compute and the communication stream, as the memory queue does.
#pragma once

#include "engine/simgrid.h"
#include "model/device.h"
#include "model/schedule.h"

#include <array>
#include <vector>

namespace tandem::engine {

/// Keeps the weights of the accesses in flight on one HBM. A stream's weight is shared by its accesses, so that it does
/// not grow with their number; with FAIR arbitration every access weighs 1. Where no schedule of a job wants another
/// one than FAIR there is no need to call add().
class MemoryArbiter {
public:
  explicit MemoryArbiter(const model::Device& device) : queue_(device.queue) {}

  /// Gives the accesses in flight the weights that they have under it.
  void set_policy(model::Arbitration policy);
  /// Call once the access has started: until start() returns SimGrid says that it has not, and another actor could not
  /// change its weight.
  void add(const sg4::ExecPtr& access, model::Stream stream);
  /// Call when an access that add() kept has ended.
  void remove(const sg4::ExecPtr& access);
  /// Compute-first: picks the threshold for a kernel whose first stage kept the memory busy for `intensity` of its
  /// time.
  void choose_threshold(double intensity);
  /// Queue entries that communication may hold; 0: no limit; -1: not chosen yet.
  [[nodiscard]] int threshold() const { return threshold_; }
  /// Weight of the communication stream against a compute stream of 1.
  [[nodiscard]] double communication_weight() const;

private:
  struct Active {
    sg4::ExecPtr access;
    double weight = 1.0; ///< as SimGrid starts it
  };
  void share_out(model::Stream stream);

  const model::MemoryQueue& queue_;
  model::Arbitration policy_ = model::Arbitration::FAIR;
  int threshold_ = -1;
  std::array<std::vector<Active>, 2> active_;
};

} // namespace tandem::engine
