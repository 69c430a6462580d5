// An event at a time: the document would take ten times its text in memory.
#include "report/trace_reader.h"

#include "base/error.h"
#include "report/json_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tandem::report {

namespace {

using base::UserError;

/// Texts, each once, by the order in which they came.
class Names {
public:
  std::uint32_t index(const std::string& text) {
    const auto [found, is_new] = index_.emplace(text, static_cast<std::uint32_t>(list_.size()));
    if (is_new)
      list_.push_back(text);
    return found->second;
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(list_); }

private:
  std::unordered_map<std::string, std::uint32_t> index_;
  std::vector<std::string> list_;
};

struct Event {
  std::string phase, name, category;
  std::int64_t pid = 0, tid = 0;
  std::optional<double> begin_us, length_us;
  std::string thread_name; ///< args.name of metadata
  TraceArgs arguments;
  std::int32_t micro_batch = -1;
  bool critical = false;
};

/// Makes tracks of events.
class Tracks {
public:
  explicit Tracks(std::string file) : file_(std::move(file)) {}

  void add(const Event& event) {
    if (event.phase == "M" && event.name == "process_name")
      processes_[event.pid] = event.thread_name;
    else if (event.phase == "M" && event.name == "thread_name")
      threads_[{event.pid, event.tid}] = event.thread_name;
    else if (event.phase == "X")
      slice(event);
  }

  TraceSlices take() {
    TraceSlices all;
    for (auto& [track, slices] : slices_) {
      std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) { return a.begin < b.begin; });
      all.tracks.push_back({processes_.count(track.first) > 0 ? processes_[track.first] : std::to_string(track.first),
                            threads_.count(track) > 0 ? threads_[track] : std::to_string(track.second),
                            std::move(slices)});
    }
    if (all.tracks.empty())
      throw UserError({.file = file_}, "is a trace without slices; allowed: what --timeline writes");
    all.names = names_.take();
    all.categories = categories_.take();
    all.arguments = arguments_.take();
    all.kinds = std::move(kinds_);
    return all;
  }

private:
  void slice(const Event& event) {
    const auto is_time = [](const std::optional<double>& time) {
      constexpr double MOST_US = 1e12; // twelve days
      return time && *time >= 0.0 && *time <= MOST_US;
    };
    if (!is_time(event.begin_us) || !is_time(event.length_us))
      throw UserError({.file = file_}, fmt::format("slice {} needs ts and dur of 0 or more microseconds, at most 1e12",
                                                   base::in_quotes(event.name)));
    const SliceKind kind{names_.index(event.name), categories_.index(event.category),
                         arguments_.index(event.arguments.text())};
    const auto [found, is_new] = kind_of_.emplace(std::tuple(kind.name, kind.category, kind.arguments),
                                                  static_cast<std::uint32_t>(kinds_.size()));
    if (is_new)
      kinds_.push_back(kind);
    constexpr double NANOSECONDS_PER_MICROSECOND = 1e3;
    slices_[{event.pid, event.tid}].push_back({std::llround(*event.begin_us * NANOSECONDS_PER_MICROSECOND),
                                               std::llround(*event.length_us * NANOSECONDS_PER_MICROSECOND),
                                               found->second, event.micro_batch, event.critical});
  }

  using TrackId = std::pair<std::int64_t, std::int64_t>;

  std::string file_;
  std::map<std::int64_t, std::string> processes_;
  std::map<TrackId, std::string> threads_;
  std::map<TrackId, std::vector<Slice>> slices_;
  Names names_, categories_, arguments_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> kind_of_;
  std::vector<SliceKind> kinds_;
};

/// Fills an Event from the parser's calls.
class TraceHandler : public nlohmann::json_sax<nlohmann::json> {
public:
  TraceHandler(Tracks& tracks, std::string file) : tracks_(tracks), file_(std::move(file)) {}

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(std::int64_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(std::uint64_t value) override { return number(static_cast<double>(value)); }
  bool number_float(double value, const std::string& /*text*/) override { return number(value); }
  bool binary(binary_t& /*value*/) override { return true; }

  bool string(std::string& value) override {
    if (depth_ == EVENT && in_events_) {
      if (key_ == "ph")
        event_.phase = value;
      else if (key_ == "name")
        event_.name = value;
      else if (key_ == "cat")
        event_.category = value;
    } else if (depth_ == ARGUMENTS && in_arguments_) {
      if (event_.phase == "M")
        event_.thread_name = key_ == "name" ? value : event_.thread_name;
      else if (key_ == CRITICAL_PATH)
        event_.critical = true;
      else
        event_.arguments.add(key_, value);
    }
    return true;
  }

  bool start_object(std::size_t /*elements*/) override {
    ++depth_;
    if (depth_ == EVENT)
      event_ = {};
    if (depth_ == ARGUMENTS)
      in_arguments_ = key_ == "args";
    return true;
  }
  bool end_object() override {
    if (depth_ == EVENT && in_events_)
      tracks_.add(event_);
    --depth_;
    return true;
  }
  bool start_array(std::size_t /*elements*/) override {
    ++depth_;
    if (depth_ == EVENTS)
      in_events_ = key_ == "traceEvents";
    return true;
  }
  bool end_array() override {
    if (depth_ == EVENTS)
      in_events_ = false;
    --depth_;
    return true;
  }
  bool key(std::string& value) override {
    key_ = value;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) override {
    throw UserError({.file = file_}, fmt::format("is no trace: not JSON at byte {}", position));
  }

private:
  /// Containers that are open: the document, its list of events, an event, its arguments.
  static constexpr int EVENTS = 2, EVENT = 3, ARGUMENTS = 4;

  bool number(double value) {
    if (depth_ == EVENT && in_events_) {
      if (key_ == "ts")
        event_.begin_us = value;
      else if (key_ == "dur")
        event_.length_us = value;
      else if (key_ == "pid")
        event_.pid = std::llround(value);
      else if (key_ == "tid")
        event_.tid = std::llround(value);
    } else if (depth_ == ARGUMENTS && in_arguments_) {
      if (key_ == MICRO_BATCH)
        event_.micro_batch = static_cast<std::int32_t>(value);
      else
        event_.arguments.add(key_, value);
    }
    return true;
  }

  Tracks& tracks_;
  std::string file_, key_;
  int depth_ = 0;
  bool in_events_ = false, in_arguments_ = false;
  Event event_;
};

} // namespace

bool is_trace(const std::string& text) {
  return text.find("\"traceEvents\"") != std::string::npos;
}

TraceSlices read_trace(const std::string& text, const std::string& file) {
  Tracks tracks(file);
  TraceHandler handler(tracks, file);
  nlohmann::json::sax_parse(text, &handler);
  return tracks.take();
}

} // namespace tandem::report
