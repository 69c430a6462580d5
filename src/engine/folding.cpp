// From a job to its talk graph and classes.
#include "engine/folding.h"

#include "model/explain_classes.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tandem::engine {

namespace {

using model::Leg;

/// Numbers keys in the order in which they come.
template <class Key> class Numbers {
public:
  std::uint32_t of(Key key) {
    return known_.try_emplace(std::move(key), static_cast<std::uint32_t>(known_.size())).first->second;
  }

private:
  std::map<Key, std::uint32_t> known_;
};

/// All of a device that the engine uses.
auto device_key(const model::Device& device) {
  std::vector<std::pair<double, int>> thresholds;
  for (const auto& threshold : device.queue.thresholds)
    thresholds.emplace_back(threshold.intensity, threshold.entries);
  return std::tuple(device.name, device.sms, device.hbm_bandwidth.value(), device.memory_efficiency,
                    device.sm_copy_bandwidth.value(), device.near_memory.update_cost,
                    device.near_memory.tracker_entries, device.near_memory.spill_bytes.value(), device.queue.depth,
                    device.queue.compute_entries, device.queue.starvation_share, thresholds);
}

std::vector<std::uint32_t> device_numbers(const model::Cluster& cluster, std::size_t ranks) {
  Numbers<decltype(device_key({}))> numbers;
  std::unordered_map<const model::Device*, std::uint32_t> known; // many GPUs share one
  std::vector<std::uint32_t> list;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto* device = &*cluster.gpus[rank].device;
    const auto found = known.find(device);
    list.push_back(found != known.end() ? found->second : known[device] = numbers.of(device_key(*device)));
  }
  return list;
}

/// Pieces as the member at position p counts them begin at p x pieces_per_chunk: members whose sizes of pieces come in
/// one order from there are alike. The sizes repeat after the returned number of pieces (Knuth, Morris, Pratt).
std::uint32_t period(const std::vector<double>& sizes) {
  std::vector<std::uint32_t> border(sizes.size() + 1, 0); // of the first i sizes, the longest proper one
  for (std::uint32_t i = 1, k = 0; i < sizes.size(); ++i) {
    while (k > 0 && sizes[i] != sizes[k])
      k = border[k];
    k += sizes[i] == sizes[k] ? 1 : 0;
    border[i + 1] = k;
  }
  const auto size = static_cast<std::uint32_t>(sizes.size());
  const auto step = size - border[size];
  return step > 0 && size % step == 0 ? step : size;
}

/// What of the tasks' sizes depends on the rank's positions in its groups.
std::vector<std::uint32_t> size_numbers(const model::Job& job) {
  std::vector<std::uint32_t> periods;
  for (const auto& schedule : job.schedules)
    periods.push_back(std::max(1U, period(schedule->piece_bytes)));
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> uneven; // by program: schedule, grouping
  for (const auto& program : job.programs) {
    auto& list = uneven.emplace_back();
    for (const auto& task : program.tasks)
      if (periods[task.schedule] > 1)
        list.emplace_back(task.schedule, task.grouping);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  Numbers<std::vector<std::uint32_t>> numbers;
  std::vector<std::uint32_t> list;
  std::vector<std::uint32_t> key;
  for (std::uint32_t rank = 0; rank < static_cast<std::uint32_t>(job.ranks); ++rank) {
    key.clear();
    for (const auto& [schedule, grouping] : uneven[job.program_of.empty() ? 0 : job.program_of[rank]]) {
      const std::uint64_t first =
          std::uint64_t{job.groupings[grouping].place(rank)->position} * job.schedules[schedule]->pieces_per_chunk;
      key.push_back(static_cast<std::uint32_t>(first % periods[schedule]));
    }
    list.push_back(numbers.of(key));
  }
  return list;
}

/// Half of a route, between a GPU and the switch in the middle of it.
std::span<const model::LinkId> half(const std::vector<model::LinkId>& links, Leg leg) {
  const std::span whole(links);
  const auto middle = links.size() / 2;
  return leg == Leg::TO_SWITCH ? whole.first(middle) : whole.subspan(middle);
}

} // namespace

Folding::Folding(const model::Cluster& cluster, const model::Job& job, const Roles& roles, const PlayOptions& options)
    : roles_(roles), graph_(cluster.links) {
  add_colours(cluster, job, options);
  add_talk(cluster);
  graph_.finish();
  choose(options.fold);
  count_links();
}

