// Whole millionths (of a GB/s: kB/s) add up without rounding.
#include "report/trace_counter.h"

#include <algorithm>
#include <cmath>

namespace tandem::report {

namespace {

constexpr std::int64_t MILLION = 1000000;

} // namespace

void TraceCounter::add(std::size_t component, std::int64_t millionths, Nanoseconds begin, Nanoseconds end) {
  if (millionths == 0)
    return;
  changes_.push_back({begin, component, millionths});
  changes_.push_back({end, component, -millionths});
}

void TraceCounter::spread(std::size_t component, double bytes, Nanoseconds begin, Nanoseconds end) {
  const Nanoseconds time = std::max<Nanoseconds>(end - begin, 1);
  add(component, std::llround(bytes * static_cast<double>(MILLION) / static_cast<double>(time)), begin, begin + time);
}

void TraceCounter::hold(std::size_t component, std::int64_t count, Nanoseconds begin, Nanoseconds end) {
  add(component, count * MILLION, begin, end);
}

void TraceCounter::write(TraceWriter& trace, std::uint64_t pid, const std::string& name) {
  std::sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  std::vector<std::int64_t> now(components_.size(), 0), shown = now;
  for (std::size_t i = 0; i < changes_.size();) {
    const Nanoseconds at = changes_[i].at;
    for (; i < changes_.size() && changes_[i].at == at; ++i)
      now[changes_[i].component] += changes_[i].millionths;
    if (now == shown)
      continue;
    shown = now;
    TraceArgs values;
    for (std::size_t c = 0; c < components_.size(); ++c)
      values.add(components_[c], static_cast<double>(now[c]) / static_cast<double>(MILLION));
    trace.counter(pid, name, at, values);
  }
}

} // namespace tandem::report
