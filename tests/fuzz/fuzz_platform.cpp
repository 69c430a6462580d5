// Fuzzes the reader of platform files and the routes that it answers for.
#include "fuzz.h"
#include "platform/platform.h"

#include <algorithm>
#include <vector>

namespace {

/// Files that name many hosts in few bytes are valid and take their time: not what is sought here.
bool names_many_hosts(std::string_view text) {
  int digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 3 && text.find("radical") != std::string_view::npos)
      return true;
  }
  return false;
}

void ask_routes(const tandem::model::Cluster& cluster) {
  constexpr std::uint32_t MOST = 12; // half of them the first, the others the last, which may be of other nodes
  const auto all = static_cast<std::uint32_t>(cluster.hosts.size());
  std::vector<std::uint32_t> hosts;
  for (std::uint32_t host = 0; host < std::min(all, MOST); ++host)
    hosts.push_back(host < MOST / 2 ? host : all - 1 - (host - MOST / 2));
  for (const std::uint32_t from : hosts) {
    for (const std::uint32_t to : hosts) {
      const auto route = cluster.router->route(tandem::model::HostId(from), tandem::model::HostId(to));
      if (!route)
        continue;
      for (const auto link : route->links)
        tandem::fuzz::expect(link.index < cluster.links.size(), "a route over a link that does not exist");
      tandem::fuzz::expect(route->latency.value() >= 0.0, "a negative latency");
      tandem::fuzz::expect((from == to) == route->links.empty(), "a route without links between two hosts");
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tandem::fuzz::MemoryFile file;
  if (names_many_hosts(tandem::fuzz::text_of(data, size)))
    return 0;
  file.write(data, size);
  tandem::fuzz::expect_answer_or_user_error(
      [] { ask_routes(tandem::platform::read_cluster(file.path(), {TANDEM_SOURCE_DIR "/platforms/devices"})); });
  return 0;
}
