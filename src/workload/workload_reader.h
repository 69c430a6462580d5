// Reads a workload file (YAML): models at tensor-parallel degrees and single GEMMs become cases of kernels and
// collectives.
#pragma once

#include "model/workload.h"

#include <string>
#include <vector>

namespace tandem::workload {

/// One key of the workload format: what the reader accepts and what docs/inputs.md prints.
struct KeyInfo {
  std::string level; ///< "" for the top of the file, else the list whose entries hold it: "models", "gemms"
  std::string name;
  std::string type;
  bool required = false;
  std::string fallback; ///< value of a key that is absent, as the user would write it; empty: no value
  std::string help;
  long long minimum = 0, maximum = 0; ///< range of a whole number
  std::vector<std::string> allowed;   ///< words that are accepted; empty: any
};

/// Every key of every level, in the order in which a file would hold them. The reader accepts these and nothing else.
const std::vector<KeyInfo>& workload_keys();

/// Cases in the order models x tp x (sublayers, layers), then gemms x tp. Strategy names and platform files are kept as
/// written (the path made relative to the workload's folder); who uses them checks them. Throws UserError with
/// file:line:column: unreadable file, bad YAML, unknown or repeated key, a value that is out of range or does not
/// divide.
model::Workload read_workload(const std::string& path);

/// The same for text that is already in memory; `file` is the name in messages and the place that the platform's path
/// is relative to.
model::Workload parse_workload(const std::string& text, const std::string& file);

} // namespace tandem::workload
