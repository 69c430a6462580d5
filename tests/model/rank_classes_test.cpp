// Rank classes of small graphs, derived by hand, and properties of random ones.
#include "base/error.h"
#include "model/certificate.h"
#include "model/rank_classes.h"
#include "model/refine.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace tandem::model {
namespace {

using testing::ElementsAre;

Table<Link> links(std::size_t count, double bandwidth = 1e9) {
  Table<Link> table;
  for (std::size_t i = 0; i < count; ++i)
    table.push_back({std::to_string(i), BytesPerSecond(bandwidth), Seconds(), Sharing::SHARED, Medium::OTHER});
  return table;
}

std::uint32_t add_route(TalkGraph& graph, std::initializer_list<std::uint32_t> crossed) {
  std::vector<LinkId> ids;
  for (const auto link : crossed)
    ids.emplace_back(link);
  return graph.add_route(ids, Seconds(1e-6));
}

TalkGraph finished(TalkGraph graph) {
  graph.finish(TalkGraph::Implied::KEPT);
  return graph;
}

RankClasses fold(const TalkGraph& unfinished) {
  const auto graph = finished(unfinished);
  const auto colouring = refine(graph);
  return quotient(graph, colouring.of_rank, colouring.of_link);
}

/// A ring of ranks on one switch: link 2r up from rank r, 2r + 1 down to it.
TalkGraph ring(const Table<Link>& table, std::uint32_t ranks, std::uint64_t colour_of_0 = 7) {
  TalkGraph graph(table);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto next = (rank + 1) % ranks;
    graph.add_rank(rank == 0 ? colour_of_0 : 7);
    graph.add_flow({next, 0, add_route(graph, {2 * rank, 2 * next + 1})});
  }
  return graph;
}

TEST(RankClasses, RingOnOneSwitchIsOneClass) {
  const auto table = links(32);
  const auto graph = ring(table, 16);
  const auto folded = fold(graph);
  ASSERT_EQ(folded.classes.size(), 1U);
  EXPECT_EQ(folded.classes[0].size, 16U);
  EXPECT_EQ(folded.flow_classes[0].receiver, 0U); // it sends to itself
  // Up and down differ in nothing that matters: each is crossed by one flow. 32 links, 16 flows over 2 links: n = 1.
  ASSERT_EQ(folded.link_classes.size(), 1U);
  ASSERT_EQ(folded.crossings_of(0).size(), 1U);
  EXPECT_EQ(folded.crossings_of(0)[0].times, 1U);
  EXPECT_EQ(folded.crossings_of(0)[0].links, 2U);
}

/// Nodes of 8, ring over all: within a node link 2r up and 2r+1 down; between nodes the node's own links out and in.
TEST(RankClasses, RingOverNodesIsOneClassPerLocalRank) {
  constexpr std::uint32_t NODES = 4, RANKS = 32;
  const auto table = links(2 * RANKS + 2 * NODES);
  TalkGraph graph(table);
  for (std::uint32_t rank = 0; rank < RANKS; ++rank) {
    const auto next = (rank + 1) % RANKS;
    graph.add_rank(0);
    graph.add_flow({next, 0,
                    rank % 8 == 7 ? add_route(graph, {2 * RANKS + 2 * (rank / 8), 2 * RANKS + 2 * (next / 8) + 1})
                                  : add_route(graph, {2 * rank, 2 * next + 1})});
  }
  // All links alike: crossed by one flow each, so that this ring cannot tell where nodes end ...
  EXPECT_EQ(fold(graph).classes.size(), 1U);

  // ... unless those between nodes are slower: then each place in a node is a class.
  auto slower = table;
  for (std::uint32_t i = 2 * RANKS; i < table.size(); ++i)
    slower.stored()[i].bandwidth = BytesPerSecond(5e8);
  TalkGraph split(slower);
  for (std::uint32_t rank = 0; rank < RANKS; ++rank) {
    split.add_rank(0);
    const auto old = graph.flows(rank)[0];
    std::vector<LinkId> ids;
    for (const auto link : graph.crossed(old.route))
      ids.push_back(graph.links()[link].id);
    split.add_flow({old.receiver, 0, split.add_route(ids, Seconds(1e-6))});
  }
  const auto folded = fold(split);
  ASSERT_EQ(folded.classes.size(), 8U);
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(folded.classes[i].representative, i);
    EXPECT_EQ(folded.classes[i].size, NODES);
    EXPECT_EQ(folded.flow_classes[i].receiver, (i + 1) % 8);
  }
}

