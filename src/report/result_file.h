// A results file (JSON) read back: what was simulated, and where its time went.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tandem::report {

using NamedTimes = std::vector<std::pair<std::string, double>>; ///< seconds

/// One simulated thing: an iteration under some strategies, a case of `compare`, a size of `collective`.
struct ResultEntry {
  std::string name;     ///< `what` and `strategy`
  std::string what;     ///< "T-NLG 8 FC-2 forward", "1048576 B"; empty for an iteration
  std::string strategy; ///< as asked for
  double time_s = 0.0;
  double tokens = 0.0;           ///< of an iteration; 0: the file says nothing of them
  NamedTimes terms;              ///< sum to time_s; empty where the file has none
  NamedTimes path;               ///< the critical path; empty where the file has none
  std::vector<std::string> used; ///< what collectives used
};

struct ResultFile {
  std::string file;
  std::string command;                       ///< that wrote it: "train", "compare", "collective"
  std::map<std::string, std::string> inputs; ///< model, plan, settings, digests: "configuration.tp" = "8"
  std::vector<ResultEntry> entries;
};

/// Reads JSON that `train`, `compare` or `collective` wrote. Throws UserError with the file (and line): not readable,
/// not JSON, not a result of these, a value that is missing or of another kind.
ResultFile read_result_file(const std::string& file);

} // namespace tandem::report
