// Looking things up in a communication library.
#include "model/library.h"

#include <algorithm>

namespace tandem::model {

Protocol Protocol::shared_by(int flows, int network_flows) const {
  Protocol shared = *this;
  for (std::size_t medium = 0; medium < MEDIA; ++medium) {
    const int sharers = medium == static_cast<std::size_t>(Medium::NETWORK) ? network_flows : flows;
    shared.hops[medium].rate = base::BytesPerSecond(hops[medium].rate.value() / std::max(1, sharers));
  }
  return shared;
}

const Protocol* Library::find(const std::string& algorithm, const std::string& protocol) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const LibraryEntry& entry) {
    return entry.algorithm == algorithm && entry.protocol.name == protocol;
  });
  return found == entries.end() ? nullptr : &found->protocol;
}

} // namespace tandem::model
