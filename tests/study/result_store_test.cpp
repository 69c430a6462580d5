// The store: what is put is there, views, shards, and files that are no stores.
#include "study/sweep/result_store.h"

#include "base/error.h"
#include "temporary_files.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::study {
namespace {

using model::PointStatus;

class ResultStoreTest : public testing::Test {
protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.file(name); }

  tests::Folder folder_;
};

model::SweepResult study() {
  model::SweepResult result;
  result.command = "train";
  result.input_columns = {"nodes", "model"};
  result.metric_columns = {"model", "iteration_s"};
  for (int i = 1; i <= 3; ++i) {
    model::SweepPoint point;
    point.point = i;
    point.inputs = {std::to_string(i), "gpt"};
    point.digest = i == 3 ? "" : "digest" + std::to_string(i);
    if (i == 3) {
      point.status = PointStatus::INFEASIBLE;
      point.reason = "where: nodes < 3 does not hold";
    }
    result.points.push_back(point);
  }
  return result;
}

PointAnswer answer(const std::string& time) {
  PointAnswer made;
  made.command = "train";
  made.status = PointStatus::OK;
  made.csv = "model,iteration_s\r\n\"GPT, small\"," + time + "\r\n";
  made.document = "{}";
  made.work = 2.0;
  made.seconds = 3.0;
  return made;
}

std::vector<std::string> rows_of(const std::string& path, const std::string& sql, int columns) {
  Database database(path, Database::Mode::EXISTING);
  Statement statement(database, sql);
  std::vector<std::string> rows;
  while (statement.step()) {
    std::string row;
    for (int i = 0; i < columns; ++i)
      row += (i == 0 ? std::string() : std::string("|")) + statement.text(i);
    rows.push_back(row);
  }
  return rows;
}

TEST_F(ResultStoreTest, KeepsAnswersAndShowsThemAsATable) {
  {
    ResultStore store(path("s"));
    store.describe(study());
    store.put("digest1", answer("1.5"));
  }
  ResultStore again(path("s"));
  EXPECT_EQ(again.status("digest1"), PointStatus::OK);
  EXPECT_EQ(again.status("digest2"), PointStatus::PENDING);
  auto filled = study();
  again.fill(filled);
  EXPECT_THAT(filled.points[0].rows, testing::ElementsAre(testing::ElementsAre("GPT, small", "1.5")));
  EXPECT_EQ(filled.points[1].status, PointStatus::PENDING);
  EXPECT_EQ(filled.points[2].reason, "where: nodes < 3 does not hold");
  // a metric whose name is an input's is result_NAME
  EXPECT_THAT(rows_of(path("s"), "SELECT point, nodes, status, result_model, iteration_s + 1 FROM results", 5),
              testing::ElementsAre("1|1|ok|GPT, small|2.5", "2|2|pending||", "3|3|infeasible||"));
  EXPECT_DOUBLE_EQ(again.seconds_per_work("train"), 1.5);
  EXPECT_DOUBLE_EQ(again.seconds_per_work("compare"), 0.0);
}

TEST_F(ResultStoreTest, TellsTheStudyThatItHolds) {
  EXPECT_FALSE(ResultStore::is_database(path("s")));
  ResultStore store(path("s"));
  EXPECT_TRUE(ResultStore::is_database(path("s")));
  EXPECT_THROW((void)store.study(), base::UserError);
  auto described = study();
  described.title = "TITLE";
  described.varying = {"nodes"};
  store.describe(described);
  store.put("digest1", answer("1.5"));
  const auto told = store.study();
  EXPECT_EQ(told.title, "TITLE");
  EXPECT_EQ(told.command, "train");
  EXPECT_EQ(told.varying, described.varying);
  EXPECT_EQ(told.input_columns, described.input_columns);
  ASSERT_EQ(told.points.size(), 3U);
  EXPECT_EQ(told.points[1].inputs, (std::vector<std::string>{"2", "gpt"}));
  EXPECT_EQ(told.points[0].status, PointStatus::OK);
  EXPECT_THAT(told.points[0].rows, testing::ElementsAre(testing::ElementsAre("GPT, small", "1.5")));
  EXPECT_EQ(told.points[1].status, PointStatus::PENDING);
  EXPECT_EQ(told.points[2].status, PointStatus::INFEASIBLE);
  EXPECT_EQ(told.points[2].reason, described.points[2].reason);
}

/// An answer outlives a change of the study, and a later one takes its place.
TEST_F(ResultStoreTest, AnswersOutliveTheStudy) {
  ResultStore store(path("s"));
  store.describe(study());
  store.put("digest1", answer("1.5"));
  auto other = study();
  other.points.resize(1);
  other.points[0].digest = "another";
  store.describe(other);
  EXPECT_EQ(store.status("digest1"), PointStatus::OK);
  store.put("digest1", answer("2.5"));
  store.describe(study());
  auto filled = study();
  store.fill(filled);
  EXPECT_EQ(filled.points[0].rows.front().back(), "2.5");
}

TEST_F(ResultStoreTest, TakesOverWhatItHasNot) {
  ResultStore whole(path("whole"));
  whole.describe(study());
  PointAnswer failed;
  failed.command = "train";
  failed.status = PointStatus::FAILED;
  failed.reason = "killed";
  whole.put("digest1", failed);
  whole.put("digest2", answer("7"));
  {
    ResultStore shard(path("shard"));
    shard.put("digest1", answer("1.5")); // failed in the other one
    shard.put("digest2", answer("8"));   // known there
    shard.put("digest9", answer("9"));   // of another study
  }
  EXPECT_EQ(whole.absorb(path("shard")), 2U);
  auto filled = study();
  whole.fill(filled);
  EXPECT_EQ(filled.points[0].rows.front().back(), "1.5");
  EXPECT_EQ(filled.points[1].rows.front().back(), "7");
  EXPECT_EQ(whole.absorb(path("shard")), 0U);
  EXPECT_THROW(whole.absorb(path("nowhere")), base::UserError);
  EXPECT_FALSE(std::filesystem::exists(path("nowhere")));
}

TEST_F(ResultStoreTest, RefusesOtherFiles) {
  std::ofstream(path("text")) << "no database at all, but long enough to be looked at as one by SQLite's reader......";
  EXPECT_THROW(ResultStore store(path("text")), base::UserError);
  {
    Database other(path("other"), Database::Mode::CREATE);
    other.execute("CREATE TABLE t(x)");
  }
  EXPECT_THROW(ResultStore store(path("other")), base::UserError);
  EXPECT_THROW(ResultStore store(path("no/folder")), base::UserError);
  { ResultStore store(path("s")); }
  {
    Database later(path("s"), Database::Mode::EXISTING);
    later.execute("PRAGMA user_version = 99");
  }
  EXPECT_THROW(ResultStore store(path("s")), base::UserError);
}

TEST_F(ResultStoreTest, NumbersThatWouldChangeStayTexts) {
  auto made = answer("1.5");
  made.csv = "model,iteration_s\r\n007,1e+06\r\n";
  ResultStore store(path("s"));
  store.describe(study());
  store.put("digest1", made);
  auto filled = study();
  store.fill(filled);
  EXPECT_THAT(filled.points[0].rows.front(), testing::ElementsAre("007", "1e+06"));
}

} // namespace
} // namespace tandem::study
