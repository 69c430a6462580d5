// Plugins: what a good one gets, and what is said of each way to be broken. tests/plugins has the shared objects.
#include "built_clusters.h"
#include "every_strategy.h"
#include "schedule_edit.h"

#include "base/error.h"
#include "collective/messages.h"
#include "collective/plugin/plan_maker.h"
#include "collective/plugin/plugin_strategy.h"
#include "collective/plugin/schedule_wire.h"
#include "collective/verify.h"
#include "temporary_files.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::collective {
namespace {

using model::CollectiveKind;
using model::Schedule;
using testing::HasSubstr;
using testing::StartsWith;

std::string plugin(const std::string& name) {
  return std::string(TANDEM_PLUGINS) + "/" + name + ".so";
}

/// What a call says that fails, without the plugin's name; "well" when it does not.
template <class Call> std::string said(const std::string& file, const Call& call) {
  try {
    call();
  } catch (const base::UserError& error) {
    const auto prefix = "plugin " + file + ": ";
    EXPECT_THAT(error.what(), StartsWith(prefix));
    return std::string(error.what()).substr(std::min(prefix.size(), std::string(error.what()).size()));
  }
  return "well";
}

std::string said_of_selection(const std::string& file, const std::string& parameters = "") {
  return said(file, [&] { (void)select_strategy(file + parameters); });
}

/// What is said of the broken plugin's plan for an all-reduce of 4 KiB on four ranks.
std::string said_of_plan(const std::string& how) {
  const auto file = plugin("broken");
  return said(file, [&] {
    const auto selection = select_strategy(file + ":how=" + how + (how == "hang" ? ":time_limit=300ms" : ""));
    (void)selection.strategy->plan(plain(CollectiveKind::ALL_REDUCE, 4, 4096), ring_of(4));
  });
}

struct Broken {
  const char *how, *message;
};

TEST(Plugin, ThatBreaksWhilePlanningIsAnErrorOfTheUsers) {
  for (const auto& [how, message] : std::vector<Broken>{
           {"crash", "it crashed: Segmentation fault (signal 11)"},
           {"abort", "it crashed: Aborted (signal 6)"},
           {"overflow", "it crashed: Segmentation fault (signal 11)"},
           {"hang", "it did not answer within 0.3 s (time_limit)"},
           {"exit", "it ended the process without an answer (exit code 3)"},
           {"close", "it ended the process without an answer (exit code 119)"},
           {"garbage", "it answered with something that is no plan"},
           {"bad-digest", "it answered with something that is no plan"},
           {"nonsense", "it answered with something that is no plan"},
           {"huge", "its answer has 9223372036854775807 bytes; allowed: up to 1 GiB"},
           {"break-off", "its answer breaks off"},
           {"return", "plan() failed with 7"},
           {"fail", "two?lines"},
           {"nothing", "its plan has no operations"},
           {"endless",
            "its operation 65537, a work: more than 65536 operations in a program, or 4194304 in all, are too many"},
       })
    EXPECT_EQ(said_of_plan(how), message) << how;
}

TEST(Plugin, ThatSaysSomethingWrongIsToldWhich) {
  for (const auto& [how, message] : std::vector<Broken>{
           {"no-size", "its operation 2, a work: a structure says that it has 0 bytes"},
           {"unknown-operation", "its operation 2, a work: it waits for operation 99, which does not exist"},
           {"no-list", "its operation 2, a work: it waits for 3 operations and names none"},
           {"own-rank", "its operation 2, a send: its peer is its own rank"},
           {"bad-source", "its operation 2, a send: sources 64 do not exist"},
           {"bad-phase", "its operation 2, a work: phase 9 does not exist; allowed: 0 to 3"},
           {"bad-cost", "its operation 2, a work: delay_s is nan; allowed: 0 to 1000000"},
           {"bad-resource", "its operation 2, a work: resource 1 does not exist"},
           {"late-pieces", "set_pieces_per_chunk() comes after something was added"},
           {"no-gemm", "it adds a GEMM, and there is none"},
           {"few-programs", "it has 1 programs for 4 ranks"},
       })
    EXPECT_EQ(said_of_plan(how), message) << how;
}

TEST(Plugin, ThatPlansWhatIsNotTheOperationIsRefutedByTheProof) {
  for (const auto& [how, message] : std::vector<Broken>{
           {"well", "its plan is wrong: at the end rank 0 holds 1 of 4 contributions to piece 0"},
           {"never-sent",
            "its plan is wrong: rank 1, operation 1 (plain) waits for a message from rank 0 that is never sent"},
           {"never-received", "its plan is wrong: rank 0 sends 1 messages to rank 1 on channel 0, which receives 0"},
           {"bad-span", "its plan is wrong: operation 1 (plain): its span of 1000 pieces from 0 does not fit 4 pieces"},
           {"cycle",
            "its plan is wrong: a cycle of 1 operations wait for each other, among them rank 0, operation 0 (plain)"},
       })
    EXPECT_EQ(said_of_plan(how), message) << how;
}

TEST(Plugin, SaysWhyNotAndMayBreakThereToo) {
  const auto file = plugin("broken");
  const auto why_not = [&](const std::string& how) {
    return select_strategy(file + ":why_not=" + how + ":time_limit=1s")
        .strategy->why_not(plain(CollectiveKind::ALL_REDUCE, 4, 4096), ring_of(4));
  };
  EXPECT_EQ(why_not(""), "");
  EXPECT_EQ(why_not("refuse"), "it does not want to?");
  EXPECT_EQ(said(file, [&] { (void)why_not("fail"); }), "no such thing");
  EXPECT_EQ(said(file, [&] { (void)why_not("wild"); }), "it crashed: Segmentation fault (signal 11)");
  EXPECT_EQ(said(file, [&] { (void)why_not("hang"); }), "it did not answer within 1 s (time_limit)");
}

TEST(Plugin, ThatIsNoneIsNamed) {
  EXPECT_EQ(said_of_selection(plugin("no_entry")), "it is no plugin: it exports no tandem_plugin_entry()");
  EXPECT_EQ(said_of_selection(plugin("other_abi")),
            "it is made for version 2 of the interface; this program has version 1");
  EXPECT_EQ(said_of_selection(plugin("describes_nothing")), "tandem_plugin_entry() describes nothing");
  EXPECT_EQ(said_of_selection(plugin("crashes_when_asked")), "it crashed: Segmentation fault (signal 11)");
  EXPECT_EQ(said_of_selection(plugin("hangs_when_loaded"), ":time_limit=300ms"),
            "it did not answer within 0.3 s (time_limit)");
  EXPECT_EQ(said_of_selection(plugin("bad_name")),
            "its name 'ring:sms' is no word of up to 64 letters, digits, '-', '_' and '.'");
  EXPECT_EQ(said_of_selection(plugin("many_parameters")), "it says that it has 1000000 parameters; allowed: up to 256");
  EXPECT_EQ(said_of_selection(plugin("absent")), "there is no such file");
  EXPECT_EQ(said_of_selection("absent.so"), "there is no such file");
}

/// A folder of its own for files that are no shared objects.
class PluginFiles : public testing::Test {
protected:
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }

private:
  tests::Folder folder_;
};

