// Media in one order, from the node outwards.
#include "report/link_report.h"

#include "report/csv.h"
#include "report/numbers.h"

#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tandem::report {

using model::LinkUse;
using model::Medium;

namespace {

constexpr std::array OUTWARDS{Medium::NVLINK, Medium::XGMI, Medium::PCIE, Medium::NETWORK, Medium::OTHER};

} // namespace

std::string busiest_link_text(const LinkUse& links) {
  if (links.busiest.empty())
    return {};
  return fmt::format("{} ({}), {:.1f} % used", links.busiest, model::medium_name(links.busiest_medium),
                     100.0 * links.utilisation);
}

nlohmann::ordered_json links_json(const LinkUse& links) {
  nlohmann::ordered_json json;
  for (const auto medium : OUTWARDS)
    json["link_bytes"][model::medium_name(medium)] = links.at(medium);
  json["busiest_link"] = nullptr;
  json["busiest_link_bytes"] = nullptr;
  json["busiest_link_utilisation"] = nullptr;
  if (!links.busiest.empty()) {
    json["busiest_link"] = links.busiest;
    json["busiest_link_bytes"] = links.busiest_bytes;
    json["busiest_link_utilisation"] = links.utilisation;
  }
  return json;
}

std::vector<std::string> link_columns() {
  std::vector<std::string> names;
  for (const auto medium : OUTWARDS)
    names.push_back(model::medium_name(medium) + "_link_bytes");
  names.insert(names.end(), {"busiest_link", "busiest_link_bytes", "busiest_link_utilisation"});
  return names;
}

std::vector<std::string> link_fields(const LinkUse& links) {
  std::vector<std::string> fields;
  for (const auto medium : OUTWARDS)
    fields.push_back(number(links.at(medium)));
  if (links.busiest.empty())
    fields.resize(fields.size() + 3);
  else
    fields.insert(fields.end(), {csv_field(links.busiest), number(links.busiest_bytes), number(links.utilisation)});
  return fields;
}

} // namespace tandem::report