/// Job A: ranks 0-3 each send over their own link and the core; job B: ranks 4 and 5 likewise; others receive.
TEST(RankClasses, JobsThatContendKeepTheirShares) {
  const auto table = links(13);
  TalkGraph graph(table);
  for (std::uint32_t rank = 0; rank < 6; ++rank) {
    graph.add_rank(rank < 4 ? 1 : 2);
    graph.add_flow({rank + 6, 0, add_route(graph, {rank, 12, rank + 6})});
  }
  for (std::uint32_t rank = 6; rank < 12; ++rank)
    graph.add_rank(3);
  const auto folded = fold(graph);
  ASSERT_EQ(folded.classes.size(), 4U); // senders and receivers of either job
  // The core carries 4 flows of A and 2 of B: 2 and 1 over a link of half the bandwidth.
  const auto core = folded.link_class_of[1]; // second link that was named
  EXPECT_EQ(folded.link_classes[core].unit, 2U);
  EXPECT_EQ(folded.link_classes[core].bandwidth.value(), 5e8);
  EXPECT_EQ(folded.crossings_of(0)[1].times, 2U);
  EXPECT_EQ(folded.crossings_of(1)[1].times, 1U);
  EXPECT_TRUE(folded.link_classes[core].limits);
  // Of a sender's own link and its receiver's, which one flow crosses, one is enough. They are one class here.
  EXPECT_EQ(folded.crossings_of(0)[0].links, 2U);
}

TEST(RankClasses, LeavesOutLinksThatNarrowerOnesImply) {
  auto table = links(32);
  for (std::uint32_t down = 1; down < 32; down += 2)
    table.stored()[down].bandwidth = BytesPerSecond(2e9);
  const auto folded = fold(ring(table, 16));
  ASSERT_EQ(folded.link_classes.size(), 2U);
  EXPECT_TRUE(folded.link_classes[0].limits); // up, 1 GB/s
  EXPECT_FALSE(folded.link_classes[1].limits);
}

TEST(RankClasses, OneLinkOnePercentSlowerSplitsTheRing) {
  auto table = links(32);
  table.stored()[6].bandwidth = BytesPerSecond(0.99e9);
  EXPECT_EQ(fold(ring(table, 16)).classes.size(), 16U);
}

TEST(RankClasses, OneStragglerMakesEveryRankOfARingItsOwn) {
  const auto table = links(2 * 4001);
  EXPECT_EQ(fold(ring(table, 4001, 8)).classes.size(), 4001U);
}

/// Ranks 1 .. 4 send to rank 0, which takes them in turn: each comes in another place.
TEST(RankClasses, SendersOfAnIncastDifferByTheirPlace) {
  const auto table = links(5);
  TalkGraph graph(table);
  graph.add_rank(0);
  for (std::uint32_t rank = 1; rank <= 4; ++rank) {
    graph.add_rank(0);
    graph.add_flow({0, rank - 1, add_route(graph, {rank, 0})});
  }
  const auto folded = fold(graph);
  EXPECT_EQ(folded.classes.size(), 5U);
  // Their links differ by whose flow they carry.
  EXPECT_EQ(folded.link_classes.size(), 5U);
}

TEST(RankClasses, FatpipesLimitEachFlowByItself) {
  auto table = links(9);
  table.stored()[8].sharing = Sharing::FATPIPE;
  TalkGraph graph(table);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    graph.add_rank(0);
    graph.add_flow({(rank + 1) % 4, 0, add_route(graph, {2 * rank, 8, 2 * ((rank + 1) % 4) + 1})});
  }
  const auto folded = fold(graph);
  ASSERT_EQ(folded.classes.size(), 1U);
  EXPECT_EQ(folded.crossings_of(0)[1].times, 1U);
  EXPECT_EQ(folded.link_classes[folded.crossings_of(0)[1].link_class].bandwidth.value(), 1e9);
}

TEST(RankClasses, TheGraphRefusesTwoFlowsInOnePlace) {
  const auto table = links(1);
  TalkGraph graph(table);
  graph.add_rank(0);
  graph.add_flow({0, 1, add_route(graph, {0})});
  graph.add_flow({0, 1, 0});
  EXPECT_THROW(graph.finish(), base::Bug);
}

