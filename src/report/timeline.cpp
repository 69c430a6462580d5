// Numbers processes and arrows over all runs, and writes GPU by GPU.
#include "report/timeline.h"

#include "report/gpu_timeline.h"

#include <map>

namespace tandem::report {

void write_timeline(std::ostream& out, const std::vector<TimelineRun>& runs) {
  std::map<std::string, std::string> metadata;
  for (const TimelineRun& run : runs)
    if (run.recording)
      for (const auto& [key, value] : run.recording->settings)
        metadata[run.name + " " + key] = value;

  TraceWriter trace(out, metadata);
  std::uint64_t pid = 0, flow_base = 1;
  for (const TimelineRun& run : runs) {
    const PlayedRun played(run);
    LinkTraffic links(played);
    for (std::uint32_t rank = 0; rank < played.ranks(); ++rank, ++pid) {
      GpuTimeline(played, links, rank, pid, flow_base).write(trace);
      links.write(trace, rank, pid);
    }
    flow_base += played.size();
  }
  trace.finish();
}

} // namespace tandem::report
