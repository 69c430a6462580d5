// Text of trace events, one a line.
#include "report/trace_writer.h"

#include "report/json_text.h"
#include "report/numbers.h"

#include <cmath>
#include <fmt/format.h>

namespace tandem::report {

namespace {

/// Microseconds, the unit of the format, with exact decimals.
std::string microseconds(Nanoseconds time) {
  return fmt::format("{}.{:03}", time / 1000, time % 1000);
}

} // namespace

Nanoseconds nanoseconds(double seconds) {
  return std::llround(seconds * 1e9);
}

void TraceArgs::key(std::string_view name) {
  if (!members_.empty())
    members_ += ',';
  members_ += json_quoted(name);
  members_ += ':';
}

TraceArgs& TraceArgs::add(std::string_view name, std::string_view text) {
  key(name);
  members_ += json_quoted(text);
  return *this;
}

TraceArgs& TraceArgs::add(std::string_view name, double value) {
  key(name);
  members_ += number(value);
  return *this;
}

TraceWriter::TraceWriter(std::ostream& out, const std::map<std::string, std::string>& metadata) : out_(out) {
  TraceArgs pairs;
  for (const auto& [key, value] : metadata)
    pairs.add(key, value);
  out_ << "{\"displayTimeUnit\":\"ns\",\n\"metadata\":" << pairs.text() << ",\n\"traceEvents\":[";
}

void TraceWriter::event(std::string_view text) {
  out_ << (first_ ? "\n" : ",\n") << text;
  first_ = false;
}

void TraceWriter::process(std::uint64_t pid, std::string_view name) {
  event(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":{}}}}})", pid,
                    json_quoted(name)));
  event(fmt::format(R"({{"ph":"M","name":"process_sort_index","pid":{0},"tid":0,"args":{{"sort_index":{0}}}}})", pid));
}

void TraceWriter::thread(Track track, std::string_view name) {
  event(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", track.pid, track.tid,
                    json_quoted(name)));
  event(fmt::format(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
                    track.pid, track.tid, track.tid));
}

void TraceWriter::slice(Track track, std::string_view name, std::string_view category, Nanoseconds begin,
                        Nanoseconds end, const TraceArgs& args) {
  event(fmt::format(R"({{"ph":"X","name":{},"cat":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{}}})",
                    json_quoted(name), json_quoted(category), track.pid, track.tid, microseconds(begin),
                    microseconds(end - begin), args.text()));
}

void TraceWriter::instant(Track track, std::string_view name, std::string_view category, Nanoseconds at,
                          const TraceArgs& args) {
  event(fmt::format(R"({{"ph":"i","s":"t","name":{},"cat":{},"pid":{},"tid":{},"ts":{},"args":{}}})", json_quoted(name),
                    json_quoted(category), track.pid, track.tid, microseconds(at), args.text()));
}

void TraceWriter::flow_begin(Track track, std::uint64_t id, Nanoseconds at) {
  event(fmt::format(R"({{"ph":"s","name":"transfer","cat":"transfer","id":{},"pid":{},"tid":{},"ts":{}}})", id,
                    track.pid, track.tid, microseconds(at)));
}

void TraceWriter::flow_end(Track track, std::uint64_t id, Nanoseconds at) {
  event(fmt::format(R"({{"ph":"f","bp":"e","name":"transfer","cat":"transfer","id":{},"pid":{},"tid":{},"ts":{}}})", id,
                    track.pid, track.tid, microseconds(at)));
}

void TraceWriter::counter(std::uint64_t pid, std::string_view name, Nanoseconds at, const TraceArgs& values) {
  event(fmt::format(R"({{"ph":"C","name":{},"pid":{},"ts":{},"args":{}}})", json_quoted(name), pid, microseconds(at),
                    values.text()));
}

void TraceWriter::finish() {
  out_ << "\n]}\n";
}

} // namespace tandem::report
