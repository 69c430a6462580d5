// Reads the operating system's counters.
#include "study/run_stats.h"

#include "base/output_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace tandem::study {

namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

} // namespace

void RunStats::write(const std::string& path) const {
  rusage own{}, children{};
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &children);
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  constexpr std::int64_t KIB = 1024;
  const nlohmann::ordered_json stats{
      {"wall_s", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count()},
      {"cpu_s",
       seconds(own.ru_utime) + seconds(own.ru_stime) + seconds(children.ru_utime) + seconds(children.ru_stime)},
      {"peak_memory_bytes", KIB * std::max(own.ru_maxrss, children.ru_maxrss)},
      {"cores", std::thread::hardware_concurrency()},
      {"host", host.data()},
  };
  base::OutputFile file(path);
  file.stream() << stats.dump(2) << '\n';
  file.commit();
}

} // namespace tandem::study
