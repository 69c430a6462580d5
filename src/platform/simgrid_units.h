// Numbers of a SimGrid XML file, with SimGrid's units: more than base/units.h has, and a bare number has a default
// unit.
#pragma once

#include "base/units.h"
#include "model/cluster.h"

#include <string>
#include <vector>

namespace tandem::platform {

/// 150GBps, 100Gbps, 1GiBps; a bare number is bytes per second. Above zero. Throws UserError, as all readers here.
base::BytesPerSecond read_bandwidth(const std::string& text);
/// 500ns, 2us, 1ms, 3s, also ps m h d w; a bare number is seconds. Zero or more.
base::Seconds read_latency(const std::string& text);
/// 1.5Tf, 10Gf, 3megaflops, or several separated by commas, one per power state; a bare number is flop/s. Above zero.
std::vector<base::FlopsPerSecond> read_speeds(const std::string& text);
/// "0-3,8" is 0 1 2 3 8; at most a million numbers.
std::vector<int> read_radical(const std::string& text);

/// Units of each kind, for the documentation; the first is that of a bare number.
std::vector<base::UnitTable> simgrid_unit_tables();

} // namespace tandem::platform
