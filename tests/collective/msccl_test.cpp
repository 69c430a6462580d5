// MSCCL files: read, proven, exported and read back; what is wrong with one is said with its line.
#include "built_clusters.h"
#include "every_strategy.h"
#include "number_player.h"

#include "base/error.h"
#include "base/file.h"
#include "collective/msccl/reader.h"
#include "collective/msccl/schedule.h"
#include "collective/verify.h"
#include "temporary_files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::collective {
namespace {

using model::CollectiveKind;
using testing::MatchesRegex;

constexpr double BYTES = 720720.0 * 65536;

/// The file that from_schedule() makes of a plan, read again.
std::string exported(const std::string& strategy, CollectiveKind kind, int ranks) {
  const auto schedule = select_strategy(strategy).strategy->plan(plain(kind, ranks, BYTES * ranks), switch_of(ranks));
  return msccl::to_xml(msccl::from_schedule(schedule));
}

TEST(Msccl, TakesBackWhatItGivesAway) {
  for (const int ranks : {2, 3, 4, 8})
    for (const auto kind : {CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER,
                            CollectiveKind::ALL_TO_ALL})
      for (const auto* strategy : {"ring", "ring:channels=3", "direct", "direct:window=1", "halving-doubling"}) {
        const auto request = plain(kind, ranks, BYTES * ranks);
        if (!select_strategy(strategy).strategy->why_not(request, switch_of(ranks)).empty())
          continue;
        SCOPED_TRACE(fmt::format("{} {} on {} ranks", strategy, model::to_string(kind), ranks));
        const tests::TextFile file("exported.xml", exported(strategy, kind, ranks));
        const auto text = file.path() + ":sms=2";
        const auto selected = select_strategy(text);
        ASSERT_EQ(selected.strategy->why_not(request, switch_of(ranks)), "");
        const auto schedule = selected.strategy->plan(request, switch_of(ranks));
        EXPECT_EQ(verify(schedule), "");
        EXPECT_EQ(schedule.goal, kind);
        if (ranks <= 4) {
          EXPECT_EQ(play_numbers(schedule, 1), "");
          EXPECT_EQ(play_numbers(schedule, 2), "");
        }
        // A file that is read is written as it is.
        const auto algorithm = msccl::read_algorithm(file.path());
        const tests::TextFile again("again.xml", msccl::to_xml(algorithm));
        EXPECT_EQ(msccl::to_xml(msccl::read_algorithm(again.path())), msccl::to_xml(algorithm));
      }
}

TEST(Msccl, SaysWhatDoesNotFitTheFormat) {
  const auto why = [](const model::Schedule& schedule) -> std::string {
    try {
      (void)msccl::from_schedule(schedule);
    } catch (const base::Infeasible& error) {
      return error.what();
    }
    return "exported";
  };
  const auto plan = [](const char* strategy, const Request& request) {
    return select_strategy(strategy).strategy->plan(request, ring_of(4));
  };
  const std::string begin = "the schedule does not fit MSCCL's format: ";
  EXPECT_EQ(why(plan("ring", plain(CollectiveKind::BROADCAST, 4, 4096))), begin + "the format names no root");
  EXPECT_EQ(why(plan("ring", plain(CollectiveKind::ALL_REDUCE, 4, 4097))), begin + "its pieces differ in size");
  EXPECT_EQ(why(plan("t3", fused(4, {.m = 512, .n = 128, .k = 64}))), begin + "a GEMM makes the data");
}

/// Two GPUs that exchange and add their two chunks.
const std::string PAIR = R"(<!-- a comment -->
<algo name="pair" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allreduce" inplace="1">
  <gpu id="0" i_chunks="2" o_chunks="0" s_chunks="2">
    <tb id="0" send="1" recv="-1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="1"/>
    </tb>
    <tb id="1" send="-1" recv="1" chan="0">
      <step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="nop" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="0" depid="0" deps="0" hasdep="0"/>
      <step s="2" type="re" srcbuf="s" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="2" o_chunks="0" s_chunks="2">
    <tb id="0" send="0" recv="-1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="1"/>
    </tb>
    <tb id="1" send="-1" recv="0" chan="0">
      <step s="0" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="2" depid="0" deps="0" hasdep="0"/>
    </tb>
  </gpu>
</algo>
)";

TEST(Msccl, ReadsEveryKindOfStep) {
  const tests::TextFile file("pair.xml", PAIR);
  const auto selected = select_strategy(file.path() + ":sms=1");
  const auto schedule = selected.strategy->plan(plain(CollectiveKind::ALL_REDUCE, 2, 64), switch_of(2));
  EXPECT_EQ(verify(schedule), "");
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    EXPECT_EQ(play_numbers(schedule, seed), "");
  EXPECT_EQ(selected.strategy->why_not(plain(CollectiveKind::ALL_REDUCE, 2, 63), switch_of(2)),
            "its 2 chunks do not divide 63 B");
  EXPECT_EQ(selected.strategy->why_not(plain(CollectiveKind::ALL_REDUCE, 3, 64), switch_of(3)),
            "it is for 2 ranks, not 3");
  EXPECT_EQ(selected.strategy->why_not(plain(CollectiveKind::ALL_GATHER, 2, 64), switch_of(2)),
            "it does no all-gather, only all-reduce");
}

