// fork, pipe, alarm; recordings as bytes.
#include "engine/child.h"

#include "base/error.h"

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <sys/wait.h>
#include <type_traits>
#include <unistd.h>

namespace tandem::test {

namespace {

constexpr char RESULT = 'R', USER_ERROR = 'U', BUG = 'B', DEADLOCK = 'D', OTHER = 'O';

class Writer {
public:
  template <class T> void operator()(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class T> void operator()(const std::vector<T>& list) {
    (*this)(list.size());
    for (const auto& value : list)
      (*this)(value);
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes += text;
  }
  void operator()(const model::MemoryUse& use) {
    (*this)(use.peak_bytes);
    (*this)(use.peak_at_s);
    (*this)(use.at_peak);
    (*this)(use.at_end);
  }
  void operator()(const model::ResourceUse& use) {
    (*this)(use.name);
    (*this)(use.capacity);
    (*this)(use.peak);
    (*this)(use.spills);
  }
  std::string bytes;
};

class Reader {
public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}
  template <class T> void operator()(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (bytes_.size() - at_ < sizeof value)
      throw std::runtime_error("a recording ends too early");
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
  }
  template <class T> void operator()(std::vector<T>& list) {
    std::size_t size = 0;
    (*this)(size);
    list.clear();
    for (std::size_t i = 0; i < size; ++i)
      (*this)(list.emplace_back());
  }
  void operator()(std::string& text) {
    std::size_t size = 0;
    (*this)(size);
    text = bytes_.substr(at_, size);
    at_ += size;
  }
  void operator()(model::MemoryUse& use) {
    (*this)(use.peak_bytes);
    (*this)(use.peak_at_s);
    (*this)(use.at_peak);
    (*this)(use.at_end);
  }
  void operator()(model::ResourceUse& use) {
    (*this)(use.name);
    (*this)(use.capacity);
    (*this)(use.peak);
    (*this)(use.spills);
  }

private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

template <class Visitor, class Record> void visit_job(Visitor& visitor, Record& recording) {
  visitor(recording.times);
  visitor(recording.marks);
  visitor(recording.tasks);
  visitor(recording.memory);
}

/// PhaseTimes has padding: its members one by one, so that equal recordings have equal bytes.
template <class Visitor, class Item> void visit_item(Visitor& visitor, Item& item) {
  for (auto* value : {&item.begin_s, &item.end_s, &item.compute_s, &item.exposed_s, &item.idle_s})
    visitor(*value);
  for (auto& phase : item.phases) {
    visitor(phase.used);
    for (auto* value : {&phase.begin_s, &phase.end_s, &phase.busy_s})
      visitor(*value);
  }
}

template <class Visitor, class Record> void visit_op(Visitor& visitor, Record& op) {
  for (auto* value : {&op.rank, &op.item, &op.op})
    visitor(*value);
  for (auto* value : {&op.begin_s, &op.end_s})
    visitor(*value);
}

template <class Visitor, class Record> void visit_numbers(Visitor& visitor, Record& recording) {
  visitor(recording.ranks);
  for (auto* value : {&recording.end_s, &recording.message_bytes, &recording.wire_bytes, &recording.wire_hop_bytes,
                      &recording.memory_intensity})
    visitor(*value);
  visitor(recording.queue_threshold);
  visitor(recording.activities);
  visitor(recording.dram);
  visitor(recording.sm_seconds);
  visitor(recording.link_bytes);
  visitor(recording.resources);
}

model::Recording recording_of(const std::string& bytes) {
  Reader read(bytes);
  model::Recording recording;
  visit_numbers(read, recording);
  visit_job(read, recording);
  std::size_t items = 0, ops = 0;
  read(items);
  for (std::size_t i = 0; i < items; ++i) {
    auto& item = recording.items.emplace_back();
    for (int rank = 0; rank < recording.ranks; ++rank)
      visit_item(read, item.emplace_back());
  }
  read(ops);
  for (std::size_t i = 0; i < ops; ++i)
    visit_op(read, recording.ops.emplace_back());
  return recording;
}

std::string answer_of(const std::function<std::string()>& task) {
  try {
    return RESULT + task();
  } catch (const base::UserError& error) {
    return USER_ERROR + std::string(error.what());
  } catch (const base::Bug& error) {
    return BUG + std::string(error.what());
  } catch (const engine::Deadlock& error) {
    return DEADLOCK + std::string(error.what());
  } catch (const std::exception& error) {
    return OTHER + std::string(error.what());
  }
}

[[noreturn]] void be_child(int fd, const std::function<std::string()>& task, unsigned patience_s) {
  alarm(patience_s);
  const std::string answer = answer_of(task);
  for (std::size_t written = 0; written < answer.size();) {
    const auto count = write(fd, answer.data() + written, answer.size() - written);
    if (count <= 0)
      _exit(1);
    written += static_cast<std::size_t>(count);
  }
  _exit(0); // without destructors: what SimGrid has on its stacks is not to be unwound here
}

} // namespace

std::string in_child(const std::function<std::string()>& task, unsigned patience_s) {
  int ends[2];
  if (pipe(ends) != 0)
    throw std::runtime_error("no pipe");
  std::fflush(nullptr); // or the child would print it again
  const pid_t child = fork();
  if (child < 0)
    throw std::runtime_error("no child");
  if (child == 0)
    be_child(ends[1], task, patience_s);
  close(ends[1]);
  std::string answer;
  char buffer[4096];
  for (ssize_t count = 0; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    answer.append(buffer, static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    throw std::runtime_error("the child died of signal " + std::to_string(WTERMSIG(status)) + " (14: it hung)");
  if (answer.empty())
    throw std::runtime_error("the child said nothing");
  const std::string text = answer.substr(1);
  switch (answer.front()) {
  case RESULT:
    return text;
  case USER_ERROR:
    throw base::UserError(text);
  case BUG:
    throw base::Bug(text);
  case DEADLOCK:
    throw engine::Deadlock(text);
  default:
    throw std::runtime_error(text);
  }
}

model::Recording played(const model::Cluster& cluster, const std::vector<const model::Schedule*>& sequence,
                        const engine::PlayOptions& options) {
  return recording_of(in_child([&] { return bytes_of(engine::play(cluster, sequence, options)); }));
}

model::Recording played(const model::Cluster& cluster, const model::Job& job, const engine::PlayOptions& options) {
  return recording_of(in_child([&] { return bytes_of(engine::play(cluster, job, options)); }));
}

model::Recording played(const model::Cluster& cluster, const model::Schedule& schedule,
                        const engine::PlayOptions& options) {
  return played(cluster, std::vector<const model::Schedule*>{&schedule}, options);
}

std::string bytes_of(const model::Recording& recording) {
  Writer write;
  visit_numbers(write, recording);
  visit_job(write, recording);
  write(recording.items.size());
  for (const auto& item : recording.items)
    for (const auto& rank : item)
      visit_item(write, rank);
  write(recording.ops.size());
  for (const auto& op : recording.ops)
    visit_op(write, op);
  return write.bytes;
}

} // namespace tandem::test
