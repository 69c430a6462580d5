// Runs the built program as a user does: arguments, files, environment in; exit code and text out.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tandem::app {

using Files = std::map<std::string, std::string>; ///< name -> text

/// A folder of its own below the system's temporary folder; gone at the end.
class Folder {
public:
  Folder();
  explicit Folder(const Files& files);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const;
  /// Empty when there is no such file.
  [[nodiscard]] std::string read(const std::string& name) const;
  /// Names of all that is inside, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

private:
  std::filesystem::path path_;
};

/// One call of the program.
struct Call {
  std::vector<std::string> arguments;
  std::string folder = "/";                                        ///< working directory
  std::map<std::string, std::optional<std::string>> environment{}; ///< over the test's own; none: unset
  std::string output{};                                            ///< file that stdout goes to; empty: it is caught
  bool terminal = false;                                           ///< stderr is a terminal
  std::optional<uid_t> user{};                                     ///< run as this user
  int interrupt_after_ms = -1;                                     ///< send SIGINT then; negative: never
  bool interrupt_group = false;                                    ///< to its children too, as Ctrl-C does
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

/// Whole text of a file; empty when it cannot be read.
std::string text_of(const std::string& path);

} // namespace tandem::app