TEST(Certificate, RefusesWhatIsNotEquitable) {
  auto table = links(32);
  const auto graph = finished(ring(table, 16));
  const std::vector<std::uint32_t> one(16, 0), same(32, 0);
  EXPECT_NO_THROW(quotient(graph, one, same));
  auto ranks = one;
  ranks[3] = 1; // its peers' peers are of another class than others'
  EXPECT_THROW(quotient(graph, ranks, same), base::Bug);
  auto crossed = same;
  crossed[5] = 1;
  EXPECT_THROW(quotient(graph, one, crossed), base::Bug);
  // Equal counts, unequal links.
  table.stored()[6].bandwidth = BytesPerSecond(0.99e9);
  EXPECT_THROW(quotient(finished(ring(table, 16)), one, same), base::Bug);
  // Unequal colours.
  EXPECT_THROW(quotient(finished(ring(links(32), 16, 8)), one, same), base::Bug);
}

/// Two flows over each of links 0 and 1 in one graph, three and one in the other: |flows| x crossings = |links| x n
/// holds for both.
TEST(Certificate, CountsFlowsOnEveryLink) {
  const auto table = links(2);
  for (const std::uint32_t on_first : {2U, 3U}) {
    TalkGraph graph(table);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      graph.add_rank(0);
      graph.add_flow({rank, 0, add_route(graph, {rank < on_first ? 0U : 1U})});
    }
    graph.finish(TalkGraph::Implied::KEPT);
    const std::vector<std::uint32_t> ranks(4, 0), both(2, 0);
    if (on_first == 2)
      EXPECT_NO_THROW(quotient(graph, ranks, both));
    else
      EXPECT_THROW(quotient(graph, ranks, both), base::Bug);
  }
}

/// Copies of one random node, joined by a ring of nodes, with some ranks and links made different at random.
TalkGraph random_graph(std::mt19937& random, Table<Link>& table) {
  const auto pick = [&](std::uint32_t below) {
    return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(random);
  };
  const std::uint32_t per_node = 1 + pick(4), nodes = 1 + pick(6), per_node_links = 1 + pick(5);
  const std::uint32_t shared = 2, count = nodes * per_node_links + shared;
  table = links(count);
  if (pick(2) == 0)
    table.stored()[count - 1].sharing = Sharing::FATPIPE;
  if (pick(3) == 0)
    table.stored()[pick(count)].bandwidth = BytesPerSecond(0.99e9);
  struct Pattern {
    std::uint32_t node, peer; // offsets
    std::vector<std::uint32_t> own, peers;
    bool is_over_shared;
  };
  std::vector<std::vector<Pattern>> patterns(per_node);
  for (auto& of_rank : patterns)
    for (std::uint32_t i = pick(4); i > 0; --i) {
      Pattern pattern{pick(nodes), pick(per_node), {pick(per_node_links)}, {pick(per_node_links)}, pick(2) == 0};
      if (pick(2) == 0)
        pattern.own.push_back(pick(per_node_links));
      of_rank.push_back(pattern);
    }
  TalkGraph graph(table);
  std::vector<std::uint32_t> incoming(nodes * per_node, 0);
  const auto odd = pick(3) == 0 ? pick(nodes * per_node) : nodes * per_node;
  for (std::uint32_t rank = 0; rank < nodes * per_node; ++rank) {
    graph.add_rank(rank == odd ? 1 : 0);
    for (const auto& pattern : patterns[rank % per_node]) {
      const auto node = rank / per_node, to = (node + pattern.node) % nodes;
      std::vector<LinkId> ids;
      for (const auto link : pattern.own)
        ids.emplace_back(node * per_node_links + link);
      if (pattern.is_over_shared)
        ids.emplace_back(count - 1);
      for (const auto link : pattern.peers)
        ids.emplace_back(to * per_node_links + link);
      const auto receiver = to * per_node + pattern.peer;
      graph.add_flow({receiver, incoming[receiver]++, graph.add_route(ids, Seconds(1e-6))});
    }
  }
  return graph;
}

