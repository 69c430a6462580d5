// Names of media.
#include "model/medium.h"

#include "base/error.h"

#include <vector>

namespace tandem::model {

namespace {

struct NamedMedium {
  Medium medium;
  const char* name;
};

constexpr NamedMedium NAMES[] = {{Medium::NVLINK, "nvlink"},
                                 {Medium::XGMI, "xgmi"},
                                 {Medium::PCIE, "pcie"},
                                 {Medium::NETWORK, "network"},
                                 {Medium::OTHER, "other"}};

} // namespace

std::string medium_name(Medium medium) {
  for (const auto& known : NAMES)
    if (known.medium == medium)
      return known.name;
  throw base::Bug("a medium without a name");
}

Medium medium_of(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& known : NAMES) {
    if (known.name == name)
      return known.medium;
    names.emplace_back(known.name);
  }
  throw base::UserError(base::unknown_word("medium", name, names));
}

} // namespace tandem::model
