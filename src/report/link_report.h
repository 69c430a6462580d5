// Link traffic in words, in JSON and in columns, the same wherever it is shown.
#pragma once

#include "model/link_use.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tandem::report {

/// "node0.port0_UP (network), 97.3 % used"; empty where no link carried anything.
std::string busiest_link_text(const model::LinkUse& links);

/// `link_bytes` by medium, `busiest_link`, `busiest_link_bytes` and `busiest_link_utilisation`; the latter three null
/// where no link carried anything.
nlohmann::ordered_json links_json(const model::LinkUse& links);

/// Names of the columns of a CSV, and their fields.
std::vector<std::string> link_columns();
std::vector<std::string> link_fields(const model::LinkUse& links);

} // namespace tandem::report
