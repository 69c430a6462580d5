// A table row: input that is wrong, and how the program must refuse it.
#pragma once

#include "app/program.h"

#include <ostream>
#include <string>
#include <vector>

namespace tandem::app {

/// The sound input that rows spoil: `w.yaml` on `p.xml`, two GPUs in a ring.
const std::string& sound_workload();
const std::string& sound_platform();

/// A platform of `body` in one zone; the body starts on line 3.
std::string platform_of(const std::string& body, const std::string& routing = "Full");
/// A host that is a GPU of the T3 paper, on one line.
std::string gpu(const std::string& name);
/// A ring of GPUs, both ways.
std::string ring(int gpus, const std::string& bandwidth = "150GBps", const std::string& latency = "500ns");
/// A workload of one GEMM under `strategies` ("sequential, t3").
std::string gemm_workload(const std::string& strategies, const std::string& gemm, const std::string& more = "");

struct Hostile {
  std::string name;
  Files files;                        ///< over the sound ones
  std::vector<std::string> arguments; ///< `compare w.yaml` stands before them when the first is no command
  std::string message;                ///< regular expression that stderr must match
  int code = 2;
};

Hostile bad_workload(const std::string& name, const std::string& text, const std::string& message);
Hostile bad_platform(const std::string& name, const std::string& text, const std::string& message);
Hostile bad_flags(const std::string& name, const std::vector<std::string>& flags, const std::string& message);

void PrintTo(const Hostile& row, std::ostream* out);

/// Runs the row where an old result lies: the program must end with the row's code and message, print nothing on
/// stdout, and leave the folder as it was.
void expect_refused(const Hostile& row);

/// As GoogleTest's INSTANTIATE_TEST_SUITE_P wants it.
template <class Info> std::string row_name(const Info& info) {
  return info.param.name;
}

} // namespace tandem::app
