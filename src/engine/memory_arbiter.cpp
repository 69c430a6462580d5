// Weights of the two memory streams; docs/models.md, "Arbitration".
#include "engine/memory_arbiter.h"

#include <algorithm>

namespace tandem::engine {

void MemoryArbiter::set_policy(model::Arbitration policy) {
  if (policy_ == policy)
    return;
  policy_ = policy;
  share_out(model::Stream::COMPUTE);
  share_out(model::Stream::COMMUNICATION);
}

void MemoryArbiter::add(const sg4::ExecPtr& access, model::Stream stream) {
  active_[static_cast<std::size_t>(stream)].push_back({access});
  share_out(stream);
}

void MemoryArbiter::remove(const sg4::ExecPtr& access) {
  for (const auto stream : {model::Stream::COMPUTE, model::Stream::COMMUNICATION}) {
    auto& list = active_[static_cast<std::size_t>(stream)];
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const Active& active) { return active.access == access; });
    if (found == list.end())
      continue;
    list.erase(found);
    share_out(stream);
    return;
  }
}

void MemoryArbiter::choose_threshold(double intensity) {
  threshold_ = 0;
  for (const auto& row : queue_.thresholds) {
    if (intensity < row.intensity)
      continue;
    threshold_ = row.entries;
    break;
  }
  share_out(model::Stream::COMMUNICATION);
}

double MemoryArbiter::communication_weight() const {
  // A queue serves each stream in proportion to the entries that the stream holds.
  const double depth = queue_.depth;
  double share = 1.0 - queue_.compute_entries / depth;
  if (policy_ == model::Arbitration::COMPUTE_FIRST && threshold_ != 0)
    share = std::min(share, std::max(std::max(threshold_, 0) / depth, queue_.starvation_share));
  share = std::clamp(share, 0.001, 0.999);
  return share / (1.0 - share);
}

void MemoryArbiter::share_out(model::Stream stream) {
  const auto weight_of_each = [this, stream] {
    if (policy_ == model::Arbitration::FAIR)
      return 1.0;
    const double weight = stream == model::Stream::COMPUTE ? 1.0 : communication_weight();
    return weight / static_cast<double>(active_[static_cast<std::size_t>(stream)].size());
  };
  auto& list = active_[static_cast<std::size_t>(stream)];
  const double now = weight_of_each();
  if (std::all_of(list.begin(), list.end(), [&](const Active& active) { return active.weight == now; }))
    return;
  // One call into SimGrid for all of them: at its begin other ranks' actors run, which may add and remove accesses
  // here, but not during it.
  simgrid::kernel::actor::simcall_answered([&] {
    const double each = weight_of_each();
    for (auto& [access, weight] : list) {
      if (weight == each)
        continue;
      weight = each;
      if (!is_over(*access)) // 3.32 crashes on the update of one that its actor has yet to collect
        access->update_priority(each);
    }
  });
}

} // namespace tandem::engine
