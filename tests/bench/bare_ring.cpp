// One plain loop per actor: start the activities of a step, wait until all have ended, next step.
#include "bench/bare_ring.h"

#include "engine/simgrid.h"

#include <algorithm>
#include <string>
#include <vector>

namespace tandem::bench {

namespace {

namespace sg4 = simgrid::s4u;

struct Ring {
  const model::Device& device;
  std::vector<sg4::Host*> sms, memories;
  double chunk, bandwidth, latency_s;
  std::uint64_t activities = 0;
};

void wait_for_all(std::vector<sg4::ActivityPtr>& pending) {
  while (!pending.empty()) {
    const auto done = sg4::Activity::wait_any(pending);
    std::swap(pending[static_cast<std::size_t>(done)], pending.back());
    pending.pop_back();
  }
}

class RankLoop {
public:
  RankLoop(Ring& ring, std::size_t rank) : ring_(ring), rank_(rank), next_((rank + 1) % ring.sms.size()) {}

  void operator()() {
    const auto ranks = ring_.sms.size();
    out_ = sg4::Mailbox::by_name(std::to_string(rank_));
    in_ = sg4::Mailbox::by_name(std::to_string((rank_ + ranks - 1) % ranks));
    for (std::size_t step = 0; step < ranks - 1; ++step)
      play_step(step == 0 ? 2.0 : 3.0, step == 0 ? 1.0 : 2.0);
    start_access(rank_, 3.0, 0.0);
    start_work(3.0);
    wait_for_all(pending_);
    for (std::size_t step = 0; step < ranks - 1; ++step)
      play_step(2.0, 1.0);
  }

private:
  void play_step(double moved, double read) {
    const double kernel_s = moved * ring_.chunk / ring_.device.sm_copy_bandwidth.value() / ring_.device.sms;
    const double pace_s = std::max(ring_.chunk / ring_.bandwidth, kernel_s);
    start_access(rank_, read, pace_s);
    start_work(moved);
    start_access(next_, 1.0, pace_s);
    start(out_->put_async(&ring_, static_cast<std::uint64_t>(ring_.chunk)));
    start(in_->get_async<Ring>(&payload_));
    wait_for_all(pending_);
    if (ring_.latency_s > 0.0)
      sg4::this_actor::sleep_for(ring_.latency_s);
  }

  void start_access(std::size_t at, double per_byte, double pace_s) {
    const double amount = per_byte * ring_.chunk;
    auto access = sg4::this_actor::exec_init(amount)->set_host(ring_.memories[at]);
    if (pace_s > 0.0)
      access->set_bound(amount / pace_s);
    access->start();
    start(access);
  }

  void start_work(double moved) {
    const double amount = moved * ring_.chunk / ring_.device.sm_copy_bandwidth.value();
    auto work = sg4::this_actor::exec_init(amount)->set_host(ring_.sms[rank_]);
    work->set_priority(ring_.device.sms);
    work->start();
    start(work);
  }

  void start(sg4::ActivityPtr activity) {
    ++ring_.activities;
    pending_.push_back(std::move(activity));
  }

  Ring& ring_;
  std::size_t rank_, next_;
  sg4::Mailbox* out_ = nullptr;
  sg4::Mailbox* in_ = nullptr;
  Ring* payload_ = nullptr;
  std::vector<sg4::ActivityPtr> pending_;
};

class MessageLoop {
public:
  MessageLoop(Ring& ring, std::size_t rank, int count, double start_s)
      : ring_(ring), rank_(rank), count_(count), start_s_(start_s) {}

  void operator()() {
    if (start_s_ > 0.0)
      sg4::this_actor::sleep_for(start_s_);
    const auto ranks = ring_.sms.size();
    auto* out = sg4::Mailbox::by_name(std::to_string(rank_));
    auto* in = sg4::Mailbox::by_name(std::to_string((rank_ + ranks - 1) % ranks));
    Ring* payload = nullptr;
    std::vector<sg4::ActivityPtr> pending;
    for (int message = 0; message < count_; ++message) {
      pending.push_back(out->put_async(&ring_, static_cast<std::uint64_t>(ring_.chunk)));
      pending.push_back(in->get_async<Ring>(&payload));
      ring_.activities += 2;
      wait_for_all(pending);
    }
  }

private:
  Ring& ring_;
  std::size_t rank_;
  int count_;
  double start_s_;
};

/// The machine, with a link from each GPU to the next one.
Ring make_ring(const model::Cluster& cluster, int ranks, double chunk) {
  const auto& device = *cluster.gpus.front().device;
  const auto& link = cluster.links.front();
  Ring ring{device, {}, {}, chunk, link.bandwidth.value(), link.latency.value()};
  auto* world = sg4::create_full_zone("world");
  auto* gpus = sg4::create_full_zone("gpus");
  auto* memories = sg4::create_empty_zone("memories");
  gpus->set_parent(world);
  memories->set_parent(world);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto name = std::to_string(rank);
    ring.sms.push_back(gpus->create_host("gpu" + name, device.sms)->seal());
    ring.memories.push_back(memories->create_host("hbm" + name, device.hbm_bandwidth.value())->seal());
  }
  memories->seal();
  for (std::size_t rank = 0; rank < ring.sms.size(); ++rank) {
    const auto* wire = gpus->create_link("link" + std::to_string(rank), ring.bandwidth)->seal();
    gpus->add_route(ring.sms[rank]->get_netpoint(), ring.sms[(rank + 1) % ring.sms.size()]->get_netpoint(), nullptr,
                    nullptr, {sg4::LinkInRoute(wire)}, false);
  }
  gpus->seal();
  world->seal();
  return ring;
}

} // namespace

Played play_bare_ring(const model::Cluster& cluster, int ranks, double bytes) {
  auto& simgrid = engine::start_simgrid();
  auto ring = make_ring(cluster, ranks, bytes / ranks);
  for (std::size_t rank = 0; rank < ring.sms.size(); ++rank)
    sg4::Actor::create("rank", ring.sms[rank], RankLoop(ring, rank));
  simgrid.run();
  return {sg4::Engine::get_clock(), ring.activities};
}

Played play_bare_messages(const model::Cluster& cluster, const Messages& messages) {
  auto& simgrid = engine::start_simgrid();
  auto ring = make_ring(cluster, static_cast<int>(messages.starts_s.size()), messages.bytes);
  for (std::size_t rank = 0; rank < ring.sms.size(); ++rank)
    sg4::Actor::create("rank", ring.sms[rank], MessageLoop(ring, rank, messages.count, messages.starts_s[rank]));
  simgrid.run();
  return {sg4::Engine::get_clock(), ring.activities};
}

} // namespace tandem::bench
