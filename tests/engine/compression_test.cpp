// Compressed collectives against closed forms, and the codec that changes nothing against the bare collective, to the
// last bit: docs/models.md, "Compression".
#include "collective/strategy.h"
#include "collective/verify.h"
#include "engine/child.h"
#include "engine/machines.h"
#include "engine/proven.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tandem::test {
namespace {

using model::CollectiveKind;

constexpr double LAUNCH_S = 3e-6, LATENCY_S = 7e-7, BANDWIDTH = 1e11;
constexpr double BYTES = 16.0 * 9 * 25 * 7 * 15 * 1024;

/// SMs, memory and wires that all take their share.
model::Device busy_device() {
  auto device = round_device();
  device.kernel_launch = model::Seconds(LAUNCH_S);
  device.hbm_bandwidth = model::BytesPerSecond(3e11);
  device.sm_copy_bandwidth = model::BytesPerSecond(4e9);
  return device;
}

model::Recording record(const std::string& strategy, CollectiveKind kind, int ranks, const model::Device& device) {
  const auto cluster = switched(ranks, {.bandwidth = BANDWIDTH, .latency_s = LATENCY_S}, device);
  const collective::Request request{.op = {.kind = kind, .ranks = ranks, .bytes = model::Bytes(BYTES)},
                                    .producer = std::nullopt};
  return played(cluster, proven(strategy, request, cluster));
}

/// Ratio 4, a rate each way, and what each use costs beside.
struct CodecForm {
  std::string text;
  double encode, decode, launch_s;
};
const std::vector<CodecForm> CODECS{
    {"+zfp:rate=8:threshold=0B:encode=80GBps:decode=1TBps", 8e10, 1e12, LAUNCH_S},
    {"+zfp:rate=8:threshold=0B:encode=80GBps:decode=1TBps:where=inline", 8e10, 1e12, 0.0},
    {"+zfp:rate=8:threshold=0B:encode=80GBps:decode=1TBps:where=beside", 8e10, 1e12, 0.0},
    {"+zfp:rate=8:threshold=0B:encode=80GBps:decode=1TBps:where=kernel:sms=40", 4e10, 5e11, LAUNCH_S},
};

/// Ring, chunk c, ratio 4. Reduce-scatter: N-1 hops, each encodes, sends a quarter and decodes. All-gather: encodes
/// once, N-1 hops of a quarter without the codec, decodes the last arrival; earlier ones are decoded beside.
TEST(Compression, RingTakesTheClosedForm) {
  for (const auto& codec : CODECS)
    for (const int ranks : {2, 3, 5, 8}) {
      SCOPED_TRACE(fmt::format("{} {}", codec.text, ranks));
      const double chunk = BYTES / ranks, hops = ranks - 1;
      const double encode = codec.launch_s + chunk / codec.encode, decode = codec.launch_s + chunk / codec.decode;
      const double wire = chunk / 4.0 / BANDWIDTH + LATENCY_S;
      const double scatter = LAUNCH_S + hops * (encode + wire + decode);
      const double gather = LAUNCH_S + encode + hops * wire + decode;
      const auto end = [&](CollectiveKind kind) {
        return record("ring" + codec.text, kind, ranks, fast_device(LAUNCH_S)).end_s;
      };
      EXPECT_NEAR(end(CollectiveKind::REDUCE_SCATTER), scatter, 1e-9 * scatter);
      EXPECT_NEAR(end(CollectiveKind::ALL_GATHER), gather, 1e-9 * gather);
      const double both = scatter + gather - LAUNCH_S; // one kernel
      EXPECT_NEAR(end(CollectiveKind::ALL_REDUCE), both, 1e-9 * both);
    }
}

/// Direct, one send at a time: the own chunk is encoded once for all, each arrival is decoded when it is in.
TEST(Compression, DirectAllGatherEncodesOnce) {
  for (const int ranks : {2, 3, 5, 8}) {
    const double chunk = BYTES / ranks;
    const double expected =
        2 * LAUNCH_S + chunk / 8e10 + (ranks - 1) * chunk / 4.0 / BANDWIDTH + LATENCY_S + LAUNCH_S + chunk / 1e12;
    const auto recording =
        record("direct:window=1" + CODECS.front().text, CollectiveKind::ALL_GATHER, ranks, fast_device(LAUNCH_S));
    EXPECT_NEAR(recording.end_s, expected, 1e-9 * expected) << ranks;
  }
}

TEST(Compression, LinksCarryAQuarterOfTheMessages) {
  const auto recording = record("ring" + CODECS.front().text, CollectiveKind::ALL_REDUCE, 5, fast_device(LAUNCH_S));
  EXPECT_DOUBLE_EQ(recording.message_bytes, 2.0 * 4 * BYTES);
  EXPECT_DOUBLE_EQ(recording.wire_bytes, recording.message_bytes / 4.0);
  EXPECT_DOUBLE_EQ(recording.wire_hop_bytes, 2.0 * recording.wire_bytes);
  const auto bare = record("ring", CollectiveKind::ALL_REDUCE, 5, fast_device(LAUNCH_S));
  EXPECT_EQ(bare.wire_bytes, bare.message_bytes);
}

/// Without the phases in which nothing took time: an encoding in no time opens one, an arrival does not.
model::Recording without_empty_phases(model::Recording recording) {
  for (auto& item : recording.items)
    for (auto& rank : item)
      for (auto& phase : rank.phases)
        if (phase.busy_s == 0.0)
          phase = {};
  return recording;
}

/// Ratio 1, no time: encodings and decodings are there, and change not a bit of any time, byte or share.
TEST(Compression, CodecThatChangesNothingIsTheBareCollectiveToTheLastBit) {
  for (const std::string strategy : {"ring", "ring:channels=3", "direct", "direct:window=2", "tree:chunks=5",
                                     "halving-doubling", "sequential", "ring:sms=7"})
    for (const int ranks : {2, 5, 8}) {
      SCOPED_TRACE(fmt::format("{} {}", strategy, ranks));
      const auto bare = record(strategy, CollectiveKind::ALL_REDUCE, ranks, busy_device());
      const auto coded = record(strategy + "+ideal", CollectiveKind::ALL_REDUCE, ranks, busy_device());
      EXPECT_TRUE(bytes_of(without_empty_phases(bare)) == bytes_of(without_empty_phases(coded)));
    }
}

/// Negative control: a codec that takes any time, or a ratio above 1, does change it.
TEST(Compression, AnyOtherCodecDoesNot) {
  const auto bare = record("ring", CollectiveKind::ALL_REDUCE, 5, busy_device());
  EXPECT_LT(record("ring+ideal:ratio=1.01", CollectiveKind::ALL_REDUCE, 5, busy_device()).end_s, bare.end_s);
  EXPECT_GT(
      record("ring+mpc:ratio=1:where=inline:memory=0:threshold=0B", CollectiveKind::ALL_REDUCE, 5, busy_device()).end_s,
      bare.end_s);
}

} // namespace
} // namespace tandem::test
