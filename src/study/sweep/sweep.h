// Runs the points of a study that have no answer yet, in processes of their own, and keeps each answer at once.
#pragma once

#include "model/sweep_result.h"
#include "study/sweep/result_store.h"
#include "study/sweep/study_points.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tandem::study {

/// What is known of a command line before it runs.
struct PointInputs {
  std::map<std::string, std::string> files; ///< digests of all that it reads, by path
  double work = 0.0;                        ///< estimate of its cost, to be compared with that of other points
  std::string csv_header;
};

/// What a command line gives.
struct PointOutput {
  std::string csv, document;
};

/// The program's commands, which a study knows nothing of.
struct PointRunner {
  CheckWords check;
  std::function<PointInputs(const std::vector<std::string>& words)> inputs; ///< throws UserError
  std::function<PointOutput(const std::vector<std::string>& words)> run;    ///< in a process of its own
};

/// Every `count`-th point, from the `index`-th on.
struct Shard {
  std::size_t index = 0, count = 1;
  [[nodiscard]] bool has(std::size_t point) const { return point % count == index; }
};

/// A study whose points are known with all that their results depend on.
struct PreparedStudy {
  model::SweepResult result;                   ///< all points, PENDING, or INFEASIBLE by the study itself
  std::vector<std::vector<std::string>> words; ///< by point
  std::vector<PointInputs> inputs;             ///< by point
};

/// Reads what the points read. The digest of a point is that of its command line, of the contents of its files and of
/// the program's version. Throws UserError with the place in the study.
PreparedStudy prepare(const Study& study, const std::vector<std::string>& extra_words, const PointRunner& runner,
                      const std::string& version);

/// The points of a shard.
PreparedStudy part_of(const PreparedStudy& study, const Shard& shard);

/// What a progress bar shows.
struct SweepProgress {
  std::size_t done = 0, failed = 0, all = 0; ///< points that had no answer at the start; done with those that failed
  double work_done = 0.0, work_all = 0.0;
};

struct SweepOptions {
  int jobs = 0;
  std::function<void(const SweepProgress&)> progress;
};

/// Runs the points that have no answer in the store, or failed, the dearest first. Throws Interrupted on SIGINT: what
/// has ended is in the store.
void run_points(const PreparedStudy& study, const PointRunner& runner, ResultStore& store, const SweepOptions& options);

} // namespace tandem::study
