// Builds the cluster and the job of a case, and compares the two ways to play it.
#include "engine/fold_case.h"

#include "base/error.h"
#include "collective/strategy.h"
#include "collective/verify.h"
#include "engine/child.h"
#include "engine/machines.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <random>
#include <sstream>

namespace tandem::test {

namespace {

using model::CollectiveKind;

class NodesRouter : public model::Router {
public:
  explicit NodesRouter(FoldCase described) : case_(std::move(described)) {}
  [[nodiscard]] std::optional<model::Route> route(model::HostId from, model::HostId to) const override {
    if (from == to)
      return model::Route{};
    const auto a = from.index / case_.per_node, b = to.index / case_.per_node;
    model::Route route;
    route.links.emplace_back(2 * from.index);
    route.latency = model::Seconds(1e-6);
    if (a != b) {
      const auto up = [&](std::uint32_t node, std::uint32_t gpu) {
        return 2 * case_.ranks() + 2 * (case_.shares_uplink ? node : gpu);
      };
      route.links.emplace_back(up(a, from.index));
      if (case_.cores > 0)
        route.links.emplace_back(4 * case_.ranks() + a % case_.cores);
      route.links.emplace_back(up(b, to.index) + 1);
      route.latency = model::Seconds(case_.far_is_slower ? 3e-6 : 1e-6);
    }
    route.links.emplace_back(2 * to.index + 1);
    return route;
  }

private:
  FoldCase case_;
};

model::Device gpu(bool is_odd) {
  auto device = round_device();
  device.name = is_odd ? "odd" : "even";
  device.peak["fp16"] = model::FlopsPerSecond(80e12);
  device.vector_peak = model::FlopsPerSecond(10e12);
  device.hbm_bandwidth = model::BytesPerSecond(is_odd ? 0.4e12 : 1e12);
  device.sm_copy_bandwidth = model::BytesPerSecond(12e9);
  device.kernel_launch = model::Seconds(2e-6);
  device.l2 = model::Bytes(16e6);
  device.copy_engines = 2;
  device.near_memory.tracker_entries = 8;
  device.queue.thresholds = {{0.3, 5}, {0.1, 10}};
  return device;
}

std::vector<std::vector<std::uint32_t>> groups_of(const FoldCase& described, Among among) {
  std::vector<std::vector<std::uint32_t>> groups;
  const auto group = [&](std::uint32_t rank) {
    switch (among) {
    case Among::NODES:
      return rank / described.per_node;
    case Among::SAME_PLACES:
      return rank % described.per_node;
    case Among::HALVES: // jobs beside each other, one of them larger
      return rank < std::max(1U, described.ranks() / 3) ? 0U : 1U;
    case Among::ALL:
      break;
    }
    return 0U;
  };
  for (std::uint32_t rank = 0; rank < described.ranks(); ++rank) {
    if (group(rank) >= groups.size())
      groups.resize(group(rank) + 1);
    groups[group(rank)].push_back(rank);
  }
  return groups;
}

const char* name_of(Among among) {
  constexpr std::array NAMES{"all", "nodes", "same places", "thirds"};
  return NAMES.at(static_cast<std::size_t>(among));
}

/// Of a task among `ranks` GPUs.
std::shared_ptr<const model::Schedule> schedule_of(const FoldTask& task, int ranks, const model::Cluster& cluster) {
  collective::Request request;
  const double bytes = 16.0 * ranks * task.pieces + (task.kind == CollectiveKind::ALL_REDUCE ? task.odd_bytes : 0U);
  request.op = {task.kind, ranks, model::Bytes(bytes), 0, nullptr};
  if (task.with_gemm) {
    request.producer = model::Gemm{.m = 256, .n = 128 * ranks, .k = 64 * task.pieces, .batch = 1, .precision = "fp16"};
    request.op.bytes = request.producer->output();
  }
  const auto selected = collective::select_strategy(task.strategy);
  if (const auto reason = selected.strategy->why_not(request, cluster); !reason.empty())
    throw base::Infeasible(reason);
  auto made = std::make_shared<model::Schedule>(selected.strategy->plan(request, cluster));
  if (const auto wrong = collective::verify(*made); !wrong.empty())
    throw base::Bug(wrong);
  return made;
}

/// All that a run tells of every rank and link, one number a line.
std::string told(const model::Recording& folded) {
  const auto recording = folded.expanded();
  std::string text = fmt::format("{}\n", folded.class_sizes().size());
  const auto tell = [&](const std::string& what, double value) { text += fmt::format("{}={:a}\n", what, value); };
  tell("end", recording.end_s);
  for (const auto& task : recording.tasks) {
    const auto name = fmt::format("rank {} task {}", task.rank, task.task);
    tell(name + " begin", task.begin_s);
    tell(name + " end", task.end_s);
  }
  for (std::size_t rank = 0; rank < recording.times.size(); ++rank) {
    const auto& time = recording.times[rank];
    double sum = 0.0;
    for (const double part : time.exposed_s)
      tell(fmt::format("rank {} exposed", rank), sum += part);
    tell(fmt::format("rank {} idle", rank), time.idle_s);
    tell(fmt::format("rank {} dram", rank), recording.dram[rank].total());
    tell(fmt::format("rank {} SM work", rank), recording.sm_seconds[rank]);
  }
  for (std::size_t link = 0; link < recording.link_bytes.size(); ++link)
    tell(fmt::format("link {}", link), recording.link_bytes[link]);
  tell("messages", recording.message_bytes);
  tell("wire", recording.wire_bytes);
  tell("hops", recording.wire_hop_bytes);
  for (const auto& use : recording.resources) {
    tell(use.name + " peak", use.peak);
    tell(use.name + " spills", static_cast<double>(use.spills));
  }
  return text;
}

/// First line in which two runs differ by more than rounding; `scale`: seconds of the whole run.
std::string difference(const std::string& whole, const std::string& folded) {
  std::istringstream a(whole), b(folded);
  std::string x, y;
  double scale = 0.0;
  while (true) {
    const bool has_x = static_cast<bool>(std::getline(a, x)), has_y = static_cast<bool>(std::getline(b, y));
    if (!has_x && !has_y)
      return {};
    const auto split_x = x.find('='), split_y = y.find('=');
    if (!has_x || !has_y || x.substr(0, split_x) != y.substr(0, split_y))
      return fmt::format("whole: {}; folded: {}", has_x ? x : "nothing", has_y ? y : "nothing");
    const double p = std::strtod(x.c_str() + split_x + 1, nullptr), q = std::strtod(y.c_str() + split_y + 1, nullptr);
    scale = scale == 0.0 ? p : scale; // the end of the run comes first
    if (!(std::abs(p - q) <= 1e-9 * std::max(std::abs(p), scale)))
      return fmt::format("{}: whole {:.15g}, folded {:.15g}", x.substr(0, split_x), p, q);
  }
}

} // namespace

std::string FoldCase::text() const {
  auto list = fmt::format("{} nodes of {} GPUs, {}, {} core links{}{}", nodes, per_node,
                          shares_uplink ? "one uplink a node" : "an uplink each", cores,
                          fatpipe_core ? " (fatpipe)" : "", far_is_slower ? "" : ", one latency");
  if (odd_link)
    list += fmt::format("; link {} is slower", *odd_link);
  if (odd_device)
    list += fmt::format("; GPU {} is of another kind", *odd_device);
  if (late)
    list += fmt::format("; rank {} starts later", *late);
  for (const auto& task : tasks)
    list += fmt::format("\n  {} of {} among {} on stream {}, {} x 16 B + {} B{}", model::to_string(task.kind),
                        task.strategy, name_of(task.among), task.stream, task.pieces, task.odd_bytes,
                        task.with_gemm ? ", after a GEMM" : "");
  return list;
}

model::Cluster cluster_of(const FoldCase& described) {
  const auto ranks = described.ranks();
  auto cluster = machine("nodes", static_cast<int>(ranks), {.bandwidth = 100e9}, gpu(false), 2,
                         std::make_shared<NodesRouter>(described));
  auto& links = cluster.links.stored();
  for (std::uint32_t i = 0; i < 2 * ranks; ++i)
    links.push_back({"up" + std::to_string(i), model::BytesPerSecond(20e9), {}, model::Sharing::SHARED});
  for (std::uint32_t i = 0; i < described.cores; ++i)
    links.push_back({"core" + std::to_string(i),
                     model::BytesPerSecond(30e9),
                     {},
                     described.fatpipe_core ? model::Sharing::FATPIPE : model::Sharing::SHARED});
  if (described.odd_link)
    links[*described.odd_link % links.size()].bandwidth = links[*described.odd_link % links.size()].bandwidth * 0.99;
  if (described.odd_device)
    cluster.gpus[*described.odd_device % ranks].device = gpu(true);
  cluster.gpus_per_node = static_cast<int>(described.per_node);
  return cluster;
}

model::Job job_of(const FoldCase& described, const model::Cluster& cluster) {
  model::Job job;
  job.ranks = static_cast<int>(described.ranks());
  job.streams = {"one", "other"};
  job.names = {""};
  // Groups of unlike sizes have schedules of their own, and so their members programs of their own.
  std::vector<std::vector<model::Task>> programs(2);
  for (const auto& task : described.tasks) {
    const auto groups = groups_of(described, task.among);
    job.groupings.emplace_back(name_of(task.among), job.ranks, groups);
    for (std::size_t i = 0; i < programs.size(); ++i) {
      const auto& members = groups[std::min(i, groups.size() - 1)];
      if (i == 0 || members.size() != groups[0].size())
        job.schedules.push_back(schedule_of(task, static_cast<int>(members.size()), cluster));
      programs[i].push_back({.schedule = static_cast<std::uint32_t>(job.schedules.size()) - 1,
                             .grouping = static_cast<std::uint32_t>(job.groupings.size()) - 1,
                             .stream = task.stream});
    }
  }
  const bool is_two_jobs = std::any_of(described.tasks.begin(), described.tasks.end(),
                                       [](const FoldTask& task) { return task.among == Among::HALVES; });
  programs.resize(is_two_jobs ? 2 : 1);
  for (const auto& tasks : programs) {
    model::TaskProgramBuilder builder;
    for (const auto& task : tasks)
      builder.add(task);
    job.programs.push_back(builder.build());
  }
  for (std::uint32_t rank = 0; is_two_jobs && rank < described.ranks(); ++rank)
    job.program_of.push_back(rank < std::max(1U, described.ranks() / 3) ? 0 : 1);
  return job;
}

std::vector<double> starts_of(const FoldCase& described) {
  std::vector<double> starts(described.ranks(), 0.0);
  if (described.late)
    starts[*described.late % described.ranks()] = 7e-6;
  return starts;
}

FoldCase random_case(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  FoldCase made;
  made.nodes = std::array{1U, 2U, 3U, 4U, 4U, 8U, 16U}[pick(7)];
  made.per_node = std::array{1U, 2U, 3U, 4U, 8U}[pick(made.nodes > 8 ? 2 : made.nodes > 4 ? 4 : 5)];
  if (made.ranks() < 2)
    made.per_node = 4;
  made.shares_uplink = pick(2) == 0;
  made.cores = std::array{0U, 1U, 2U, 3U}[pick(4)];
  made.fatpipe_core = pick(4) == 0;
  made.far_is_slower = pick(4) != 0;
  if (pick(12) == 0)
    made.odd_link = pick(1000);
  if (pick(12) == 0)
    made.odd_device = pick(1000);
  if (pick(12) == 0)
    made.late = pick(1000);
  made.tasks.clear();
  for (auto tasks = 1 + pick(3); tasks > 0; --tasks) {
    FoldTask task;
    task.with_gemm = pick(3) == 0;
    static const std::array fused{"sequential", "concurrent", "decomposed",         "tile-fused",
                                  "t3",         "t3-mca",     "t3:algorithm=direct"};
    static const std::array alone{"ring",
                                  "ring",
                                  "ring",
                                  "direct",
                                  "direct",
                                  "direct",
                                  "halving-doubling",
                                  "hierarchical",
                                  "tree",
                                  "nvls",
                                  "pairwise",
                                  "bruck",
                                  "ring:mover=ce",
                                  "direct:window=2",
                                  "ring:channels=2",
                                  "ring:order=links"};
    task.strategy = task.with_gemm ? fused[pick(fused.size())] : alone[pick(alone.size())];
    static const std::array kinds{
        CollectiveKind::ALL_REDUCE, CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER,
        CollectiveKind::ALL_GATHER, CollectiveKind::ALL_TO_ALL, CollectiveKind::BROADCAST,
        CollectiveKind::REDUCE,     CollectiveKind::SEND_RECV,  CollectiveKind::BARRIER};
    task.kind = task.with_gemm ? (pick(4) == 0 ? CollectiveKind::ALL_TO_ALL : CollectiveKind::ALL_REDUCE)
                               : kinds[pick(kinds.size())];
    task.among = std::array{Among::ALL, Among::ALL, Among::NODES, Among::SAME_PLACES, Among::HALVES}[pick(5)];
    task.stream = static_cast<std::uint16_t>(pick(2));
    task.pieces = std::array{1U, 4U, 1000U}[pick(3)];
    if (task.kind == CollectiveKind::BARRIER)
      task.pieces = 0;
    task.odd_bytes = pick(10) == 0 && task.pieces > 0 ? 8 : 0;
    made.tasks.push_back(task);
  }
  return made;
}

std::vector<FoldCase> smaller(const FoldCase& described) {
  std::vector<FoldCase> list;
  const auto with = [&](const auto& change) {
    auto other = described;
    change(other);
    if (other.text() != described.text() && other.ranks() > 0 && !other.tasks.empty())
      list.push_back(other);
  };
  with([](FoldCase& c) { c.nodes /= 2; });
  with([](FoldCase& c) { --c.nodes; });
  with([](FoldCase& c) { c.per_node /= 2; });
  with([](FoldCase& c) { --c.per_node; });
  for (std::size_t i = 0; i < described.tasks.size(); ++i) {
    with([&](FoldCase& c) { c.tasks.erase(c.tasks.begin() + static_cast<std::ptrdiff_t>(i)); });
    with([&](FoldCase& c) { c.tasks[i].pieces = std::min(c.tasks[i].pieces, 1U); });
    with([&](FoldCase& c) { c.tasks[i].odd_bytes = 0; });
    with([&](FoldCase& c) { c.tasks[i].stream = 0; });
    with([&](FoldCase& c) { c.tasks[i].among = Among::ALL; });
  }
  with([](FoldCase& c) { c.odd_link.reset(); });
  with([](FoldCase& c) { c.odd_device.reset(); });
  with([](FoldCase& c) { c.late.reset(); });
  with([](FoldCase& c) { c.cores = 0; });
  with([](FoldCase& c) { c.fatpipe_core = false; });
  with([](FoldCase& c) { c.shares_uplink = false; });
  with([](FoldCase& c) { c.far_is_slower = false; });
  return list;
}

FoldAnswer fold_and_compare(const FoldCase& described) {
  const auto cluster = cluster_of(described);
  const auto job = job_of(described, cluster);
  const auto run = [&](engine::Fold fold) {
    const engine::PlayOptions options{
        .fold = fold, .record_times = true, .record_tasks = true, .start_times_s = starts_of(described)};
    return in_child([&] { return told(engine::play(cluster, job, options)); });
  };
  const auto whole = run(engine::Fold::OFF), folded = run(engine::Fold::ON);
  const auto rest = [](const std::string& text) { return text.substr(text.find('\n') + 1); };
  return {std::stoul(folded), difference(rest(whole), rest(folded))};
}

} // namespace tandem::test
