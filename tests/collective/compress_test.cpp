// What compression makes of schedules: how often data is encoded, what waits for what, and which bytes are smaller.
#include "built_clusters.h"
#include "every_strategy.h"
#include "schedule_edit.h"

#include "base/error.h"
#include "collective/bounds.h"
#include "collective/codec.h"
#include "collective/compress.h"
#include "collective/verify.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tandem::collective {
namespace {

using model::CollectiveKind;
using model::OpKind;
using model::Schedule;

constexpr double BYTES = 4.0 * 3 * 1024;

Schedule plan(const std::string& strategy, CollectiveKind kind, int ranks = 4, double bytes = BYTES) {
  const auto selection = select_strategy(strategy);
  const auto request = plain(kind, ranks, bytes);
  EXPECT_EQ(selection.strategy->why_not(request, switch_of(ranks)), "");
  auto schedule = selection.strategy->plan(request, switch_of(ranks));
  EXPECT_EQ(verify(schedule), "");
  return schedule;
}

/// Of one rank: operations of a label, and the bytes of their spans.
struct Coded {
  int count = 0;
  double bytes = 0.0;
};

Coded coded(const Schedule& schedule, int rank, const std::string& label) {
  const model::SpanBytes bytes(schedule);
  Coded sum;
  for (const auto& op : schedule.program(rank).ops)
    if (schedule.labels.at(op.label) == label) {
      ++sum.count;
      sum.bytes += bytes(rank, op.effect.span);
    }
  return sum;
}

const std::string ZFP = "+zfp:rate=8:threshold=0B";

TEST(Compress, AllGatherEncodesOnceWhateverTheAlgorithm) {
  constexpr double OWN = BYTES / 4;
  for (const std::string strategy : {"ring", "ring:channels=3", "direct", "direct:window=1", "halving-doubling"}) {
    const auto schedule = plan(strategy + ZFP, CollectiveKind::ALL_GATHER);
    for (int rank = 0; rank < 4; ++rank) {
      EXPECT_EQ(coded(schedule, rank, "encode").bytes, OWN) << strategy;
      EXPECT_EQ(coded(schedule, rank, "decode").bytes, BYTES - OWN) << strategy;
    }
  }
}

TEST(Compress, BroadcastEncodesAtTheRootAlone) {
  for (const std::string strategy : {"ring", "tree", "direct"}) {
    const auto schedule = plan(strategy + ZFP, CollectiveKind::BROADCAST);
    for (int rank = 0; rank < 4; ++rank) {
      EXPECT_EQ(coded(schedule, rank, "encode").bytes, rank == 0 ? BYTES : 0.0) << strategy;
      EXPECT_EQ(coded(schedule, rank, "decode").bytes, rank == 0 ? 0.0 : BYTES) << strategy;
    }
  }
}

TEST(Compress, ReduceScatterEncodesEveryHop) {
  constexpr int RANKS = 4;
  for (const std::string strategy : {"ring", "direct"}) {
    const auto schedule = plan(strategy + ZFP, CollectiveKind::REDUCE_SCATTER);
    EXPECT_EQ(coded(schedule, 1, "encode").bytes, BYTES * (RANKS - 1) / RANKS) << strategy;
    EXPECT_EQ(coded(schedule, 1, "decode").bytes, BYTES * (RANKS - 1) / RANKS) << strategy;
  }
  // Of an all-reduce, the gather's part is encoded once more.
  EXPECT_EQ(coded(plan("ring" + ZFP, CollectiveKind::ALL_REDUCE), 2, "encode").bytes, BYTES);
}

/// Operations by label in an order of dependencies: a chain has one such order only.
std::vector<std::string> chain(const Schedule& schedule) {
  std::vector<std::string> names;
  const auto& program = schedule.programs.front();
  for (const auto op : program.dag.topological_order()) {
    const auto& described = program.ops[op];
    names.push_back(schedule.labels[described.label] + (described.kind == OpKind::TRANSFER ? " >" : ""));
  }
  return names;
}

bool waits(const Schedule& schedule, std::uint32_t op, std::uint32_t on) {
  const auto list = schedule.programs.front().dag.successors(on);
  return std::find(list.begin(), list.end(), op) != list.end();
}

/// 3 ranks: launch; encode, send, receive, decode; encode (reads and adds), send, receive, decode; final reduce.
TEST(Compress, ReductionDecodesAddsAndEncodesAtEachHop) {
  const auto schedule = plan("ring" + ZFP, CollectiveKind::REDUCE_SCATTER, 3);
  const auto nth = [&](const std::string& label, OpKind kind, int n) { return find_op(schedule, label, kind, n); };
  const auto first_decode = nth("decode", OpKind::WORK, 0), second_encode = nth("encode", OpKind::WORK, 1);
  EXPECT_TRUE(waits(schedule, first_decode, nth("RS step 1", OpKind::RECV, 0)));
  EXPECT_TRUE(waits(schedule, second_encode, first_decode));
  EXPECT_TRUE(waits(schedule, nth("RS step 2", OpKind::TRANSFER, 0), second_encode));
  EXPECT_TRUE(waits(schedule, nth("RS final reduce", OpKind::WORK, 0), nth("decode", OpKind::WORK, 1)));
  EXPECT_FALSE(waits(schedule, second_encode, nth("RS step 1", OpKind::RECV, 0)));
  EXPECT_EQ(chain(schedule).size(), 10u);
}

/// What came in goes on at once, beside its own decoding; what comes after the sending waits for both.
TEST(Compress, GatherSendsOnWhatItHasNotDecoded) {
  const auto schedule = plan("ring" + ZFP, CollectiveKind::ALL_GATHER, 3);
  const auto received = find_op(schedule, "AG step 1", OpKind::RECV),
             sent = find_op(schedule, "AG step 2", OpKind::TRANSFER);
  EXPECT_TRUE(waits(schedule, sent, received));
  EXPECT_FALSE(waits(schedule, sent, find_op(schedule, "decode", OpKind::WORK, 0)));
  EXPECT_TRUE(
      waits(schedule, find_op(schedule, "AG done", OpKind::WORK), find_op(schedule, "decode", OpKind::WORK, 1)));
}

TEST(Compress, SmallMessagesStayAsTheyAre) {
  auto bare = plan("ring:channels=2", CollectiveKind::ALL_REDUCE);
  auto schedule = plan("ring:channels=2+zfp:threshold=1537B", CollectiveKind::ALL_REDUCE); // messages of 1536 B
  schedule.strategy = bare.strategy;
  schedule.labels = bare.labels;
  EXPECT_EQ(difference(schedule, bare), "");
  EXPECT_EQ(coded(plan("ring:channels=2+zfp:threshold=1536B", CollectiveKind::ALL_REDUCE), 0, "encode").count, 8);
  // Chunks of 1 and 0 B: where one rank's message is large enough, the messages of that step are compressed on all.
  const auto uneven = plan("ring+zfp:threshold=1B", CollectiveKind::ALL_GATHER, 4, 1.0);
  EXPECT_EQ(coded(uneven, 0, "encode").count, 1);
  EXPECT_EQ(coded(plan("ring" + ZFP, CollectiveKind::ALL_GATHER, 4, 0.0), 0, "encode").count, 0);
}

double sum(const std::vector<model::Traffic>& traffic, model::Access access) {
  double bytes = 0.0;
  for (const auto& part : traffic)
    bytes += part.access == access ? part.per_span : 0.0;
  return bytes;
}

/// Ratio 4. Bare, a later step reads own and incoming (2) and writes at the peer (1).
TEST(Compress, CopyInMemoryIsWrittenAndReadAtBothEnds) {
  const auto schedule = plan("ring" + ZFP, CollectiveKind::REDUCE_SCATTER, 3);
  const auto& ops = schedule.programs.front().ops;
  const auto& encode = ops[find_op(schedule, "encode", OpKind::WORK, 1)];
  EXPECT_EQ(sum(encode.traffic, model::Access::READ), 2.0);
  EXPECT_EQ(sum(encode.traffic, model::Access::WRITE), 0.25);
  const auto& transfer = ops[find_op(schedule, "RS step 2", OpKind::TRANSFER)];
  EXPECT_EQ(transfer.wire_factor, 0.25);
  EXPECT_EQ(sum(transfer.traffic, model::Access::READ), 0.25);
  EXPECT_EQ(sum(transfer.peer_traffic, model::Access::WRITE), 0.25);
  EXPECT_EQ(transfer.sm_bytes_per_span, 0.5); // a load and a store
  const auto& decode = ops[find_op(schedule, "decode", OpKind::WORK, 1)];
  EXPECT_EQ(sum(decode.traffic, model::Access::READ), 0.25);
  EXPECT_EQ(sum(decode.traffic, model::Access::WRITE), 1.0);
  // At 150 GB/s on 20 SMs of 100 GB/s: 2000 / 150 bytes moved per byte, and a load more for the sum.
  EXPECT_DOUBLE_EQ(decode.sm_bytes_per_span, 2000.0 / 150.0);
  EXPECT_DOUBLE_EQ(encode.sm_bytes_per_span, 2000.0 / 150.0 + 1.0);

  const auto beside = plan("ring" + ZFP + ":memory=0:where=beside:encode=instant", CollectiveKind::REDUCE_SCATTER, 3);
  const auto& bare = plan("ring", CollectiveKind::REDUCE_SCATTER, 3);
  const auto& sent = beside.programs.front().ops[find_op(beside, "RS step 2", OpKind::TRANSFER)];
  const auto& plainly = bare.programs.front().ops[find_op(bare, "RS step 2", OpKind::TRANSFER)];
  EXPECT_EQ(sum(sent.traffic, model::Access::READ), sum(plainly.traffic, model::Access::READ));
  EXPECT_EQ(sent.sm_bytes_per_span, plainly.sm_bytes_per_span);
  const auto& engine = beside.programs.front().ops[find_op(beside, "decode", OpKind::WORK, 0)];
  EXPECT_EQ(engine.sm_bytes_per_span, 0.0);
  EXPECT_DOUBLE_EQ(engine.delay.value(), BYTES / 3 / 150e9);
  EXPECT_TRUE(engine.traffic.empty());
}

TEST(Compress, BoundsKnowThatFewerBytesCross) {
  const auto cluster = switch_of(4);
  const auto request = plain(CollectiveKind::ALL_REDUCE, 4, BYTES);
  const auto factor = select_strategy("ring+zfp:rate=8").wire_factor;
  EXPECT_EQ(factor, 0.25);
  auto quarter = request;
  quarter.op.bytes = request.op.bytes * 0.25;
  EXPECT_EQ(lower_bound(request, cluster, factor).value(), lower_bound(quarter, cluster).value());
  EXPECT_EQ(select_strategy("ring+mpc:ratio=0.5").wire_factor, 1.0) << "small messages are not expanded";
}

TEST(Compress, DeclaresItsErrorAndWhatIsAssumed) {
  EXPECT_EQ(select_strategy("ring").error, "");
  EXPECT_EQ(select_strategy("ring+zfp:rate=8").error, "lossy, fixed rate of 8 of 32 bits");
  EXPECT_EQ(select_strategy("ring+mpc").error, "lossless");
  EXPECT_EQ(select_strategy("ring+mpc:encode=1GBps").assumed, (std::vector<std::string>{"mpc.ratio", "mpc.decode"}));
  EXPECT_TRUE(select_strategy("ring+ideal:ratio=4").assumed.empty());
  const auto selection = select_strategy("ring:channels=2+zfp:rate=8");
  EXPECT_EQ(selection.name, "ring+zfp");
  EXPECT_EQ(selection.text, "ring:channels=2+zfp:rate=8");
  EXPECT_EQ(selection.parameters.at("zfp.rate"), "8");
  EXPECT_EQ(selection.given, (std::vector<std::string>{"channels", "zfp.rate"}));
}

/// Fixed-rate ZFP has ratio 32 / rate.
TEST(Compress, SchemesHaveACodecForEachDimension) {
  struct Scheme {
    const char *text, *error;
    double ratio;
  };
  for (const auto& [text, error, ratio] :
       {Scheme{"naive-zfp:dim=dp", "dp: lossy, fixed rate of 8 of 32 bits", 4.0},
        Scheme{"naive-zfp:dim=tp", "tp: lossy, fixed rate of 8 of 32 bits", 4.0},
        Scheme{"mz-hybrid:dim=dp", "dp: lossy, fixed rate of 8 of 32 bits", 4.0},
        Scheme{"mz-hybrid:dim=pp", "pp: lossless", 1.15}, Scheme{"mz-hybrid:dim=zero:ratio=2", "zero: lossless", 2.0},
        Scheme{"z-hybrid:dim=dp:dp_rate=4", "dp: lossy, fixed rate of 4 of 32 bits", 8.0},
        Scheme{"z-hybrid:dim=tp", "tp: lossy, fixed rate of 16 of 32 bits", 2.0}}) {
    const auto selection = select_codec(text);
    EXPECT_EQ(selection.codec.error, error) << text;
    EXPECT_EQ(selection.codec.ratio, ratio) << text;
  }
}

TEST(Compress, SaysWhatIsWrongWithACodec) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"ring+", "unknown codec ''; allowed: ideal, zfp, mpc, naive-zfp, mz-hybrid, z-hybrid"},
           {"ring+zpf",
            "unknown codec 'zpf' (did you mean 'zfp'?); allowed: ideal, zfp, mpc, naive-zfp, mz-hybrid, z-hybrid"},
           {"rnig+zfp", "unknown strategy 'rnig' (did you mean 'ring'?); allowed: "},
           {"ring+zfp:rate=33", "codec zfp: parameter rate: '33' is out of range; allowed: whole numbers from 1 to 32"},
           {"ring+zfp:ratio=2", "codec zfp: unknown parameter 'ratio'"},
           {"ring+mpc:ratio=0", "codec mpc: parameter ratio: '0' is out of range; allowed: 0.01 to 1000000"},
           {"ring+mpc:encode=0GBps", "codec mpc: parameter encode: a codec of no throughput never ends"},
           {"ring+zfp:where=gpu", "codec zfp: unknown value of parameter where 'gpu'; allowed: kernel, inline, beside"},
           {"ring+z-hybrid", "codec z-hybrid: unknown value of parameter dim ''; allowed: tp, dp, pp, cp, ep, zero"},
           {"ring+zfp+zfp", "unknown codec 'zfp+zfp'"},
       })
    EXPECT_EQ(error_of(text).substr(0, message.size()), message);
}

