// Reads a timeline back from the Chrome trace format, as trace_writer.h writes it: slices by track, in columns.
#pragma once

#include "report/trace_writer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::report {

/// What slices that differ only in time and micro-batch have in common; indices into the lists of TraceSlices.
struct SliceKind {
  std::uint32_t name = 0, category = 0, arguments = 0;
};

struct Slice {
  Nanoseconds begin = 0, length = 0;
  std::uint32_t kind = 0;
  std::int32_t micro_batch = -1; ///< -1: none
  bool critical = false;         ///< on the critical path
};

struct SliceTrack {
  std::string process, thread;
  std::vector<Slice> slices; ///< by begin
};

struct TraceSlices {
  std::vector<std::string> names, categories;
  std::vector<std::string> arguments; ///< JSON objects of texts and numbers
  std::vector<SliceKind> kinds;
  std::vector<SliceTrack> tracks; ///< by process and thread
};

/// Whether the text is a trace, as far as its keys tell.
bool is_trace(const std::string& text);

/// Complete events ("X") and the names of processes and threads; other events are passed over. Memory does not grow
/// with the text but with the slices. Throws UserError with the file: not JSON, no slices, a slice without time or
/// track.
TraceSlices read_trace(const std::string& text, const std::string& file);

} // namespace tandem::report
