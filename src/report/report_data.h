// The data of a page: whatever files are given, studies or plain results, as one list of rows.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tandem::report {

/// A file of the user's, with its text.
struct ReportInput {
  std::string file, text;
};

/// Reads JSON that `sweep`, `train`, `compare` or `collective` wrote, and timelines. Of the document:
/// - `version`, `title`;
/// - `sources[]`, one per file: `file`, `title`, `command` ("train", ...), `study` (bool), `facts` (what all of its
/// rows
///   share: text by name), `varying` (inputs of a study that it varies), `assumed` (numbers without a source);
/// - `metrics`: by command, `key`, `label`, `unit`, `meaning` of each number;
/// - `rows[]`, one per simulated entry, or per point without a result: `source`, `point` (of a study; else null),
///   `inputs`, `status` ("ok", "infeasible", ...), `reason`, `command` (to reproduce it; null: the file does not say),
///   `metrics` by key as in the file, `breakdown` (seconds by name, they sum to the time), `memory` (bytes of the
///   fullest stage by account), `dram` (bytes of a GPU by category), `links` (bytes of a GPU by medium), `busiest_link`
///   (name; null: the file does not say), `capacity_bytes` (of a GPU's memory; null: the file does not say);
/// - `timelines[]`: `file`, and what page_timeline() makes of it.
/// Throws UserError with the file (and line): not readable, not JSON, not a result, a value missing or of another kind,
/// a study without points.
nlohmann::ordered_json report_data(const std::vector<ReportInput>& inputs, const std::string& version);

} // namespace tandem::report
