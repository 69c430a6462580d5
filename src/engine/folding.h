// Who is played: one rank of each class, or all.
#pragma once

#include "engine/play.h"
#include "engine/roles.h"
#include "model/cluster.h"
#include "model/job.h"
#include "model/rank_classes.h"
#include "model/refine.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem::engine {

/// The classes of a job's ranks on a cluster. Flows of a rank are its role's channels out, then its legs.
class Folding {
public:
  /// Throws UserError when ranks that talk are not connected.
  Folding(const model::Cluster& cluster, const model::Job& job, const Roles& roles, const PlayOptions& options);

  [[nodiscard]] const model::TalkGraph& graph() const { return graph_; }
  [[nodiscard]] const model::RankClasses& classes() const { return classes_; }
  [[nodiscard]] std::uint32_t played() const { return static_cast<std::uint32_t>(classes_.classes.size()); }
  /// The rank that is played for its class.
  [[nodiscard]] std::uint32_t rank(std::uint32_t played) const { return classes_.classes[played].representative; }
  [[nodiscard]] const Role& role(std::uint32_t played) const { return roles_.of(rank(played)); }
  /// The flow class in a place of those that come in; NO_FLOW: none does.
  [[nodiscard]] std::uint32_t incoming(std::uint32_t played, std::uint32_t place) const;
  /// Links that a flow of the class crosses, mean over its members: those that limit nobody may differ.
  [[nodiscard]] double links(std::uint32_t flow_class) const { return links_[flow_class]; }
  /// model::class_lines() of it.
  [[nodiscard]] std::vector<std::string> explained() const;

private:
  /// What of a rank is not in the graph, each as a number that is equal for equals.
  struct Own {
    std::uint32_t role = 0, device = 0, start = 0, sizes = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads <=>
    auto operator<=>(const Own&) const = default;
  };
  void add_colours(const model::Cluster& cluster, const model::Job& job, const PlayOptions& options);
  void add_talk(const model::Cluster& cluster);
  void choose(Fold fold);
  void count_links();
  [[nodiscard]] std::string difference(std::uint32_t rank, std::uint32_t other) const;

  const Roles& roles_;
  std::vector<Own> own_;               ///< by rank
  std::vector<std::uint64_t> colours_; ///< by rank
  model::TalkGraph graph_;
  std::optional<model::Colouring> colouring_; ///< none: every rank by itself
  model::RankClasses classes_;
  std::vector<double> links_; ///< by flow class
};

} // namespace tandem::engine
