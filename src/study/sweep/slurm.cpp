// sbatch and squeue by their command lines; the shards' stores are the only word of what is done.
#include "study/sweep/slurm.h"

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/output_file.h"
#include "base/text.h"
#include "study/fork_pool.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <set>
#include <sys/wait.h>
#include <utility>

namespace tandem::study {

namespace {

namespace fs = std::filesystem;
using model::PointStatus;

constexpr std::size_t MOST_TASKS = 1000; ///< MaxArraySize of a cluster that nobody has configured

volatile std::sig_atomic_t stop_following = 0; // NOLINT: a signal handler can reach nothing else

void on_stop(int) {
  stop_following = 1;
}

/// SIGINT only sets a flag as long as this lives.
class InterruptFlag {
public:
  InterruptFlag() {
    stop_following = 0;
    struct sigaction ours {};
    ours.sa_handler = on_stop;
    sigaction(SIGINT, &ours, &theirs_);
  }
  ~InterruptFlag() { sigaction(SIGINT, &theirs_, nullptr); }
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;

private:
  struct sigaction theirs_ {};
};

struct Said {
  int code = 0;
  std::string text; ///< stdout and stderr
};

Said say(const std::vector<std::string>& words) {
  const auto line = shell_line(words) + " 2>&1";
  std::FILE* pipe = popen(line.c_str(), "r"); // NOLINT(cert-env33-c): words are quoted
  if (pipe == nullptr)
    throw base::UserError(fmt::format("{} cannot be run", words.front()));
  Said said;
  std::array<char, 4096> buffer{};
  for (std::size_t count = 0; (count = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    said.text.append(buffer.data(), count);
  const int status = pclose(pipe);
  said.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return said;
}

/// What is known of the array between two runs of the program.
struct ArrayFile {
  std::string job, study; ///< id of the job, and digest of all points
  std::size_t tasks = 0;
};

class SlurmRun {
public:
  SlurmRun(const PreparedStudy& study, ResultStore& store, const SlurmOptions& options)
      : study_(study), store_(store), options_(options), folder_(options.store + ".slurm") {
    store.forget_failed();
    std::string all;
    for (const auto& point : study.result.points)
      all += point.digest + '\n';
    digest_ = base::digest(all);
    for (std::size_t i = 0; i < study.words.size(); ++i)
      if (!study.result.points[i].digest.empty() && is_missing(i)) {
        ++progress_.all;
        progress_.work_all += study.inputs[i].work;
      }
  }

  void run() {
    const InterruptFlag flag;
    fs::create_directories(folder_);
    if (!attach())
      submit(missing_shards());
    while (!missing_shards().empty() || !running().empty()) {
      wait();
      const auto tasks = running();
      take_over();
      if (tasks.empty() && !submit(missing_shards()))
        return;
    }
  }

private:
  [[nodiscard]] bool is_missing(std::size_t point) {
    const auto& digest = study_.result.points[point].digest;
    return !digest.empty() && store_.status(digest) == PointStatus::PENDING;
  }

  [[nodiscard]] std::vector<std::size_t> missing_shards() {
    std::set<std::size_t> shards;
    const auto count = tasks_ > 0 ? tasks_ : choose_tasks();
    for (std::size_t i = 0; i < study_.words.size(); ++i)
      if (is_missing(i))
        shards.insert(i % count);
    return {shards.begin(), shards.end()};
  }

  /// Points and shards share their order, so that as many shards as points are a point each.
  [[nodiscard]] std::size_t choose_tasks() const {
    const auto points = std::max<std::size_t>(1, study_.words.size());
    return std::min(options_.array_size > 0 ? options_.array_size : MOST_TASKS, points);
  }

  [[nodiscard]] fs::path shard_store(std::size_t shard) const {
    return folder_ / fmt::format("shard-{}.sqlite", shard);
  }

  /// Follows an array that an earlier run submitted, where its tasks are still queued.
  bool attach() {
    const auto file = folder_ / "array";
    if (!fs::exists(file))
      return false;
    const auto words = base::split(base::read_text_file(file.string()), ' ');
    if (words.size() != 3 || words[1] != digest_) {
      base::log_warning(fmt::format("{}: belongs to another study, and is replaced", file.string()));
      return false;
    }
    job_ = words[0];
    tasks_ = std::stoul(words[2]);
    take_over();
    if (running().empty()) {
      job_.clear();
      return false;
    }
    base::log_warning(fmt::format("following job {}, which is queued already", job_));
    ++submissions_;
    return true;
  }

  /// False: none is to be submitted, or often enough has been.
  bool submit(const std::vector<std::size_t>& shards) {
    if (shards.empty() || submissions_ >= options_.submissions)
      return false;
    if (tasks_ == 0)
      tasks_ = choose_tasks();
    for (const auto shard : shards)
      if (!fs::exists(shard_store(shard))) // begins with all that is known
        fs::copy_file(options_.store, shard_store(shard));
    std::vector<std::string> words = {"sbatch", "--parsable", "--job-name=tandem-sweep",
                                      fmt::format("--array={}", fmt::join(shards, ",")),
                                      fmt::format("--output={}/%A_%a.log", folder_.string())};
    words.insert(words.end(), options_.words.begin(), options_.words.end());
    words.push_back("--wrap=" + task_line());
    const auto said = say(words);
    if (said.code != 0)
      throw base::UserError(fmt::format("sbatch fails: {}", said.text));
    job_ = said.text.substr(0, said.text.find_first_of(";\n")); // JOB, or JOB;CLUSTER
    base::OutputFile file((folder_ / "array").string());
    file.stream() << job_ << ' ' << digest_ << ' ' << tasks_;
    file.commit();
    base::log_warning(fmt::format("job {}: {} of {} submitted", job_, base::counted(shards.size(), "task"), tasks_));
    ++submissions_;
    return true;
  }

  /// What a task runs; the shell of the job puts its number in.
  [[nodiscard]] std::string task_line() const {
    return fmt::format("exec {} --shard \"$SLURM_ARRAY_TASK_ID/{}\" --store {}/shard-\"$SLURM_ARRAY_TASK_ID\".sqlite "
                       "-j 1 -q -o /dev/null",
                       shell_line({options_.program, "sweep", options_.study}), tasks_, shell_line({folder_.string()}));
  }

  /// Tasks of the array that are queued or run; an id that Slurm has forgotten has none.
  [[nodiscard]] std::vector<std::string> running() {
    if (job_.empty())
      return {};
    const auto said = say({"squeue", "--noheader", "--array", "--jobs=" + job_, "--format=%i"});
    if (said.code != 0 && said.text.find("Invalid job id") != std::string::npos)
      return {};
    if (said.code != 0) { // the controller is busy or away: the tasks are not
      base::log_warning(fmt::format("squeue fails, and is asked again: {}", said.text));
      return {"unknown"};
    }
    auto lines = base::split(said.text, '\n');
    std::erase(lines, "");
    return lines;
  }

  void take_over() {
    for (std::size_t shard = 0; shard < tasks_; ++shard)
      if (fs::exists(shard_store(shard)))
        store_.absorb(shard_store(shard).string());
    std::size_t missing = 0;
    double work = 0.0;
    progress_.failed = 0;
    for (std::size_t i = 0; i < study_.words.size(); ++i) {
      if (is_missing(i)) {
        ++missing;
        work += study_.inputs[i].work;
      }
      const auto& digest = study_.result.points[i].digest;
      progress_.failed += !digest.empty() && store_.status(digest) == PointStatus::FAILED ? 1 : 0;
    }
    progress_.done = progress_.all - std::min(progress_.all, missing);
    progress_.work_done = progress_.work_all - work;
    if (options_.progress)
      options_.progress(progress_);
  }

  void wait() const {
    constexpr double NANO = 1e9;
    const auto whole = static_cast<std::time_t>(options_.poll_s);
    const timespec time{whole, static_cast<long>((options_.poll_s - static_cast<double>(whole)) * NANO)};
    nanosleep(&time, nullptr); // SIGINT ends it early
    if (stop_following != 0) {
      base::log_warning(
          fmt::format("job {} goes on; the same command follows it again, scancel {} ends it", job_, job_));
      throw Interrupted();
    }
  }

  const PreparedStudy& study_;
  ResultStore& store_;
  const SlurmOptions& options_;
  fs::path folder_;
  std::string digest_, job_;
  std::size_t tasks_ = 0;
  int submissions_ = 0;
  SweepProgress progress_;
};

} // namespace

void run_on_slurm(const PreparedStudy& study, ResultStore& store, const SlurmOptions& options) {
  SlurmRun(study, store, options).run();
}

} // namespace tandem::study