struct Damage {
  const char* name;
  std::string found, put;
  std::string message; ///< a regular expression, after the file's name
};

void PrintTo(const Damage& damage, std::ostream* out) {
  *out << damage.name;
}

class DamagedFile : public testing::TestWithParam<Damage> {};

TEST_P(DamagedFile, IsRefused) {
  auto text = PAIR;
  const auto at = text.find(GetParam().found);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, GetParam().found.size(), GetParam().put);
  const tests::TextFile file("damaged.xml", text);
  try {
    (void)select_strategy(file.path());
    FAIL() << "accepted";
  } catch (const base::UserError& error) {
    EXPECT_THAT(std::string(error.what()).substr(file.path().size()), MatchesRegex(GetParam().message));
  }
}

const std::vector<Damage> DAMAGES{
    {"TruncatedText", "    </tb>\n  </gpu>\n</algo>\n", "", ":[0-9]+:[0-9]+: not valid XML: .*"},
    {"TruncatedSteps",
     "<step s=\"0\" type=\"rrc\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"2\" depid=\"0\" deps=\"0\" "
     "hasdep=\"0\"/>",
     "", ":5: GPU 0 sends 1 messages to GPU 1 on channel 0, which receives 0"},
    {"Cycle", "cnt=\"2\" depid=\"-1\" deps=\"-1\" hasdep=\"1\"", "cnt=\"2\" depid=\"1\" deps=\"2\" hasdep=\"1\"",
     ": not an all-reduce on 2 ranks: a cycle of .* operations wait for each other, among them rank .*line .*"},
    {"NotReduced", "type=\"rrc\"", "type=\"r\"",
     ": not an all-reduce on 2 ranks: at the end rank 1 holds 1 of 2 contributions to piece 0"},
    {"AddedTwice", "type=\"nop\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"0\"",
     "type=\"re\" srcbuf=\"s\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"2\"",
     ": not an all-reduce on 2 ranks: rank 0, operation .* \\(re, line 10\\) adds a contribution to piece 0 twice"},
    {"Race", "type=\"nop\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"0\" depid=\"0\" deps=\"0\"",
     "type=\"nop\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"0\" depid=\"-1\" deps=\"-1\"",
     ": not an all-reduce on 2 ranks: rank 0, operation .* and rank 0, operation .* touch piece 0 in an order that "
     "depends on timing"},
    {"UnknownStep", "type=\"re\"", "type=\"rx\"", ":10:.*: type of <step>: unknown step type 'rx'.*allowed: s, r, .*"},
    {"UnknownBuffer", "srcbuf=\"s\"", "srcbuf=\"x\"", ":10:.*: unknown buffer 'x'; allowed: i, o, s"},
    {"UnknownOperation", "coll=\"allreduce\"", "coll=\"custom\"",
     ":2:.*: coll of <algo>: unknown operation 'custom'.*allowed: allreduce, allgather, reducescatter, alltoall"},
    {"ChunkOutside", "srcbuf=\"s\" srcoff=\"0\"", "srcbuf=\"s\" srcoff=\"1\"",
     ":10:.*: srcoff of <step>: chunks 1 to 2 do not exist in buffer s, which has 2"},
    {"PeerOutside", "send=\"1\"", "send=\"2\"", ":4:.*: send of <tb>: .*"},
    {"TalksToItself", "send=\"1\"", "send=\"0\"", ":4:.*: send of <tb>: a GPU does not talk to itself.*"},
    {"NoPeer", "send=\"1\"", "send=\"-1\"", ":5:.*: type of <step>: s sends, and its thread block has no peer.*"},
    {"StepsOutOfOrder", "step s=\"2\"", "step s=\"3\"", ":10:.*: s of <step>: found 3 where step 2 comes next"},
    {"MissingBlock", "depid=\"0\"", "depid=\"7\"", ":9:.*: depid of <step>: thread block 7 does not exist"},
    {"MissingStep", "deps=\"0\"", "deps=\"4\"", ":9:.*: deps of <step>: thread block 0 has no step 4"},
    {"MissingGpu", "ngpus=\"2\"", "ngpus=\"3\"", ":2:.*: ngpus of <algo>: 3 GPUs are announced and 2 are described"},
    {"TwoGpusOfOneName", "<gpu id=\"1\"", "<gpu id=\"0\"", ":13:.*: id of <gpu>: GPU 0 is described twice"},
    {"OtherSizes", "cnt=\"2\"", "cnt=\"1\"", ":18: 2 chunks are received where GPU 0 sends 1 \\(line 5\\)"},
    {"UnknownAttribute", "inplace=\"1\"", "inplace=\"1\" colour=\"red\"",
     ":2:.*: unknown attribute of <algo> 'colour'.*"},
    {"HugeCounts", "nchunksperloop=\"2\"", "nchunksperloop=\"99999999999\"", ":2:.*: nchunksperloop of <algo>: .*"},
};

INSTANTIATE_TEST_SUITE_P(Msccl, DamagedFile, testing::ValuesIn(DAMAGES),
                         [](const auto& given) { return std::string(given.param.name); });

} // namespace
} // namespace tandem::collective
