// What crossed the links of a machine, and the link that was used most of what it can carry.
#pragma once

#include "model/cluster.h"
#include "model/medium.h"
#include "model/recording.h"

#include <array>
#include <string>

namespace tandem::model {

struct LinkUse {
  /// By Medium, per GPU (mean over the ranks): bytes as they cross links, each counted on every link that it crosses.
  std::array<double, MEDIA> bytes{};
  /// The link with the highest utilisation, the first of equals (to 1e-9); empty: no link that flows share carried
  /// anything. Each flow has all of a FATPIPE link, which so is never full.
  std::string busiest;
  Medium busiest_medium = Medium::OTHER;
  double busiest_bytes = 0.0; ///< that crossed it
  double utilisation = 0.0;   ///< of the busiest: bytes / (bandwidth x seconds), 0..1

  [[nodiscard]] double at(Medium medium) const { return bytes[static_cast<std::size_t>(medium)]; }
  [[nodiscard]] double total() const;
};

/// When what was recorded took `seconds`, `times` as often: an iteration is one of several. The same whether ranks were
/// folded or not.
LinkUse link_use(const Recording& recording, const Cluster& cluster, double seconds, double times = 1.0);

} // namespace tandem::model
