// Digests, the list of what is to be run, and the pool.
#include "study/sweep/sweep.h"

#include "base/digest.h"
#include "base/error.h"
#include "study/fork_pool.h"
#include "workload/csv_lines.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace tandem::study {

namespace {

using model::PointStatus;
using Json = nlohmann::ordered_json;

std::string digest_of(const std::vector<std::string>& words, const PointInputs& inputs, const std::string& version) {
  std::string text = version + '\n';
  for (const auto& word : words)
    text += word + '\0';
  for (const auto& [path, digest] : inputs.files)
    text += fmt::format("\n{}={}", path, digest);
  return base::digest(text);
}

std::vector<std::string> varying_names(const Study& study) {
  std::vector<std::string> names;
  for (const auto& input : study.inputs)
    if (std::none_of(study.fixed.begin(), study.fixed.end(),
                     [&](const NamedValue& fixed) { return fixed.first == input.name; }))
      names.push_back(input.name);
  return names;
}

/// Text from the child, which measured itself.
std::string to_message(const PointOutput& output, double seconds) {
  return Json{{"csv", output.csv}, {"document", output.document}, {"seconds", seconds}}.dump();
}

PointAnswer answer_of(const Outcome& outcome) {
  PointAnswer answer;
  switch (outcome.ending) {
  case Ending::RESULT: {
    const auto message = Json::parse(outcome.text);
    answer.status = PointStatus::OK;
    answer.csv = message.at("csv");
    answer.document = message.at("document");
    answer.seconds = message.at("seconds");
    return answer;
  }
  case Ending::USER_ERROR: // the flags were sound one by one: together they are not
    answer.status = PointStatus::INFEASIBLE;
    answer.exit_code = static_cast<int>(base::Exit::BAD_INPUT);
    break;
  case Ending::INFEASIBLE:
    answer.status = PointStatus::INFEASIBLE;
    answer.exit_code = static_cast<int>(base::Exit::INFEASIBLE);
    break;
  case Ending::NO_MEMORY:
    answer.status = PointStatus::FAILED;
    answer.exit_code = static_cast<int>(base::Exit::INFEASIBLE);
    break;
  case Ending::BUG:
    answer.status = PointStatus::FAILED;
    answer.exit_code = static_cast<int>(base::Exit::BUG);
    break;
  }
  answer.reason = outcome.text;
  return answer;
}

/// Indices of points to run, each digest once, the dearest first: the last ones then fill the gaps.
std::vector<std::size_t> to_run(const PreparedStudy& study, ResultStore& store) {
  std::vector<std::size_t> list;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < study.words.size(); ++i) {
    const auto& digest = study.result.points[i].digest;
    if (digest.empty() || !seen.insert(digest).second)
      continue;
    const auto status = store.status(digest);
    if (status == PointStatus::PENDING || status == PointStatus::FAILED)
      list.push_back(i);
  }
  std::stable_sort(list.begin(), list.end(),
                   [&](std::size_t a, std::size_t b) { return study.inputs[a].work > study.inputs[b].work; });
  return list;
}

} // namespace

PreparedStudy prepare(const Study& study, const std::vector<std::string>& extra_words, const PointRunner& runner,
                      const std::string& version) {
  PreparedStudy prepared;
  auto& result = prepared.result;
  result.title = study.title;
  result.file = study.file;
  result.command = study.command.name;
  result.version = version;
  for (const auto& input : study.inputs)
    result.input_columns.push_back(input.name);
  result.varying = varying_names(study);
  for (const auto& point : make_points(study, extra_words, runner.check)) {
    model::SweepPoint one;
    one.point = static_cast<int>(result.points.size()) + 1;
    one.inputs = point.inputs;
    one.reason = point.reason;
    PointInputs inputs;
    if (point.reason.empty()) {
      one.command = "tandem " + shell_line(point.words);
      try {
        inputs = runner.inputs(point.words);
      } catch (const base::UserError& error) {
        throw base::UserError(place_of(study, point, error.what()),
                              fmt::format("point {} ({}): {}", one.point, point.name(study), error.what()));
      }
      one.digest = digest_of(point.words, inputs, version);
      if (result.metric_columns.empty())
        result.metric_columns = workload::csv_fields(workload::csv_lines(inputs.csv_header, "header").front(), {});
    } else {
      one.status = PointStatus::INFEASIBLE;
    }
    result.points.push_back(std::move(one));
    prepared.words.push_back(point.words);
    prepared.inputs.push_back(std::move(inputs));
  }
  return prepared;
}

PreparedStudy part_of(const PreparedStudy& study, const Shard& shard) {
  auto part = study;
  part.result.points.clear();
  part.words.clear();
  part.inputs.clear();
  for (std::size_t i = 0; i < study.words.size(); ++i)
    if (shard.has(i)) {
      part.result.points.push_back(study.result.points[i]);
      part.words.push_back(study.words[i]);
      part.inputs.push_back(study.inputs[i]);
    }
  return part;
}

void run_points(const PreparedStudy& study, const PointRunner& runner, ResultStore& store,
                const SweepOptions& options) {
  const auto list = to_run(study, store);
  std::vector<std::function<std::string()>> tasks;
  SweepProgress progress{.done = 0, .failed = 0, .all = list.size(), .work_done = 0.0, .work_all = 0.0};
  for (const auto index : list) {
    progress.work_all += study.inputs[index].work;
    tasks.emplace_back([&runner, &words = study.words[index]] {
      const auto begin = std::chrono::steady_clock::now();
      const auto output = runner.run(words);
      return to_message(output, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    });
  }
  const auto show = [&] {
    if (options.progress)
      options.progress(progress);
  };
  show();
  run_forked_each(tasks, {options.jobs, {}}, [&](std::size_t task, const Outcome& outcome) {
    const auto index = list[task];
    auto answer = answer_of(outcome);
    answer.command = study.result.command;
    answer.files = study.inputs[index].files;
    answer.work = study.inputs[index].work;
    store.put(study.result.points[index].digest, answer);
    ++progress.done;
    progress.failed += answer.status == PointStatus::FAILED ? 1 : 0;
    progress.work_done += study.inputs[index].work;
    show();
  });
}

} // namespace tandem::study
