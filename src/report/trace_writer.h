// Writes the Chrome trace format, which Perfetto reads, event by event: memory does not grow with the number of events.
//
// Times are whole nanoseconds, the resolution of Perfetto, which drops a slice that overlaps another on its track by
// less than that.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>

namespace tandem::report {

/// Arguments of slices that readers of ours look for.
constexpr const char* MICRO_BATCH = "micro-batch";
constexpr const char* CRITICAL_PATH = "critical path"; ///< "yes": the slice is on it

/// A moment or a time on the grid of the trace.
using Nanoseconds = std::int64_t;

/// Rounded to the grid. Monotonic, so that order and nesting survive.
Nanoseconds nanoseconds(double seconds);

/// A track: a "thread" of a "process".
struct Track {
  std::uint64_t pid = 0, tid = 0;
};

/// Arguments of an event, in the order in which they are added.
class TraceArgs {
public:
  TraceArgs& add(std::string_view key, std::string_view text);
  TraceArgs& add(std::string_view key, double value);
  [[nodiscard]] bool empty() const { return members_.empty(); }
  /// A JSON object.
  [[nodiscard]] std::string text() const { return '{' + members_ + '}'; }

private:
  void key(std::string_view name);
  std::string members_;
};

/// Begins the document in the constructor and ends it in finish(). Failures of the stream are the owner's to check.
class TraceWriter {
public:
  TraceWriter(std::ostream& out, const std::map<std::string, std::string>& metadata);

  void process(std::uint64_t pid, std::string_view name);
  /// Tracks of a process show in the order of their tid.
  void thread(Track track, std::string_view name);
  void slice(Track track, std::string_view name, std::string_view category, Nanoseconds begin, Nanoseconds end,
             const TraceArgs& args);
  void instant(Track track, std::string_view name, std::string_view category, Nanoseconds at, const TraceArgs& args);
  /// An arrow from the slice that begins last at or before `at` on one track to such a slice on another, by an id of
  /// its own.
  void flow_begin(Track track, std::uint64_t id, Nanoseconds at);
  void flow_end(Track track, std::uint64_t id, Nanoseconds at);
  /// From `at` on, the counter's components have these values.
  void counter(std::uint64_t pid, std::string_view name, Nanoseconds at, const TraceArgs& values);
  void finish();

private:
  void event(std::string_view text);

  std::ostream& out_;
  bool first_ = true;
};

} // namespace tandem::report
