// Fuzzes the reader of platform files and the routes that it answers for.
#include "fuzz.h"
#include "platform/platform.h"

#include <algorithm>

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
  const auto hosts = static_cast<std::uint32_t>(std::min<std::size_t>(cluster.hosts.size(), 12));
  for (std::uint32_t from = 0; from < hosts; ++from) {
    for (std::uint32_t to = 0; to < hosts; ++to) {
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