TEST_F(PluginFiles, ThatAreNoSharedObjects) {
  std::ofstream(file("text.so")) << "not a shared object\n";
  EXPECT_THAT(said_of_selection(file("text.so")), HasSubstr("it cannot be loaded: "));
  std::ofstream(file("empty.so")) << "";
  EXPECT_THAT(said_of_selection(file("empty.so")), HasSubstr("it cannot be loaded: "));
  std::filesystem::create_directories(file("folder.so"));
  EXPECT_EQ(said_of_selection(file("folder.so")), "it is no file");
  std::filesystem::copy_file(plugin("broken"), file("half.so"));
  std::filesystem::resize_file(file("half.so"), 2048); // the headers; half of one with debug information is whole
  EXPECT_THAT(said_of_selection(file("half.so")), HasSubstr("it ")); // refused by the loader, or a bus error there
  // A name may hold what separates parameters.
  std::filesystem::copy_file(plugin("broken"), file("a:b=c.so"));
  EXPECT_EQ(select_strategy(file("a:b=c.so") + ":how=crash").parameters.at("how"), "crash");
}

TEST(Plugin, ParametersAreCheckedAsThoseOfBuiltIns) {
  const auto file = plugin("broken");
  EXPECT_EQ(said_of_selection(file, ":hwo=x"),
            "unknown parameter 'hwo' (did you mean 'how'?); allowed: how, why_not, time_limit");
  EXPECT_EQ(said_of_selection(file, ":how"), "'how' is not key=value");
  EXPECT_EQ(said_of_selection(file, ":how=1:how=2"), "parameter how is given twice");
  EXPECT_EQ(said_of_selection(file, ":time_limit=0s"),
            "parameter time_limit: '0s' is out of range; allowed: above 0 s to 86400 s");
  EXPECT_THAT(said_of_selection(file, ":time_limit=5"), StartsWith("parameter time_limit: "));
  EXPECT_THROW((void)select_strategy(file + "x"), base::UserError) << "a built-in's name is looked for";
}

