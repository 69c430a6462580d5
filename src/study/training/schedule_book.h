// The schedules of a training job: every kernel block and every collective is planned and proven once, whatever uses
// it.
#pragma once

#include "model/cluster.h"
#include "model/host_issue.h"
#include "model/job.h"
#include "model/kernel.h"
#include "model/kernel_cost.h"
#include "study/granularity.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace tandem::study {

/// A strategy per dimension, as the user wrote them; what is not named has study::default_strategy().
using DimensionStrategies = std::map<model::Dimension, std::string>;

/// "ring", or "tp=t3-mca,dp=ring+zfp:rate=8". Throws UserError: an unknown dimension or strategy with the nearest
/// match.
DimensionStrategies read_dimension_strategies(const std::string& text);

/// A collective of one dimension, possibly fused with the GEMM before or behind it.
struct CollectiveUse {
  model::Dimension dimension = model::Dimension::OTHER;
  model::CollectiveOp op{};
  std::optional<model::Gemm> producer{}; ///< offered to the strategy; whether it was taken is in the answer
  std::optional<model::Gemm> consumer{}; ///< works on what is gathered; only where fuses() is true
};

/// What a schedule's time is for: its collective, or kernels with their shares of it.
struct SchedulePart {
  std::string what; ///< "GEMM", "tp all-reduce", "GEMM with tp reduce-scatter"
  bool is_kernel = false;
  double share = 1.0;
};
using ScheduleParts = std::vector<SchedulePart>;

/// "norm ... FC-1"; its only kernel's name.
std::string name_of_block(const std::vector<model::Kernel>& kernels);

class ScheduleBook {
public:
  /// `cluster` outlives the book. The schedules say what `host` takes to issue them.
  ScheduleBook(const model::Cluster& cluster, DimensionStrategies strategies, Granularity granularity,
               model::HostIssue host = {})
      : cluster_(cluster), strategies_(std::move(strategies)), granularity_(granularity), host_(std::move(host)) {}

  struct Entry {
    std::uint32_t schedule = 0;
    bool fused = false; ///< the schedule also runs the producer or the consumer
  };
  /// One lumped kernel for `kernels`, one after the other: their SM work and traffic, spread evenly over the time that
  /// they take alone. Those that were measured take their time whatever runs beside them. Where the host is behind, all
  /// of it waits until no kernel has to: it ends when it would if each waited for itself.
  std::uint32_t kernels(const std::vector<model::Kernel>& kernels);
  /// Takes so long and uses nothing of the GPU; booked as communication of Dimension::OTHER.
  std::uint32_t waiting(const std::string& what, model::Seconds time);
  /// Takes no time.
  std::uint32_t nothing() { return kernels({}); }
  /// Whether the dimension's strategy runs the collective and the GEMM that it was offered as one.
  [[nodiscard]] bool fuses(const CollectiveUse& use, const std::vector<std::uint32_t>& members) const;
  /// Planned for `members`, ranks of the cluster. Throws Infeasible when the dimension's strategy cannot do it.
  Entry collective(const CollectiveUse& use, const std::vector<std::uint32_t>& members);

  /// Precondition: the number is an entry's.
  [[nodiscard]] const model::Schedule& schedule(std::uint32_t number) const { return *schedules_[number]; }
  [[nodiscard]] std::vector<std::shared_ptr<const model::Schedule>> take() { return std::move(schedules_); }
  /// Of each schedule. Shares sum to 1.
  [[nodiscard]] std::vector<ScheduleParts> take_parts() { return std::move(parts_); }
  /// "tp all-reduce behind its GEMM: t3" and the like: what was used for what, one line per dimension and operation.
  /// Where flows were asked for and the schedule does not allow them, it says so.
  [[nodiscard]] const std::set<std::string>& used() const { return used_; }
  [[nodiscard]] const std::set<std::string>& assumed() const { return assumed_; }

private:
  std::uint32_t add(model::Schedule schedule, ScheduleParts parts);
  /// Of a GEMM, whose tiles take time to choose, once for all that are alike.
  model::KernelCost cost_of(const model::Kernel& kernel);
  std::uint32_t plan(const std::string& strategy, const CollectiveUse& use, bool fused, const model::Cluster& group);

  const model::Cluster& cluster_;
  DimensionStrategies strategies_;
  Granularity granularity_;
  model::HostIssue host_;
  std::vector<std::shared_ptr<const model::Schedule>> schedules_;
  std::vector<ScheduleParts> parts_;
  using GemmKey = std::tuple<model::Gemm, double, double, int>; ///< what its cost depends on, of one device
  std::map<GemmKey, model::KernelCost> gemm_costs_;
  std::map<std::string, std::uint32_t> kernels_;
  std::map<std::string, Entry> collectives_;
  std::set<std::string> used_, assumed_;
};

} // namespace tandem::study
