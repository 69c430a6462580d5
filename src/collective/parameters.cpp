// Values of strategy parameters.
#include "collective/parameters.h"

#include "base/error.h"
#include "base/units.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::collective {

int whole_parameter(const Parameters& parameters, const std::string& name, int minimum, int maximum) {
  try {
    return static_cast<int>(base::parse_integer(parameters.at(name), minimum, maximum));
  } catch (const base::UserError& error) {
    throw base::UserError("parameter " + name + ": " + error.what());
  }
}

void check_sms(int sms, const model::Cluster& cluster) {
  const auto& device = *cluster.gpus.front().device;
  if (sms > device.sms)
    throw base::UserError(fmt::format("parameter sms: {} is more than the {} SMs of {} (platform {})", sms, device.sms,
                                      device.name, cluster.name));
}

std::string word_parameter(const Parameters& parameters, const std::string& name,
                           const std::vector<std::string>& allowed) {
  const auto& found = parameters.at(name);
  if (std::find(allowed.begin(), allowed.end(), found) == allowed.end())
    throw base::UserError(base::unknown_word("value of parameter " + name, found, allowed));
  return found;
}

} // namespace tandem::collective