TEST(Plugin, IsDescribedAsAnEntryOfTheTable) {
  const auto info = plugin_strategy(plugin("two_way_ring"), "10s");
  EXPECT_EQ(info.name, "two-way-ring");
  EXPECT_EQ(info.summary, "a ring each way, with half of the payload each");
  ASSERT_EQ(info.parameters.size(), 2u);
  EXPECT_EQ(info.parameters[0].name, "sms");
  EXPECT_EQ(info.parameters[0].fallback, "0");
  EXPECT_EQ(info.parameters[1].name, "time_limit");
  const auto selection = select_strategy(plugin("two_way_ring") + ":sms=4");
  EXPECT_EQ(selection.name, "two-way-ring");
  EXPECT_EQ(selection.parameters.at("sms"), "4");
  EXPECT_EQ(plugin_file("x.so"), "x.so");
  EXPECT_EQ(plugin_file("./a.so.so:b=c"), "./a.so.so");
  EXPECT_EQ(plugin_file("./x.so.1"), "");
  EXPECT_EQ(plugin_file("ring:x=y.sox"), "");
}

/// The proof is in plan(): nothing wrong leaves it.
TEST(Plugin, OfTheDocumentsIsRightAtEverySize) {
  const auto selection = select_strategy(plugin("two_way_ring"));
  for (const int ranks : {1, 2, 3, 4, 8, 13})
    for (const double bytes : {0.0, 1.0, 1e6 + 3.0})
      for (const auto kind : {CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER}) {
        SCOPED_TRACE(fmt::format("{} of {} B on {} ranks", model::to_string(kind), bytes, ranks));
        const auto request = plain(kind, ranks, bytes);
        ASSERT_EQ(selection.strategy->why_not(request, ring_of(ranks)), "");
        const auto schedule = selection.strategy->plan(request, ring_of(ranks));
        EXPECT_EQ(verify(schedule), "");
        EXPECT_EQ(difference(schedule, selection.strategy->plan(request, ring_of(ranks))), "");
      }
  EXPECT_EQ(selection.strategy->why_not(plain(CollectiveKind::BROADCAST, 4, 4096), ring_of(4)),
            "it does only all-reduce, reduce-scatter and all-gather");
  EXPECT_EQ(selection.strategy->why_not(plain(CollectiveKind::ALL_REDUCE, 8, 4096), ring_of(4)),
            "platform ring has 4 GPUs, 8 are needed");
  EXPECT_EQ(verify(selection.strategy->plan(fused(4, {.m = 1000, .n = 999, .k = 17}), ring_of(4))), "");
}