TEST(Compress, RefusesWhatAKernelStoresIntoAPeersMemory) {
  const auto selection = select_strategy("t3+zfp");
  EXPECT_EQ(selection.strategy->why_not(fused(4, {.m = 1024, .n = 1024, .k = 64}), ring_of(4)),
            "a kernel stores straight into a peer's memory, where nothing can be compressed on the way");
}

/// Every algorithm, every operation: the proof of every_strategy()'s compressed entries is in properties_test.cpp; here
/// are codecs that go through memory or not, and uneven chunks.
TEST(Compress, IsProvenForEveryPlainStrategy) {
  for (const std::string strategy : {"ring", "ring:channels=2", "direct", "tree:chunks=3", "halving-doubling"})
    for (const auto kind : {CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER,
                            CollectiveKind::ALL_TO_ALL, CollectiveKind::BROADCAST, CollectiveKind::REDUCE,
                            CollectiveKind::SCATTER, CollectiveKind::GATHER})
      for (const int ranks : {1, 2, 5, 8})
        for (const std::string codec : {"+ideal", "+zfp:threshold=0B", "+mpc:threshold=400B:where=inline:memory=0"}) {
          const auto selection = select_strategy(strategy + codec);
          auto request = plain(kind, ranks, 4099);
          request.op.root = ranks / 2;
          if (!selection.strategy->why_not(request, switch_of(ranks)).empty())
            continue;
          EXPECT_EQ(verify(selection.strategy->plan(request, switch_of(ranks))), "")
              << fmt::format("{}{} {} {}", strategy, codec, model::to_string(kind), ranks);
        }
}

/// Also where one message alone makes the sum, and crosses its whole route.
TEST(Compress, NotWhatASwitchAdds) {
  auto cluster = switch_of(2);
  cluster.node_reduces_in_switch = true;
  auto nodes = switch_of(4);
  nodes.gpus_per_node = 2;
  nodes.node_reduces_in_switch = nodes.fabric_reduces_in_switch = true;
  for (const auto& [strategy, where] :
       {std::pair{"nvls", cluster}, {"sharp", nodes}, {"hierarchical:intra=nvls", nodes}}) {
    const auto ranks = static_cast<int>(where.gpus.size());
    const auto request = plain(CollectiveKind::ALL_REDUCE, ranks, BYTES);
    EXPECT_EQ(why_not_compressed(select_strategy(strategy).strategy->plan(request, where)),
              "a switch adds or copies on the way, which knows no codec")
        << strategy;
  }
}

} // namespace
} // namespace tandem::collective