void Folding::choose(Fold fold) {
  if (fold == Fold::OFF) {
    classes_ = model::unfolded(graph_);
    return;
  }
  colouring_ = model::refine(graph_);
  classes_ = model::quotient(graph_, colouring_->of_rank, colouring_->of_link);
  // Flows of a class to itself may need a second activity per message: that pays only where enough ranks are alike.
  if (fold == Fold::AUTO && 2 * classes_.classes.size() > graph_.ranks())
    classes_ = model::unfolded(graph_);
}

void Folding::count_links() {
  links_.assign(classes_.flow_classes.size(), 0.0);
  for (std::uint32_t rank = 0; rank < graph_.ranks(); ++rank) {
    const auto rank_class = classes_.class_of[rank];
    auto flow_class = classes_.first_flow[rank_class];
    for (const auto& flow : graph_.flows(rank))
      links_[flow_class++] +=
          static_cast<double>(graph_.crossed(flow.route).size()) / classes_.classes[rank_class].size;
  }
}

void Folding::add_colours(const model::Cluster& cluster, const model::Job& job, const PlayOptions& options) {
  const auto ranks = static_cast<std::uint32_t>(job.ranks);
  const auto devices = device_numbers(cluster, ranks);
  const auto sizes = size_numbers(job);
  Numbers<double> starts;
  Numbers<Own> colours;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const double start = options.start_times_s.empty() ? 0.0 : options.start_times_s[rank];
    own_.push_back({roles_.of(rank).alike, devices[rank], starts.of(start), sizes[rank]});
    colours_.push_back(colours.of(own_.back()));
  }
}

/// Of each rank: a flow for each channel out to its other end, and one for each leg, which ends where it begins: whom
/// its channel goes to is said already.
void Folding::add_talk(const model::Cluster& cluster) {
  std::vector<std::uint32_t> unmatched(own_.size(), 0); // channels that nobody receives from; a schedule may be stuck
  std::map<std::pair<std::uint32_t, bool>, std::uint32_t> routes; // of one rank, by peer and whether latency counts
  for (std::uint32_t rank = 0; rank < own_.size(); ++rank) {
    graph_.add_rank(colours_[rank]);
    const auto& role = roles_.of(rank);
    const auto whole = [&](std::uint32_t peer) { return cluster.route(model::Rank(rank), model::Rank(peer)); };
    routes.clear();
    for (const auto& key : role.out) {
      const auto peer = roles_.peer(rank, key);
      const auto& other = roles_.of(peer);
      const auto end = other.place_in.find(roles_.other_end(rank, key));
      const bool own_latency = end == other.place_in.end() || !other.states_latency[end->second];
      const auto [known, is_new] = routes.try_emplace({peer, own_latency}, 0);
      if (is_new) {
        const auto route = whole(peer);
        known->second = graph_.add_route(route.links, own_latency ? route.latency : model::Seconds());
      }
      const auto place = end != other.place_in.end()
                             ? end->second
                             : static_cast<std::uint32_t>(other.in.size() + other.legs.size()) + unmatched[peer]++;
      graph_.add_flow({peer, place, known->second});
    }
    auto place = static_cast<std::uint32_t>(role.in.size());
    for (const auto& [channel, leg] : role.legs) {
      const auto route = whole(roles_.peer(rank, role.out[channel]));
      graph_.add_flow({rank, place++, graph_.add_route(half(route.links, leg), route.latency)});
    }
  }
}

std::uint32_t Folding::incoming(std::uint32_t played, std::uint32_t place) const {
  const auto at = graph_.receive_at(rank(played)) + place;
  if (at >= graph_.receive_at(rank(played) + 1) || graph_.incoming()[at] == model::TalkGraph::NO_FLOW)
    return model::TalkGraph::NO_FLOW;
  const auto flow = graph_.incoming()[at];
  const auto sender = graph_.sender(flow);
  return classes_.first_flow[classes_.class_of[sender]] + flow - graph_.first_flow(sender);
}

std::string Folding::difference(std::uint32_t rank, std::uint32_t other) const {
  const auto& a = own_[rank];
  const auto& b = own_[other];
  const auto* what = a.device != b.device ? "is another device than"
                     : a.start != b.start ? "starts at another time than"
                     : a.role != b.role   ? "has another program than"
                                          : "has pieces of other sizes than";
  return "rank " + std::to_string(rank) + " " + what + " rank " + std::to_string(other);
}

std::vector<std::string> Folding::explained() const {
  if (!colouring_)
    return {"every rank is played by itself"};
  const auto classes = model::quotient(graph_, colouring_->of_rank, colouring_->of_link);
  return model::class_lines(graph_, *colouring_, classes,
                            [this](std::uint32_t rank, std::uint32_t other) { return difference(rank, other); });
}

} // namespace tandem::engine
