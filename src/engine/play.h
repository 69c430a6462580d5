// The door to the engine: plays schedules on a simulated machine and returns what happened.
#pragma once

#include "model/cluster.h"
#include "model/job.h"
#include "model/recording.h"
#include "model/schedule.h"

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace tandem::engine {

/// Whether one rank is played for all that do the same. AUTO: where that halves what is to be played at least.
enum class Fold : std::uint8_t { OFF, ON, AUTO };

/// What there is to play, known before it begins.
struct Load {
  int ranks = 0;
  int classes = 0;              ///< of ranks, each played once
  std::uint64_t operations = 0; ///< of all that are played
};

/// How far a simulation has come.
struct Progress {
  double simulated_s = 0.0;
  double share = 0.0; ///< of its operations that have ended
};

struct PlayOptions {
  Fold fold = Fold::OFF;

  bool record_ops = false;                         ///< keep every operation (for timelines)
  bool record_items = false;                       ///< Recording::items; of jobs whose ranks have one program
  bool record_times = false;                       ///< Recording::times and marks
  bool record_tasks = false;                       ///< Recording::tasks
  std::vector<double> start_times_s{};             ///< per rank, when it begins; empty: all at 0
  std::function<void(const Load&)> before{};       ///< called before anything is played, and may throw; may be empty
  std::function<void(const Progress&)> progress{}; ///< called now and then, and at the end; may be empty
};

/// The schedule stopped before its end: who waited for what, in the user's terms, one line per stuck operation.
class Deadlock : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Plays `job` on GPUs 0 .. ranks-1 of the cluster, one actor per GPU or per class of GPUs that do the same.
///
/// SimGrid keeps one clock per process: call this once per process (a second call throws Bug). Every schedule must have
/// passed verify(). Throws UserError when the cluster has too few GPUs or two that talk are not connected; Deadlock
/// when ranks wait for each other for ever.
model::Recording play(const model::Cluster& cluster, const model::Job& job, const PlayOptions& options);

/// Plays `sequence`, schedules of one size, on all of its ranks, and records the items; each rank goes on to the next
/// schedule when it is done with its own part.
model::Recording play(const model::Cluster& cluster, const std::vector<const model::Schedule*>& sequence,
                      PlayOptions options = {});

/// The rank classes of a job in words (model/explain_classes.h), a line each. Throws UserError as play() does.
std::vector<std::string> explain_classes(const model::Cluster& cluster, const model::Job& job,
                                         const PlayOptions& options = {});

/// SimGrid's version and the settings that play() uses.
std::map<std::string, std::string> settings();

} // namespace tandem::engine
