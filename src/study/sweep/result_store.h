// The results of a study in one SQLite file, which survives the death of its writer at any moment. docs/results.md has
// its tables.
#pragma once

#include "model/sweep_result.h"
#include "study/sweep/sqlite.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tandem::study {

/// What running a point gave.
struct PointAnswer {
  model::PointStatus status = model::PointStatus::PENDING;
  std::string command;                      ///< "train"
  int exit_code = 0;                        ///< of the command alone
  std::string reason;                       ///< its message, where it failed
  std::string csv;                          ///< its result as CSV, header first; empty where it failed
  std::string document;                     ///< and as JSON
  std::map<std::string, std::string> files; ///< digests of what it read, by path
  double work = 0.0;                        ///< as it was estimated
  double seconds = 0.0;                     ///< that it took
};

class ResultStore {
public:
  /// Opens or makes the file. Throws UserError: no folder, no permission, another file than a store, or a store of
  /// another version of Tandem's tables.
  explicit ResultStore(const std::string& path, Database::Mode mode = Database::Mode::CREATE);

  /// Replaces what the file says about the study: its points, and the view `results` of them. Answers stay.
  void describe(const model::SweepResult& study);

  /// The study as describe() was told it, filled. Throws UserError: none has been described here.
  [[nodiscard]] model::SweepResult study();

  /// How the point with this digest ended; PENDING where nobody knows.
  [[nodiscard]] model::PointStatus status(const std::string& digest);
  /// Durable when it returns: one transaction. Takes the place of an earlier answer.
  void put(const std::string& digest, const PointAnswer& answer);
  /// Fills status, reason, rows and document of each point that has an answer.
  void fill(model::SweepResult& study);
  /// Forgets answers of points that failed, so that they are PENDING.
  void forget_failed();
  /// Seconds that points of this command took for each unit of their estimated work; 0: none has been run.
  [[nodiscard]] double seconds_per_work(const std::string& command);
  /// Takes over the answers of another store, in one transaction: those that are not here, or had failed here.
  /// Returns how many. Throws UserError as the constructor.
  std::size_t absorb(const std::string& path);

  /// Whether the file begins as those of SQLite do; false for one that cannot be read.
  static bool is_database(const std::string& path);

private:
  void check_version();

  std::string path_;
  Database database_;
};

} // namespace tandem::study
