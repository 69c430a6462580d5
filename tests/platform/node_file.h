// A platform file of one node of a cluster, and routes between its GPUs by rank.
#pragma once

#include "model/cluster.h"

#include <fmt/format.h>
#include <string>

namespace tandem::platform {

inline const std::string PLATFORMS = TANDEM_SOURCE_DIR "/platforms";
inline const std::string CATALOGUE = PLATFORMS + "/devices";

/// A node of `gpus` GPUs, each with a card of its own and a wire to it, around a hub; properties on lines 3 and on.
inline std::string node_text(const std::string& properties, int gpus) {
  std::string text = "<platform version='4.1'><zone id='z' routing='Floyd'>\n" + properties + "\n";
  for (int g = 0; g < gpus; ++g)
    text += fmt::format("<host id='g{0}' speed='114.688Tf'><prop id='device' value='t3-gpu'/>"
                        "<prop id='nic' value='n{0}'/></host><router id='n{0}'/>",
                        g);
  text += "<router id='hub'/>";
  for (int g = 0; g < gpus; ++g)
    text += fmt::format("<link id='w{0}' bandwidth='100GBps' latency='1us' sharing_policy='SPLITDUPLEX'/>"
                        "<link id='c{0}' bandwidth='50GBps' latency='2us' sharing_policy='SPLITDUPLEX'/>",
                        g);
  for (int g = 0; g < gpus; ++g)
    text += fmt::format("<route src='g{0}' dst='hub'><link_ctn id='w{0}' direction='UP'/></route>"
                        "<route src='g{0}' dst='n{0}'><link_ctn id='c{0}' direction='UP'/></route>",
                        g);
  return text + "</zone></platform>";
}

inline model::Route route_of(const model::Cluster& cluster, int from, int to) {
  return cluster.route(model::Rank(static_cast<std::uint32_t>(from)), model::Rank(static_cast<std::uint32_t>(to)));
}

} // namespace tandem::platform
