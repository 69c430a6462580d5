// How a structured cluster is drawn: the fabric as a tower from the nodes upwards, and which network card a GPU uses.
#pragma once

#include "model/cluster.h"
#include "report/table.h"

#include <string>

namespace tandem::report {

/// Empty when the cluster has no fabric.
std::string fabric_text(const model::Cluster& cluster, const Layout& layout);

/// The network cards of the first node with the hosts that use them; empty when there are none.
std::string nics_text(const model::Cluster& cluster, const Layout& layout);

/// Of a host or link of the first node: without "node0." where there are several nodes.
std::string name_in_node(const model::Cluster& cluster, const std::string& name);

} // namespace tandem::report
