// Reading `name:key=value`, and the reasons why a strategy cannot do something.
#include "built_clusters.h"
#include "every_strategy.h"

#include "base/error.h"

#include <gtest/gtest.h>
#include <set>

namespace tandem::collective {
namespace {

struct Bad {
  const char* text;
  const char* message;
};

TEST(Selection, SaysWhatIsWrongAndWhatIsAllowed) {
  const std::string names =
      "; allowed: sequential, ideal-overlap, ideal-rs-nmc, concurrent, decomposed, tile-fused, "
      "t3, t3-mca, auto, ring, direct, "
      "halving-doubling, tree, nvls, nvls-tree, sharp, hierarchical, torus, bruck, pat, binomial, "
      "pairwise";
  EXPECT_EQ(error_of("sequental"), "unknown strategy 'sequental' (did you mean 'sequential'?)" + names);
  EXPECT_EQ(error_of("T3"), "unknown strategy 'T3' (did you mean 't3'?)" + names);
  EXPECT_EQ(error_of("t3 "), "unknown strategy 't3 ' (did you mean 't3'?)" + names);
  EXPECT_EQ(error_of(""), "unknown strategy ''" + names);
  EXPECT_EQ(error_of(":block=1"), "unknown strategy ''" + names);
  for (const auto& [text, message] : std::vector<Bad>{
           {"t3:", "strategy t3: '' is not key=value"},
           {"t3:block", "strategy t3: 'block' is not key=value"},
           {"t3:blok=1", "strategy t3: unknown parameter 'blok' (did you mean 'block'?); allowed: block, algorithm, "
                         "intra, inter"},
           {"torus:dims=4x", "strategy torus: parameter dims: '' is not a whole number: it is empty; allowed: whole "
                             "numbers from 1 to 16777216, "
                             "digits only (sizes with x between them, as 4x4)"},
           {"torus:dims=4x0", "strategy torus: parameter dims: '0' is out of range; allowed: whole numbers from 1 to "
                              "16777216, digits only (sizes "
                              "with x between them, as 4x4)"},
           {"torus:dims=1x1x1x1x1x1x1",
            "strategy torus: parameter dims: 1x1x1x1x1x1x1 has 7 dimensions, at most 6 are allowed"},
           {"hierarchical:inter=trees", "strategy hierarchical: unknown value of parameter inter 'trees' (did you mean "
                                        "'tree'?); allowed: ring, direct, tree, "
                                        "halving-doubling"},
           {"t3:=1", "strategy t3: unknown parameter ''; allowed: block, algorithm, intra, inter"},
           {"t3:block=1:block=1", "strategy t3: parameter block is given twice"},
           {"t3:block=1:algorithm=ring:block=2", "strategy t3: parameter block is given twice"},
           {"ideal-rs-nmc:x=1", "strategy ideal-rs-nmc: it has no parameters, found 'x'"},
           {"t3:algorithm=tree", "strategy t3: unknown value of parameter algorithm 'tree'; allowed: ring, direct, "
                                 "hierarchical"},
           {"concurrent:data=splt", "strategy concurrent: unknown value of parameter data 'splt' (did you mean "
                                    "'split'?); allowed: split, independent"},
           {"t3:block=", "strategy t3: parameter block: '' is not a whole number: it is empty; allowed: whole numbers "
                         "from 0 to 1048576, digits only"},
           {"t3:block=1=2", "strategy t3: parameter block: '1=2' is not a whole number: it holds '='; allowed: whole "
                            "numbers from 0 to 1048576, digits only"},
           {"t3:block=-1", "strategy t3: parameter block: '-1' is not a whole number: it holds '-'; allowed: whole "
                           "numbers from 0 to 1048576, digits only"},
           {"concurrent:sms=0", "strategy concurrent: parameter sms: '0' is out of range; allowed: whole numbers from "
                                "1 to 4096, digits only"},
           {"concurrent:parts=65", "strategy concurrent: parameter parts: '65' is out of range; allowed: whole numbers "
                                   "from 2 to 64, digits only"},
           {"t3:block=99999999999999999999", "strategy t3: parameter block: '99999999999999999999' is out of range; "
                                             "allowed: whole numbers from 0 to 1048576, digits only"},
       })
    EXPECT_EQ(error_of(text), message) << text;
}

TEST(Selection, ResolvesTheDefaults) {
  const auto selection = select_strategy("concurrent:data=independent:sms=8");
  EXPECT_EQ(selection.text, "concurrent:data=independent:sms=8");
  EXPECT_EQ(selection.name, "concurrent");
  EXPECT_EQ(selection.parameters, (Parameters{{"data", "independent"}, {"parts", "2"}, {"sms", "8"}}));
  EXPECT_EQ(select_strategy("ideal-rs-nmc").parameters, Parameters{});
}

/// The table is what `tandem list` and the documentation print.
TEST(Selection, TheTableIsComplete) {
  std::set<std::string> names;
  for (const auto& info : strategies()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name << " is there twice";
    EXPECT_FALSE(info.summary.empty()) << info.name;
    EXPECT_EQ(error_of(info.name), "accepted");
    for (const auto& parameter : info.parameters) {
      EXPECT_FALSE(parameter.help.empty()) << info.name << " " << parameter.name;
      EXPECT_EQ(error_of(info.name + ":" + parameter.name + "=" + parameter.fallback), "accepted");
    }
  }
}

std::string why_not(const std::string& strategy, const Request& request, const model::Cluster& cluster) {
  return select_strategy(strategy).strategy->why_not(request, cluster);
}

TEST(WhyNot, NamesTheReason) {
  using model::CollectiveKind;
  const auto request = fused(4, {.m = 256, .n = 256, .k = 64});
  const auto cluster = ring_of(4);
  auto plain_device = small_device();
  plain_device.near_memory.available = false;
  plain_device.copy_engines = 0;
  const auto plain_cluster = ring_of(4, plain_device);
  auto mixed = ring_of(4);
  auto other = small_device();
  other.name = "other";
  mixed.gpus[2].device = other;
  auto wrong_kind = request;
  wrong_kind.op.kind = CollectiveKind::ALL_GATHER;

  // an operation that it does
  const auto alone = [&](const std::string& strategy) {
    for (const auto kind : {CollectiveKind::ALL_REDUCE, CollectiveKind::ALL_GATHER, CollectiveKind::BROADCAST})
      if (why_not(strategy, plain(kind, 4, 100), cluster).empty())
        return plain(kind, 4, 100);
    return plain(CollectiveKind::ALL_TO_ALL, 4, 100);
  };
  const auto needs_other_machine = [](const std::string& strategy) {
    return strategy == "auto" || strategy.starts_with("nvls") || strategy.starts_with("sharp");
  };
  for (const auto& strategy : every_strategy()) {
    if (strategy.find("hierarchical") != std::string::npos) // it needs nodes
      continue;
    const bool for_gemms = why_not(strategy, request, cluster).empty();
    if (!for_gemms) {
      EXPECT_EQ(why_not(strategy, request, cluster), "it is for a collective on its own, and there is a GEMM");
    }
    if (needs_other_machine(strategy) || strategy.starts_with("torus:dims"))
      continue;
    const auto able = for_gemms ? request : alone(strategy);
    EXPECT_EQ(why_not(strategy, able, cluster), "") << strategy;
    EXPECT_EQ(why_not(strategy, able, ring_of(3)), "platform ring has 3 GPUs, 4 are needed") << strategy;
    EXPECT_EQ(why_not(strategy, able, mixed), "GPUs of different types (small and other) are not supported yet")
        << strategy;
  }
  EXPECT_EQ(why_not("tree", plain(CollectiveKind::SCATTER, 4, 100), cluster),
            "it does no scatter, only all-reduce, broadcast, reduce");
  for (const auto* strategy : {"t3", "t3-mca", "ideal-rs-nmc"})
    EXPECT_EQ(why_not(strategy, request, plain_cluster),
              "device small has no near-memory reduction (near_memory.available: false)")
        << strategy;
  for (const auto* strategy : {"t3", "tile-fused", "decomposed", "concurrent", "ideal-overlap"}) {
    EXPECT_EQ(why_not(strategy, plain(CollectiveKind::ALL_REDUCE, 4, 100), cluster),
              "it works on the output of a GEMM, and there is none");
    EXPECT_EQ(why_not(strategy, wrong_kind, cluster),
              "it does no all-gather, only all-reduce, reduce-scatter, all-to-all");
  }
  auto nodes = ring_of(4);
  nodes.gpus_per_node = 2;
  const auto sums = plain(CollectiveKind::ALL_REDUCE, 4, 100);
  EXPECT_EQ(why_not("hierarchical", sums, nodes), "");
  EXPECT_EQ(why_not("hierarchical", sums, cluster), "the ranks are not several whole nodes");
  EXPECT_EQ(why_not("hierarchical", request, cluster), "it is for a collective on its own, and there is a GEMM");
  for (const std::string strategy : {"t3", "sequential", "ideal-overlap"}) {
    EXPECT_EQ(why_not(strategy + ":algorithm=hierarchical", request, nodes), "") << strategy;
    EXPECT_EQ(why_not(strategy + ":algorithm=hierarchical", request, cluster), "the ranks are not several whole nodes");
    auto exchange = request;
    exchange.op.kind = CollectiveKind::ALL_TO_ALL;
    EXPECT_EQ(why_not(strategy + ":algorithm=hierarchical", exchange, nodes),
              "it does no all-to-all with algorithm=hierarchical, only all-reduce, reduce-scatter");
  }
  EXPECT_EQ(why_not("hierarchical", plain(CollectiveKind::ALL_REDUCE, 3, 100), nodes),
            "the ranks are not several whole nodes");
  EXPECT_EQ(why_not("hierarchical", plain(CollectiveKind::ALL_REDUCE, 2, 100), nodes),
            "the ranks are not several whole nodes");
  EXPECT_EQ(why_not("hierarchical:inter=tree", plain(CollectiveKind::ALL_GATHER, 4, 100), nodes),
            "with inter=tree it does an all-reduce only");
  EXPECT_EQ(why_not("torus:dims=2x2", sums, cluster), "");
  EXPECT_EQ(why_not("torus:dims=2x3", sums, cluster), "a grid of 2x3 has 6 ranks, not 4");
  EXPECT_EQ(why_not("torus:dims=16777216x16777216x16777216", sums, cluster),
            "a grid of 16777216x16777216x16777216 has 4722366482869645213696 ranks, not 4");
  EXPECT_EQ(why_not("decomposed", request, plain_cluster), "device small has no copy engine");
  EXPECT_EQ(why_not("decomposed:mover=sm", request, plain_cluster), "");
  EXPECT_EQ(why_not("decomposed:mover=sm:sms=20", request, cluster),
            "sms=20 leaves none of the 20 SMs of small to the GEMM");
  EXPECT_EQ(why_not("concurrent:sms=21", request, cluster), "sms=21 leaves none of the 20 SMs of small to the GEMM");
  EXPECT_EQ(why_not("concurrent:sms=19", request, cluster), "");
}

} // namespace
} // namespace tandem::collective
