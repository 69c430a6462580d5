// Runs the built program as a user does: arguments, files, environment in; exit code and text out.
#pragma once

#include "temporary_files.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tandem::app {

using tests::Files;
using tests::Folder;
using tests::text_of;

/// One call of the program.
struct Call {
  std::vector<std::string> arguments;
  std::string folder = "/";                                        ///< working directory
  std::map<std::string, std::optional<std::string>> environment{}; ///< over the test's own; none: unset
  std::string output{};                                            ///< file that stdout goes to; empty: it is caught
  bool terminal = false;                                           ///< stderr is a terminal
  std::optional<uid_t> user{};                                     ///< run as this user
  int interrupt_after_ms = -1;  ///< send SIGINT so long after it is handled; negative: never
  bool interrupt_group = false; ///< to its children too, as Ctrl-C does
};

struct Outcome {
  int code = -1;         ///< exit code; -1 when it did not exit
  int signal = 0;        ///< that ended it
  bool too_long = false; ///< was ended after TIME_LIMIT_S
  std::string out, err;
  double seconds = 0.0;
};

constexpr double TIME_LIMIT_S = 20.0; ///< a sanitized program gets ten times as much

/// TANDEM_DEVICES leads to the repository's catalogue unless `environment` says otherwise.
Outcome run(const Call& call);

/// A file of the repository.
std::string repository(const std::string& name);

} // namespace tandem::app
