// The main loop of a GPU's actor: tasks begin and end, and every activity in flight is waited for in one place.
#include "engine/executor.h"

#include "base/error.h"
#include "engine/world.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <utility>

namespace tandem::engine {

using model::Access;
using model::Arbitration;

Executor::Executor(World& world, std::uint32_t number, double start_s)
    : world_(world), number_(number), rank_(world.folding.rank(number)),
      ranks_(world.folding.classes().classes[number].size), start_s_(start_s), role_(world.folding.role(number)),
      program_(world.job.program(rank_)), waiting_(program_.dag.in_degrees()), remaining_(program_.tasks.size()),
      out_ports_(role_.out.size()), in_ports_(role_.in.size()), arbiter_(world.machine.device(number)),
      ledger_(world.job.memory_accounts.size(), program_.memory_at_start) {}

void Executor::run() {
  try {
    if (start_s_ > 0.0)
      sg4::this_actor::sleep_for(start_s_);
    if (world_.job.issued_by_host)
      host_.emplace(world_.job, program_, start_s_);
    for (std::uint32_t task = 0; task < waiting_.size(); ++task)
      if (waiting_[task] == 0)
        ready_.push_back(task);
    begin_ready_tasks();
    while (remaining_ > 0 && !flights_.empty()) {
      wait_for_event();
      begin_ready_tasks();
    }
    if (remaining_ > 0)
      return; // stuck: play() reports it
    finished_ = true;
    for (const auto& activity : kept_)
      if (!is_over(*activity))
        track_uncounted(activity, {});
    while (!flights_.empty()) // posted writes: SimGrid would cancel them with their actor
      ended(static_cast<std::size_t>(sg4::Activity::wait_any(flights_)));
  } catch (const std::exception& error) {
    // An exception that leaves an actor would abort the process.
    if (world_.failure.empty())
      world_.failure = fmt::format("rank {}: {}", rank_, error.what());
  }
}

void Executor::begin_ready_tasks() {
  std::size_t next = 0;
  while (next < ready_.size()) // it grows on the way
    begin_when_issued(ready_[next++]);
  ready_.clear();
}

void Executor::begin_when_issued(std::uint32_t task) {
  if (!host_) {
    begin_task(task);
    return;
  }
  const auto issued = host_->issued_s(task);
  if (!issued) {
    unissued_.push_back(task);
    return;
  }
  const double ahead = sg4::Engine::get_clock() - *issued;
  if (ahead >= 0.0) {
    begin_task(task);
    return;
  }
  meter_.begin_wait_for_host(sg4::Engine::get_clock());
  delay(-ahead, {nullptr, Waits::HOST, task});
}

void Executor::begin_task(std::uint32_t number) {
  const auto& task = program_.tasks[number];
  const auto& grouping = world_.job.groupings[task.grouping];
  const auto place = grouping.place(rank_);
  if (!place)
    throw base::Bug(fmt::format("task {} wants a group of {}, the rank is in none", number, grouping.name()));
  if (idle_.empty())
    idle_.push_back(std::make_unique<Player>(*this));
  auto& player = *playing_.emplace_back(std::move(idle_.back()));
  idle_.pop_back();
  ledger_.change(world_.job.memory_changes[task.memory].begin, sg4::Engine::get_clock());
  player.begin(number, task, world_.schedules[task.schedule], world_.roles.lane(task), place->position,
               grouping.groups()[place->group]);
  if (world_.options.record_tasks)
    tasks_.push_back({rank_, number, sg4::Engine::get_clock(), -1.0});
  share_memory();
  settle(player);
}

void Executor::settle(Player& player) {
  player.settle();
  if (player.finished())
    end_task(player);
}

void Executor::end_task(Player& player) {
  const double now = sg4::Engine::get_clock();
  const auto number = player.task();
  const auto& task = program_.tasks[number];
  if (world_.options.record_items) {
    items_.resize(program_.tasks.size());
    items_[number] = player.meter().end_item(now);
  }
  for (std::size_t resource = 0; resource < player.slots().size(); ++resource) {
    const auto& described = player.schedule().resources[resource];
    const auto& slots = player.slots()[resource];
    add_use(resources_, {described.name, described.capacity, slots.peak(), slots.spills()});
  }
  if (world_.options.record_tasks)
    std::find_if(tasks_.rbegin(), tasks_.rend(), [&](const auto& record) { return record.task == number; })->end_s =
        now;
  ledger_.change(world_.job.memory_changes[task.memory].end, now);
  if (task.ends_iteration)
    marks_.push_back({now, meter_.at(now)});
  const auto found =
      std::find_if(playing_.begin(), playing_.end(), [&](const auto& other) { return other.get() == &player; });
  idle_.push_back(std::move(*found));
  playing_.erase(found);
  --remaining_;
  for (const auto successor : program_.dag.successors(number))
    if (--waiting_[successor] == 0)
      ready_.push_back(successor);
  if (host_ && host_->ended(number, now))
    for (const auto unissued : std::exchange(unissued_, {}))
      ready_.push_back(unissued);
}

/// The memory is shared as the most demanding of the schedules wants it; between schedules it stays as it is.
void Executor::share_memory() {
  if (!world_.shares_memory_by_stream || playing_.empty())
    return;
  auto policy = Arbitration::FAIR;
  for (const auto& player : playing_)
    policy = std::max(policy, player->schedule().arbitration);
  arbiter_.set_policy(policy);
}

void Executor::wait_for_event() {
  // What another actor has waited for too, and first, needs no call into SimGrid.
  for (std::size_t flight = 0; flight < flights_.size(); ++flight)
    if (flights_[flight]->get_state() == sg4::Activity::State::FINISHED) {
      ended(flight);
      return;
    }
  ended(static_cast<std::size_t>(sg4::Activity::wait_any(flights_)));
}

void Executor::ended(std::size_t flight) {
  const auto meaning = meanings_[flight];
  if (meaning.arbiter != nullptr)
    meaning.arbiter->remove(boost::static_pointer_cast<sg4::Exec>(flights_[flight]));
  if (meaning.slot != nullptr && *meaning.slot == flights_[flight]) // else the slot serves a later message by now
    meaning.slot->reset();
  flights_[flight].swap(flights_.back());
  flights_.pop_back();
  meanings_[flight] = meanings_.back();
  meanings_.pop_back();
  if (meaning.waits == Waits::HOST) {
    meter_.end_wait_for_host(sg4::Engine::get_clock());
    begin_task(meaning.index);
  }
  if (meaning.player == nullptr)
    return;
  meaning.player->ended(meaning.waits, meaning.index);
  settle(*meaning.player);
}

void Executor::track(sg4::ActivityPtr activity, const Flight& flight) {
  ++activities_;
  track_uncounted(std::move(activity), flight);
}

void Executor::keep(const sg4::ExecPtr& activity) {
  constexpr std::size_t LEAST = 8; // few, so that their memory is soon used again
  ++activities_;
  if (kept_.size() >= std::max(LEAST, keep_until_)) {
    std::erase_if(kept_, [](const sg4::ExecPtr& known) { return is_over(*known); });
    keep_until_ = 2 * kept_.size();
  }
  kept_.push_back(activity);
}

bool Executor::sees_accesses() const {
  return world_.shares_memory_by_stream;
}

void Executor::track_uncounted(sg4::ActivityPtr activity, const Flight& flight) {
  flights_.push_back(std::move(activity));
  meanings_.push_back(flight);
}

/// An activity and not a time-out: those that end together wake their actors in the order in which they began, and
/// neighbours that run one after the other find what they share in the cache.
void Executor::delay(double seconds, const Flight& flight) {
  track_uncounted(start_exec(world_.machine.gpu(number_).clock, seconds), flight);
}

sg4::ExecPtr Executor::memory_access(std::uint32_t at, double amount, model::Stream stream, Flight flight,
                                     double pace_s) {
  if (amount <= 0.0)
    return nullptr;
  auto access = start_exec(world_.machine.gpu(at).hbm, amount, {.bound = pace_s > 0.0 ? amount / pace_s : 0.0});
  auto& arbiter = world_.gpu(at).arbiter_;
  if (!sees_accesses()) {
    keep(access);
    return access;
  }
  arbiter.add(access, stream);
  flight.arbiter = &arbiter;
  track(access, flight);
  return access;
}

double Executor::book(std::uint32_t at, const std::vector<model::Traffic>& traffic, double span_bytes) {
  auto& dram = world_.gpu(at).dram_;
  const double update_cost = world_.machine.device(at).near_memory.update_cost;
  double amount = 0.0;
  for (const auto& part : traffic) {
    const double bytes = part.per_span * span_bytes + part.fixed.value();
    dram.at(part.account, part.access) += bytes;
    amount += part.access == Access::UPDATE ? bytes * update_cost : bytes;
  }
  return amount;
}

void Executor::count_message(double data, double wire, const Path& path) {
  message_bytes_ += data;
  wire_bytes_ += wire;
  wire_hop_bytes_ += wire * path.links;
  world_.flow_bytes[path.flow] += wire;
}

void Executor::started(const model::Task& task, const model::Op& op, double now) {
  if (world_.options.record_times)
    meter_.start(task, op, now);
}

void Executor::stopped(const model::Task& task, const model::Op& op, double now) {
  if (world_.options.record_times)
    meter_.stop(task, op, now);
}

void Executor::op_ended(std::uint32_t task, std::uint32_t op, double begin_s, double end_s) {
  constexpr std::uint64_t REPORTED = 4096; // one of so many, some hundred a second
  if (++world_.operations_ended % REPORTED == 0 && world_.options.progress)
    world_.options.progress(
        {end_s, static_cast<double>(world_.operations_ended) / static_cast<double>(world_.operations)});
  if (world_.options.record_ops)
    ops_.push_back({rank_, task, op, begin_s, end_s});
}

void Executor::note_intensity(double intensity, Arbitration arbitration) {
  intensity_ = intensity;
  if (arbitration == Arbitration::COMPUTE_FIRST)
    arbiter_.choose_threshold(intensity_);
}

void Executor::add_use(std::vector<model::ResourceUse>& uses, const model::ResourceUse& use) {
  const auto known =
      std::find_if(uses.begin(), uses.end(), [&](const model::ResourceUse& other) { return other.name == use.name; });
  if (known == uses.end()) {
    uses.push_back(use);
    return;
  }
  known->peak = std::max(known->peak, use.peak);
  known->spills += use.spills;
}

} // namespace tandem::engine
