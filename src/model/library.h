// What a communication library costs on a machine, beyond the bytes on the links: launches, hand-overs, and how much of
// a link its kernels fill.
#pragma once

#include "base/units.h"
#include "model/medium.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace tandem::model {

/// One way for the kernels of two ranks to hand data over (NCCL's LL, LL128 and Simple).
struct Protocol {
  std::string name;
  /// From the start of the collective to its first message: launch and set-up. In place of Device::kernel_launch.
  base::Seconds base{};
  struct Hop {
    base::Seconds latency{};     ///< of a message, beside the latency of its route
    double wire_factor = 1.0;    ///< bytes on the links per byte of data: flags, headers
    bool is_known = false;       ///< the library has costs over this medium
    base::BytesPerSecond rate{}; ///< of data that a rank sends, of all its messages together (through a
                                 ///< NIC: of all through it); 0: the links alone limit
  };
  std::array<Hop, MEDIA> hops{}; ///< by Medium

  [[nodiscard]] const Hop& over(Medium medium) const { return hops[static_cast<std::size_t>(medium)]; }
  /// The same for a rank whose messages share its rate: `flows` side by side within a node, `network_flows` through a
  /// NIC.
  [[nodiscard]] Protocol shared_by(int flows, int network_flows) const;
};

/// An algorithm of the library with one of its protocols.
struct LibraryEntry {
  std::string algorithm; ///< "ring", "tree", "nvls", "direct"
  Protocol protocol;
};

struct Library {
  std::string name;
  std::string file;
  std::string source;            ///< where the numbers come from
  int sms = 0;                   ///< of a collective's kernel; 0: all
  base::Seconds host_issue{};    ///< that a process needs to start a collective on one of its GPUs
  base::Seconds host_per_peer{}; ///< more of it for each peer of an all-to-all, which is a group of sends
  std::vector<LibraryEntry> entries;

  /// Null when the library has no such pair.
  [[nodiscard]] const Protocol* find(const std::string& algorithm, const std::string& protocol) const;
};

} // namespace tandem::model
