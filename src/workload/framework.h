// Frameworks: what the host of a GPU takes to issue the work of one that runs operator by operator.
#pragma once

#include "model/host_issue.h"
#include "workload/workload_reader.h"

#include <string>
#include <vector>

namespace tandem::workload {

/// A file, or the name of one in `folders` (NAME.yaml). Throws UserError with the place, or the nearest name.
model::HostIssue find_framework(const std::string& name, const std::vector<std::string>& folders);

/// What a framework's file may say. Also the source of docs/inputs.md.
const std::vector<KeyInfo>& framework_keys();

} // namespace tandem::workload
