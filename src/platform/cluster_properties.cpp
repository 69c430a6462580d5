// One row per property.
#include "platform/cluster_properties.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace tandem::platform {

namespace {

using base::in_quotes;
using base::UserError;

bool read_truth(const std::string& text) {
  if (text != "true" && text != "false")
    throw UserError(base::unknown_word("truth value", text, {"true", "false"}));
  return text == "true";
}

const ClusterProperty* find(const std::string& name) {
  const auto& all = cluster_properties();
  const auto found = std::ranges::find(all, name, &ClusterProperty::name);
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const auto& property : cluster_properties())
    list.push_back(property.name);
  return list;
}

} // namespace

const std::vector<ClusterProperty>& cluster_properties() {
  static const std::vector<ClusterProperty> properties = {
      {"in_switch_reduction", "true or false, default false",
       "whether the switch between the GPUs of a node can add what they send (NVLS)",
       [](auto& p, const auto& text) { p.in_switch_reduction = read_truth(text); }},
      {"fabric_in_switch_reduction", "true or false, default false",
       "whether the switches between nodes can add what they are sent (SHARP)",
       [](auto& p, const auto& text) { p.fabric_in_switch_reduction = read_truth(text); }},
  };
  return properties;
}

ClusterProperties read_cluster_properties(const Element& zone) {
  ClusterProperties result;
  std::set<std::string> seen;
  for (const Element& child : zone.children()) {
    if (child.tag() != "prop")
      continue;
    const std::string name = child.text("id");
    const ClusterProperty* const known = find(name);
    if (known == nullptr) {
      if (const auto meant = base::nearest(name, names()); !meant.empty())
        child.fail_at("id", fmt::format("{} is no property of Tandem's (did you mean '{}'?)", in_quotes(name), meant));
      continue;
    }
    if (!seen.insert(name).second)
      child.fail_at("id", fmt::format("property {} is given twice", in_quotes(name)));
    child.read("value", [&](const std::string& text) { return known->set(result, text), 0; });
  }
  return result;
}

} // namespace tandem::platform
