// Algorithms alone against closed forms, where only the wires take time: docs/models.md, "Collectives".
#include "collective/strategy.h"
#include "collective/verify.h"
#include "engine/child.h"
#include "engine/machines.h"
#include "engine/proven.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace tandem::test {
namespace {

using model::CollectiveKind;

constexpr double LAUNCH_S = 3e-6, LATENCY_S = 7e-7, BANDWIDTH = 1e11;
constexpr double BYTES = 16.0 * 9 * 25 * 7 * 15 * 1024; // even for every N and number of chunks below

double time_of(const std::string& strategy, CollectiveKind kind, int ranks, int root) {
  const auto cluster = switched(ranks, {.bandwidth = BANDWIDTH, .latency_s = LATENCY_S}, fast_device(LAUNCH_S));
  collective::Request request;
  request.op = {kind, ranks, model::Bytes(BYTES), root, nullptr};
  return played(cluster, proven(strategy, request, cluster)).end_s;
}

/// Time = launches + payloads x the time of the whole payload on a wire + latencies.
struct Form {
  std::string strategy;
  CollectiveKind kind;
  int ranks;
  double launches, payloads, latencies;
};

std::vector<Form> forms() {
  std::vector<Form> list;
  for (const int ranks : {2, 3, 5, 8, 9}) {
    const double others = (ranks - 1.0) / ranks;
    // Each wire carries N-1 chunks, all at once or one after the other; latencies of messages under way overlap.
    for (const auto kind : {CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER, CollectiveKind::ALL_TO_ALL})
      for (const auto* strategy : {"direct", "direct:window=1", "direct:window=3"})
        list.push_back({strategy, kind, ranks, 1, others, 1});
    list.push_back({"pairwise", CollectiveKind::ALL_TO_ALL, ranks, 1, others, 1});
    list.push_back({"direct", CollectiveKind::SEND_RECV, ranks, 1, 1, 1});
    // N-1 into one (gather) or out of one (scatter): N-1 times one transfer. With 9 ranks, the 8 -> 1 incast.
    list.push_back({"direct", CollectiveKind::SCATTER, ranks, 1, others, 1});
    list.push_back({"direct", CollectiveKind::GATHER, ranks, 1, others, 1});
    list.push_back({"direct", CollectiveKind::BROADCAST, ranks, 1, ranks - 1.0, 1});
    list.push_back({"direct", CollectiveKind::REDUCE, ranks, 1, ranks - 1.0, 1});
    list.push_back({"direct", CollectiveKind::ALL_REDUCE, ranks, 1, 2 * others, 2}); // one kernel
    // Both phases take N-1 steps of a chunk; channels share the wire and change nothing.
    for (const auto* strategy : {"ring", "ring:channels=5"})
      list.push_back({strategy, CollectiveKind::ALL_REDUCE, ranks, 1, 2 * others, 2 * (ranks - 1.0)});
    // The first of 15 chunks passes N-1 wires, the others follow it.
    for (const auto kind : {CollectiveKind::BROADCAST, CollectiveKind::REDUCE})
      list.push_back({"ring:chunks=15", kind, ranks, 1, (ranks - 1.0 + 14.0) / 15.0, ranks - 1.0});
    // So does the rest of what goes in chunks of a size: all of it is behind N-2 whole chunks.
    for (const auto kind : {CollectiveKind::BROADCAST, CollectiveKind::REDUCE})
      list.push_back(
          {"ring:chunks=15:smallest_chunk=50000000", kind, ranks, 1, 1 + (ranks - 2) * 5e7 / BYTES, ranks - 1.0});
  }
  // log2 N steps each way of 1/2, 1/4, ... ; with 5 ranks one folds into its neighbour before and gets all after.
  for (const int ranks : {2, 4, 8, 16}) {
    const double steps = std::log2(ranks), others = (ranks - 1.0) / ranks;
    list.push_back({"halving-doubling", CollectiveKind::ALL_REDUCE, ranks, 1, 2 * others, 2 * steps});
    list.push_back({"halving-doubling", CollectiveKind::REDUCE_SCATTER, ranks, 1, others, steps});
    list.push_back({"halving-doubling", CollectiveKind::ALL_GATHER, ranks, 1, others, steps});
  }
  list.push_back({"halving-doubling", CollectiveKind::ALL_REDUCE, 5, 1, 2 * 0.75 + 2, 4 + 2});
  // A rank without a partner gives all of its vector (RS) or its chunk (AG) to its neighbour first. With 5 ranks, in
  // fifths: RS 5 to fold, then 3 and 2 (the pair that stands for three ranks is the slower), 1 back; AG 1 to fold, then
  // the neighbour sends 2 and 3, more than it receives, so that no latency follows, and all 5 back.
  list.push_back({"halving-doubling", CollectiveKind::REDUCE_SCATTER, 5, 1, 1 + 0.6 + 0.4 + 0.2, 4});
  list.push_back({"halving-doubling", CollectiveKind::ALL_GATHER, 5, 1, 0.2 + 0.4 + 0.6 + 1, 2});
  for (const int ranks : {2, 3, 5, 8, 9}) {
    // Steps of distance 1, 2, 4, ...: an all-gather moves min(d, N - d) chunks in each, N-1 together. PAT goes the
    // same distances the other way round and moves as much. An all-to-all moves each block once for each bit of its
    // way.
    int steps = 0;
    double blocks = 0;
    for (; 1 << steps < ranks; ++steps)
      for (int way = 1; way < ranks; ++way)
        blocks += way >> steps & 1;
    const double others = (ranks - 1.0) / ranks, latencies = steps;
    list.push_back({"bruck", CollectiveKind::ALL_GATHER, ranks, 1, others, latencies});
    list.push_back({"bruck", CollectiveKind::BARRIER, ranks, 1, 0, latencies}); // messages without bytes
    list.push_back({"bruck", CollectiveKind::ALL_TO_ALL, ranks, 1, blocks / ranks, latencies});
    list.push_back({"pat", CollectiveKind::ALL_GATHER, ranks, 1, others, latencies});
    list.push_back({"pat", CollectiveKind::REDUCE_SCATTER, ranks, 1, others, latencies});
    // A reduce takes its children one after the other, each when it has its own: one payload and one latency per step.
    list.push_back({"binomial", CollectiveKind::REDUCE, ranks, 1, latencies, latencies});
  }
  // A broadcast's root sends to N/2, N/4, ... one after the other. The last to have it: with N a power of two all ways
  // take as long but for their latencies, and the longest has log2 N hops. With 5 ranks the root sends to 4, 2 and 1,
  // and 2 to 3: two payloads and a hop to 2, a third one to 3. A scatter and a gather halve or double what they pass.
  for (const int ranks : {2, 4, 8, 16}) {
    const double steps = std::log2(ranks), others = (ranks - 1.0) / ranks;
    list.push_back({"binomial", CollectiveKind::BROADCAST, ranks, 1, steps, steps});
    list.push_back({"binomial", CollectiveKind::SCATTER, ranks, 1, others, steps});
    list.push_back({"binomial", CollectiveKind::GATHER, ranks, 1, others, steps});
  }
  list.push_back({"binomial", CollectiveKind::BROADCAST, 5, 1, 3, 2});
  // Two levels below the root of a full tree of 7; the two children of a rank share its wire.
  list.push_back({"tree:chunks=1", CollectiveKind::BROADCAST, 7, 1, 4, 2});
  list.push_back({"tree:chunks=1", CollectiveKind::REDUCE, 7, 1, 4, 2});
  // Two ranks: each is the root of one tree, for a half of the payload, up and down, and wires are full duplex.
  list.push_back({"tree:chunks=1", CollectiveKind::ALL_REDUCE, 2, 1, 1, 2});
  return list;
}

TEST(Collectives, TakeTheTimesOfTheClosedForms) {
  for (const auto& form : forms())
    for (const int root : {0, form.ranks - 1}) {
      const double expected = form.launches * LAUNCH_S + form.payloads * BYTES / BANDWIDTH + form.latencies * LATENCY_S;
      const double time = time_of(form.strategy, form.kind, form.ranks, root);
      EXPECT_NEAR(time, expected, 1e-9 * expected)
          << fmt::format("{} {} on {} ranks, root {}", form.strategy, model::to_string(form.kind), form.ranks, root);
    }
}

/// One rank has B for every other one, the others nothing: one wire out for all of it, whatever the window.
TEST(Collectives, TakeTheTimeOfTheBusiestRankOfASkewedAllToAll) {
  constexpr int RANKS = 5;
  const auto cluster = switched(RANKS, {.bandwidth = BANDWIDTH, .latency_s = LATENCY_S}, fast_device(LAUNCH_S));
  std::vector<double> pairs(RANKS * RANKS, 0.0);
  for (int to = 0; to < RANKS; ++to)
    pairs[static_cast<std::size_t>(2 * RANKS + to)] = BYTES;
  const collective::Request request{
      {CollectiveKind::ALL_TO_ALL_V, RANKS, model::Bytes(BYTES), 0, std::make_shared<const std::vector<double>>(pairs)},
      std::nullopt};
  for (const auto* strategy : {"pairwise", "pairwise:window=1", "pairwise:window=0"}) {
    const auto schedule = collective::select_strategy(strategy).strategy->plan(request, cluster);
    EXPECT_EQ(collective::verify(schedule), "");
    const double expected = LAUNCH_S + (RANKS - 1) * BYTES / BANDWIDTH + LATENCY_S;
    EXPECT_NEAR(played(cluster, schedule).end_s, expected, 1e-9 * expected) << strategy;
  }
}

/// A chunk of a size makes no jump where one more begins, as a number of even chunks does.
TEST(Collectives, APipelineTakesLongerForMoreBytes) {
  const auto cluster = switched(8, {.bandwidth = BANDWIDTH, .latency_s = LATENCY_S}, fast_device(LAUNCH_S));
  for (const auto& [strategy, kind] : std::vector<std::pair<std::string, CollectiveKind>>{
           {"ring:chunks=3:smallest_chunk=500", CollectiveKind::BROADCAST},
           {"tree:chunks=3:smallest_chunk=500", CollectiveKind::ALL_REDUCE}}) {
    double before = 0.0;
    for (int bytes = 128; bytes <= 8192; bytes += 128) { // as many in the shares of both trees
      const model::CollectiveOp op{.kind = kind, .ranks = 8, .bytes = model::Bytes(bytes)};
      const double time = played(cluster, proven(strategy, {op, std::nullopt}, cluster)).end_s;
      EXPECT_GT(time, before) << strategy << " " << bytes;
      before = time;
    }
  }
}

/// What pipelining is for: a tree's time goes to that of its busiest wire.
TEST(Collectives, ChunksHideTheDepthOfATree) {
  const double one = time_of("tree:chunks=1", CollectiveKind::ALL_REDUCE, 16, 0);
  const double many = time_of("tree:chunks=60", CollectiveKind::ALL_REDUCE, 16, 0);
  EXPECT_LT(many, 0.5 * one);
}

} // namespace
} // namespace tandem::test