/// The refinement by its definition: full comparison of what is seen, until nothing changes.
std::size_t plain_classes(const TalkGraph& graph) {
  using Sight = std::vector<std::uint64_t>;
  std::vector<std::uint64_t> ranks(graph.ranks()), link_colours(graph.links().size());
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank)
    ranks[rank] = graph.colour(rank);
  for (std::uint32_t link = 0; link < link_colours.size(); ++link)
    link_colours[link] =
        (graph.link_kind(link).bandwidth.value() == 1e9 ? 0U : 1U) + (graph.is_fatpipe(link) ? 2U : 0U);
  for (std::size_t known = 0;;) {
    std::vector<Sight> of_rank(ranks.size()), of_link(link_colours.size());
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
      of_rank[rank].push_back(ranks[rank]);
      for (std::uint32_t i = 0; i < graph.flows(rank).size(); ++i) {
        const auto& flow = graph.flows(rank)[i];
        of_rank[rank].insert(of_rank[rank].end(), {flow.incoming, ranks[flow.receiver]});
        Sight crossed;
        for (const auto link : graph.crossed(flow.route)) {
          crossed.push_back(link_colours[link]);
          if (!graph.is_fatpipe(link))
            of_link[link].push_back(1000 + 100 * ranks[rank] + i);
        }
        std::sort(crossed.begin(), crossed.end());
        of_rank[rank].insert(of_rank[rank].end(), crossed.begin(), crossed.end());
        of_rank[rank].push_back(999999);
      }
    }
    std::vector<std::vector<Sight>> incoming(ranks.size());
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank)
      for (std::uint32_t i = 0; i < graph.flows(rank).size(); ++i) {
        const auto& flow = graph.flows(rank)[i];
        incoming[flow.receiver].push_back({flow.incoming, ranks[rank], i});
      }
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      std::sort(incoming[rank].begin(), incoming[rank].end());
      for (const auto& one : incoming[rank])
        of_rank[rank].insert(of_rank[rank].end(), one.begin(), one.end());
    }
    for (std::size_t link = 0; link < link_colours.size(); ++link) {
      std::sort(of_link[link].begin(), of_link[link].end());
      of_link[link].insert(of_link[link].begin(), link_colours[link]);
    }
    const auto number = [](const std::vector<Sight>& seen, std::vector<std::uint64_t>& colours) {
      std::map<Sight, std::uint64_t> numbers;
      for (std::size_t i = 0; i < seen.size(); ++i)
        colours[i] = numbers.try_emplace(seen[i], numbers.size()).first->second;
      return numbers.size();
    };
    const auto rank_classes = number(of_rank, ranks);
    const auto classes = rank_classes + number(of_link, link_colours);
    if (classes == known)
      return rank_classes;
    known = classes;
  }
}

// Three flows leave over links 0, 1 and 2 of 100 B/s, go through an uplink 3 of 300 B/s that has room for all of them,
// and arrive over links 4, 5 and 6 of 100 B/s. The uplink limits nobody, nor do the last links: each has the one flow
// of the link before. With an uplink of 299 B/s it does.
TEST(RankClasses, DoNotSeeLinksThatCannotLimit) {
  for (const double uplink : {300.0, 299.0}) {
    Table<Link> table;
    for (int i = 0; i < 7; ++i)
      table.push_back({std::to_string(i), model::BytesPerSecond(i == 3 ? uplink : 100.0)});
    TalkGraph graph(table);
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      graph.add_rank(0);
      graph.add_flow({(rank + 1) % 3, 0, add_route(graph, {rank, 3, 4 + rank})});
    }
    graph.finish();
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      const auto route = graph.flows(rank)[0].route;
      EXPECT_EQ(graph.limiting(route).size(), uplink < 300.0 ? 2U : 1U);
      EXPECT_EQ(graph.links()[graph.limiting(route)[0]].id, LinkId(rank));
      EXPECT_EQ(graph.crossed(route).size(), 3U);
    }
  }
}

TEST(RankClasses, OfRandomGraphsAreTheCoarsestThatAreEquitable) {
  std::mt19937 random(20240601);
  std::size_t folded_some = 0;
  for (int i = 0; i < 400; ++i) {
    Table<Link> table;
    auto graph = random_graph(random, table);
    graph.finish(TalkGraph::Implied::KEPT);
    const auto colouring = refine(graph);
    const auto folded = quotient(graph, colouring.of_rank, colouring.of_link); // certified
    EXPECT_EQ(folded.classes.size(), plain_classes(graph)) << "graph " << i;
    folded_some += folded.classes.size() < graph.ranks() ? 1 : 0;
    EXPECT_EQ(unfolded(graph).classes.size(), graph.ranks());
    for (std::uint32_t merged = 1; merged < folded.classes.size(); ++merged) {
      auto coarser = colouring.of_rank;
      const auto from = colouring.of_rank[folded.classes[merged].representative];
      const auto into = colouring.of_rank[folded.classes[merged - 1].representative];
      std::replace(coarser.begin(), coarser.end(), from, into);
      EXPECT_THROW(quotient(graph, coarser, colouring.of_link), base::Bug) << "graph " << i;
    }
  }
  EXPECT_GT(folded_some, 100U);
}

} // namespace
} // namespace tandem::model