TEST(PluginHost, UsualCostsAreThoseOfBuiltIns) {
  const auto request = plain(CollectiveKind::ALL_REDUCE, 4, 4096);
  const auto cluster = ring_of(4);
  const Parameters none;
  tandem_builder builder("test", request, cluster, none);
  const auto& host = plugin_host();
  tandem_op op{};
  op.size = sizeof op;
  op.label = "RS step 1";
  op.phase = TANDEM_PHASE_RS;
  op.peer = 1;
  op.span = {3, 1};
  op.sms = 20;
  op.sources = TANDEM_FROM_LOCAL;
  op.target = TANDEM_STAGING;
  host.add_send(&builder, &op, nullptr, 0);
  op.label = "RS step 2";
  op.span = {2, 1};
  op.sources |= TANDEM_FROM_STAGING;
  host.add_send(&builder, &op, nullptr, 0);
  op.label = "RS final reduce";
  op.span = {0, 1};
  op.target = TANDEM_LOCAL;
  host.add_reduce(&builder, &op, nullptr, 0);
  op = {};
  op.size = sizeof op;
  op.label = "RS launch";
  op.phase = TANDEM_PHASE_RS;
  host.add_launch(&builder, &op, nullptr, 0);
  const auto made = builder.finish();
  auto ring = select_strategy("ring").strategy->plan(request, cluster);
  const auto& ops = ring.programs.front().ops;
  const auto of_ring = [&](const char* label, model::OpKind kind) { return ops[find_op(ring, label, kind)]; };
  const std::vector<Op> expected{
      of_ring("RS step 1", model::OpKind::TRANSFER), of_ring("RS step 2", model::OpKind::TRANSFER),
      of_ring("RS final reduce", model::OpKind::WORK), of_ring("RS launch", model::OpKind::WORK)};
  ASSERT_EQ(made.programs.front().ops.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    Schedule a = ring, b = ring;
    a.programs = {{{expected[i]}, model::Dag(1, {})}};
    b.programs = {{{made.programs.front().ops[i]}, model::Dag(1, {})}};
    b.programs[0].ops[0].label = expected[i].label;
    EXPECT_EQ(difference(a, b), "") << i;
  }
}

TEST(ScheduleWire, BringsBackEveryField) {
  for (const auto& strategy : every_strategy())
    for (const auto& request : {fused(4, {.m = 1000, .n = 999, .k = 17}), plain(CollectiveKind::ALL_REDUCE, 4, 4099)}) {
      const auto selection = select_strategy(strategy);
      if (!selection.strategy->why_not(request, ring_of(4)).empty())
        continue;
      const auto schedule = selection.strategy->plan(request, ring_of(4));
      EXPECT_EQ(difference(schedule, schedule_from_wire(to_wire(schedule))), "") << strategy;
    }
}

TEST(ScheduleWire, RefusesWhatBreaksOffOrGoesOn) {
  const auto bytes =
      to_wire(select_strategy("ring").strategy->plan(plain(CollectiveKind::ALL_REDUCE, 3, 100), ring_of(3)));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW((void)schedule_from_wire(bytes.substr(0, length)), base::UserError) << length;
  EXPECT_THROW((void)schedule_from_wire(bytes + '\0'), base::UserError);
}

/// Damage is refused, by the reader or by the proof, or harmless; the proof can take whatever the reader lets pass.
TEST(ScheduleWire, AnyDamageIsTaken) {
  const auto bytes =
      to_wire(select_strategy("ring").strategy->plan(plain(CollectiveKind::ALL_REDUCE, 3, 100), ring_of(3)));
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const char damage : {'\1', '\x80', '\xff'}) {
      auto damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ damage);
      try {
        if (const auto schedule = schedule_from_wire(damaged); schedule.scratch == 0) // plugins have none
          (void)verify(schedule);
      } catch (const base::UserError&) {
      }
    }
}

} // namespace
} // namespace tandem::collective
