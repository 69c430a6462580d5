// A counter of the trace: sums what is in use at every moment, exactly, so that it comes back to zero and never below.
#pragma once

#include "report/trace_writer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tandem::report {

class TraceCounter {
public:
  explicit TraceCounter(std::vector<std::string> components) : components_(std::move(components)) {}

  /// Bytes moved evenly from `begin` to `end`, within one nanosecond at least; shown in GB/s. The integral of the
  /// counter is the bytes, to 1 kB/s.
  void spread(std::size_t component, double bytes, Nanoseconds begin, Nanoseconds end);
  /// `count` pieces held from `begin` to `end`; shown as they are.
  void hold(std::size_t component, std::int64_t count, Nanoseconds begin, Nanoseconds end);

  /// One event per moment at which a value changes.
  void write(TraceWriter& trace, std::uint64_t pid, const std::string& name);

private:
  struct Change {
    Nanoseconds at;
    std::size_t component;
    std::int64_t millionths;
  };
  void add(std::size_t component, std::int64_t millionths, Nanoseconds begin, Nanoseconds end);

  std::vector<std::string> components_;
  std::vector<Change> changes_;
};

} // namespace tandem::report
