// Platform files for people: what `tandem platform show` and `tandem platform check` print.
#pragma once

#include "model/cluster.h"
#include "report/table.h"

#include <string>
#include <vector>

namespace tandem::report {

/// Hosts, GPUs with their numbers and sources, links, bandwidth between ring neighbours, example routes and, up to 16
/// GPUs, the bottleneck bandwidth between each pair.
std::string platform_show(const model::Cluster& cluster, const Layout& layout = {120, 2, false});

/// What may surprise a user, one sentence each: no GPUs, GPUs of several types, pairs without a route, other bandwidth
/// there than back, links that no route between GPUs uses. Up to 64 GPUs every ordered pair is looked at; beyond,
/// those of pairs_to_check().
std::vector<std::string> platform_warnings(const model::Cluster& cluster);

/// "ok: ..." with counts, or "read, with warnings: ..." and the warnings, a line each.
std::string platform_check(const model::Cluster& cluster, const Layout& layout = {120, 2, false});

} // namespace tandem::report
