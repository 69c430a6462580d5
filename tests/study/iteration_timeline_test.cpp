// The timeline of an iteration read back: it shows what the result says.
#include "collective/built_clusters.h"
#include "small_training.h"
#include "study/train.h"

#include "base/error.h"
#include "base/file.h"
#include "temporary_files.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>

namespace tandem::study {
namespace {

class IterationTimeline : public ::testing::Test {
protected:
  IterationTimeline() { options.timeline = folder.file("timeline.json"); }

  void run() {
    result = run_training(small_gpt(), plan, collective::switch_of(4), options).cases.front();
    events = nlohmann::json::parse(base::read_text_file(options.timeline)).at("traceEvents");
  }
  [[nodiscard]] std::vector<nlohmann::json> of_kind(const std::string& phase) const {
    std::vector<nlohmann::json> list;
    for (const auto& event : events)
      if (event.at("ph") == phase)
        list.push_back(event);
    return list;
  }

  tests::Folder folder;
  workload::ParallelPlan plan = small_plan(2, 2, 1, 4);
  TrainOptions options;
  model::TrainCase result;
  nlohmann::json events;
};

TEST_F(IterationTimeline, shows_the_first_rank_of_each_stage) {
  run();
  std::vector<std::string> names;
  for (const auto& event : of_kind("M"))
    if (event.at("name") == "process_name")
      names.push_back(event.at("args").at("name"));
  EXPECT_EQ(names, (std::vector<std::string>{"rank 0, stage 0", "rank 2, stage 1"}));
}

// All computing of a stage is on its first rank's compute stream.
TEST_F(IterationTimeline, slices_add_up_to_the_breakdown) {
  run();
  double computing_us = 0.0;
  for (const auto& event : of_kind("X"))
    if (event.at("pid") == 1 && (event.at("cat") == "forward" || event.at("cat") == "backward"))
      computing_us += event.at("dur").get<double>();
  // Rounded to nanoseconds at both ends of some hundred slices.
  EXPECT_NEAR(computing_us, result.stages.front().breakdown.compute_s * 1e6, 0.5);
}

TEST_F(IterationTimeline, nothing_overlaps_on_a_track) {
  run();
  std::map<std::pair<int, int>, double> ends;
  for (const auto& event : of_kind("X")) {
    auto& end = ends[{event.at("pid"), event.at("tid")}];
    EXPECT_GE(event.at("ts").get<double>(), end - 1e-9) << event;
    end = event.at("ts").get<double>() + event.at("dur").get<double>();
  }
  EXPECT_GT(ends.size(), 6U);
}

TEST_F(IterationTimeline, steps_are_the_iterations) {
  options.iterations = 2;
  options.warmup = 1;
  run();
  std::vector<double> steps;
  for (const auto& event : of_kind("X"))
    if (event.at("cat") == "iteration" && event.at("pid") == 1)
      steps.push_back(event.at("dur"));
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_NEAR(steps.back(), result.iteration_s * 1e6, 0.01 * result.iteration_s * 1e6);
}

// What an iteration takes it gives back.
TEST_F(IterationTimeline, memory_ends_where_it_began) {
  run();
  std::vector<nlohmann::json> counts;
  for (const auto& event : of_kind("C"))
    if (event.at("pid") == 1)
      counts.push_back(event.at("args"));
  ASSERT_GT(counts.size(), 8U); // each micro-batch at least takes and gives back
  EXPECT_EQ(counts.front(), counts.back());
  double most = 0.0;
  for (const auto& count : counts) {
    double sum = 0.0;
    for (const auto& [account, bytes] : count.items())
      sum += bytes.get<double>();
    most = std::max(most, sum);
  }
  EXPECT_NEAR(most, result.stages.front().memory.peak_bytes, 5.0); // five accounts, rounded
}

// Tasks of the path follow one another, so that they take its time, without what was spent waiting.
TEST_F(IterationTimeline, marks_the_critical_path) {
  run();
  double marked_us = 0.0, path_us = 0.0;
  for (const auto& event : of_kind("X"))
    if (event.at("args").contains("critical path"))
      marked_us += event.at("dur").get<double>();
  for (const auto& term : result.critical_path)
    path_us += term.what == "waiting" ? 0.0 : term.seconds * 1e6;
  EXPECT_GT(path_us, 0.9 * result.iteration_s * 1e6);
  EXPECT_NEAR(marked_us, path_us,
              0.02 * path_us); // of a message that began before its sender had data, a part is the path's
}

TEST_F(IterationTimeline, any_rank_can_be_asked_for) {
  options.timeline_ranks = {3, 0};
  run();
  EXPECT_EQ(of_kind("M").front().at("args").at("name"), "rank 3, stage 1");
}

TEST_F(IterationTimeline, is_of_one_choice_of_strategies) {
  options.strategies = {"ring", "direct"};
  EXPECT_THROW(run(), base::UserError);
}

} // namespace
} // namespace tandem::study
