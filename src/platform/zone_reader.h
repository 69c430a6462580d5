// From checked XML elements to the builder: zones, hosts, links, routes and <cluster>.
#pragma once

#include "platform/platform_builder.h"
#include "platform/xml.h"

#include <map>
#include <optional>
#include <string>

namespace tandem::platform {

/// A <zone>, <AS> or <cluster> with all that is inside of it.
void read_zone(PlatformBuilder& builder, std::optional<ZoneId> parent, const Element& element);

/// A <cluster>, that is a zone of routing Cluster with its hosts and links named as SimGrid names them.
void read_cluster_tag(PlatformBuilder& builder, std::optional<ZoneId> parent, const Element& element);

/// The <prop> children; a name that is nearly one of `ours` is taken for a slip of the pen.
std::map<std::string, std::string> read_properties(const Element& element, const std::vector<std::string>& ours);

/// `core`, 1 when absent.
int read_cores(const Element& element);

} // namespace tandem::platform
