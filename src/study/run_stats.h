// Wall time, CPU time and memory of a run: what must not be in its result, which is the same everywhere.
#pragma once

#include <chrono>
#include <string>

namespace tandem::study {

class RunStats {
public:
  RunStats() : begin_(std::chrono::steady_clock::now()) {}
  /// Writes JSON: wall_s, cpu_s and peak_memory_bytes (of this process and of its children), cores, host.
  void write(const std::string& path) const;

private:
  std::chrono::steady_clock::time_point begin_;
};

} // namespace tandem::study
