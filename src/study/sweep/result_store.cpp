// Journal: a rollback journal, and every commit synchronised with the disk. WAL would be faster by milliseconds that no
// point notices, needs memory that its readers share, so that it fails on the network file systems of clusters, and
// leaves two more files beside the store that a copy must not miss.
#include "study/sweep/result_store.h"

#include "base/error.h"
#include "report/numbers.h"
#include "report/sweep_values.h"
#include "workload/csv_lines.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace tandem::study {

namespace {

using Json = nlohmann::ordered_json;
using model::PointStatus;

constexpr int VERSION = 1;              ///< of the tables
constexpr int APPLICATION = 0x54414e44; ///< "TAND", which tells our files from others of SQLite's

constexpr const char* TABLES = R"sql(
CREATE TABLE study(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE points(point INTEGER PRIMARY KEY, digest TEXT NOT NULL, inputs TEXT NOT NULL, command TEXT NOT NULL,
                    reason TEXT);
CREATE INDEX points_digest ON points(digest);
CREATE TABLE answers(digest TEXT PRIMARY KEY, command TEXT NOT NULL, status TEXT NOT NULL, exit_code INTEGER NOT NULL,
                     reason TEXT, document TEXT, files TEXT NOT NULL, work REAL NOT NULL, seconds REAL NOT NULL)
  WITHOUT ROWID;
CREATE TABLE metrics(digest TEXT NOT NULL, row INTEGER NOT NULL, "values" TEXT NOT NULL, PRIMARY KEY(digest, row))
  WITHOUT ROWID;
)sql";

std::string quoted_name(const std::string& name) {
  std::string text = "\"";
  for (const char c : name)
    text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

/// Path of a key for json_extract; keys of ours hold no quotes.
std::string extract(const std::string& column, const std::string& key, const std::string& name) {
  return fmt::format(",\n  json_extract({}, '$.\"{}\"') AS {}", column, key, quoted_name(name));
}

/// One row for each row of a point's result, and one for a point without a result.
std::string results_view(const model::SweepResult& study) {
  std::string sql = "CREATE VIEW results AS SELECT p.point AS point";
  for (const auto& name : study.input_columns)
    sql += extract("p.inputs", name, name);
  sql += ",\n  CASE WHEN p.reason IS NOT NULL THEN 'infeasible' ELSE coalesce(a.status, 'pending') END AS status"
         ",\n  coalesce(p.reason, a.reason) AS reason, p.command AS command, m.row AS row";
  for (const auto& [key, name] : report::named_metrics(study))
    sql += extract("m.\"values\"", key, name);
  return sql + "\nFROM points p LEFT JOIN answers a ON a.digest = p.digest LEFT JOIN metrics m ON m.digest = p.digest "
               "ORDER BY p.point, m.row";
}

PointStatus status_named(const std::string& name) {
  for (const auto status : {PointStatus::OK, PointStatus::INFEASIBLE, PointStatus::FAILED})
    if (model::to_string(status) == name)
      return status;
  return PointStatus::PENDING;
}

/// Lines of the command's CSV, without its header, as objects of numbers and texts.
std::vector<std::string> metric_objects(const std::string& csv) {
  const auto lines = workload::csv_lines(csv, "result");
  std::vector<std::string> objects;
  std::vector<std::string> header;
  for (const auto& line : lines) {
    const auto fields = workload::csv_fields(line, {});
    if (header.empty()) {
      header = fields;
      continue;
    }
    if (fields.size() != header.size())
      throw base::Bug(fmt::format("a result has {} fields, and its header {}", fields.size(), header.size()));
    Json object = Json::object();
    for (std::size_t i = 0; i < fields.size(); ++i)
      object[header[i]] = report::json_of_field(fields[i]);
    objects.push_back(object.dump());
  }
  return objects;
}

} // namespace

bool ResultStore::is_database(const std::string& path) {
  constexpr std::string_view MAGIC("SQLite format 3\0", 16); // sqlite.org/fileformat.html, section 1.3
  std::string begin(MAGIC.size(), ' ');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file && begin == MAGIC;
}

ResultStore::ResultStore(const std::string& path, Database::Mode mode) : path_(path), database_(path, mode) {
  database_.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL");
  check_version();
}

void ResultStore::check_version() {
  Transaction transaction(database_);
  const auto pragma = [&](const std::string& name) {
    Statement statement(database_, "PRAGMA " + name);
    return statement.step() ? statement.integer(0) : 0;
  };
  Statement any(database_, "SELECT count(*) FROM sqlite_master");
  any.step();
  const bool is_new = any.integer(0) == 0;
  if (!is_new && pragma("application_id") != APPLICATION)
    throw base::UserError({.file = path_}, "is a database, but no store of tandem sweep");
  if (!is_new && pragma("user_version") != VERSION)
    throw base::UserError({.file = path_},
                          fmt::format("has tables of version {}, and this program reads and writes version {}",
                                      pragma("user_version"), VERSION));
  if (is_new)
    database_.execute(
        fmt::format("{}PRAGMA application_id = {}; PRAGMA user_version = {}", TABLES, APPLICATION, VERSION));
  transaction.commit();
}

void ResultStore::describe(const model::SweepResult& study) {
  Transaction transaction(database_);
  database_.execute("DELETE FROM study; DELETE FROM points; DROP VIEW IF EXISTS results");
  Statement say(database_, "INSERT INTO study VALUES(?, ?)");
  for (const auto& [key, value] :
       {std::pair{"title", study.title}, std::pair{"file", study.file}, std::pair{"command", study.command},
        std::pair{"version", study.version}, std::pair{"inputs", Json(study.input_columns).dump()},
        std::pair{"varying", Json(study.varying).dump()}, std::pair{"metrics", Json(study.metric_columns).dump()}})
    say.bind(std::string(key)).bind(value).run();
  Statement add(database_, "INSERT INTO points VALUES(?, ?, ?, ?, ?)");
  for (const auto& point : study.points) {
    Json inputs = Json::object();
    for (std::size_t i = 0; i < point.inputs.size(); ++i)
      inputs[study.input_columns[i]] = report::json_of_field(point.inputs[i]);
    add.bind(static_cast<long long>(point.point)).bind(point.digest).bind(inputs.dump()).bind(point.command);
    if (point.reason.empty())
      add.bind_null().run();
    else
      add.bind(point.reason).run();
  }
  database_.execute(results_view(study));
  transaction.commit();
}

model::SweepResult ResultStore::study() {
  std::map<std::string, std::string> said;
  for (Statement all(database_, "SELECT key, value FROM study"); all.step();)
    said[all.text(0)] = all.text(1);
  if (said.empty())
    throw base::UserError({.file = path_}, "holds no study; allowed: a store that tandem sweep has written");
  model::SweepResult study;
  study.title = said.at("title");
  study.file = said.at("file");
  study.command = said.at("command");
  study.version = said.at("version");
  Json::parse(said.at("inputs")).get_to(study.input_columns);
  Json::parse(said.at("varying")).get_to(study.varying);
  Json::parse(said.at("metrics")).get_to(study.metric_columns);
  for (Statement all(database_, "SELECT point, digest, inputs, command, reason FROM points ORDER BY point");
       all.step();) {
    auto& point = study.points.emplace_back();
    point.point = static_cast<int>(all.integer(0));
    point.digest = all.text(1);
    const auto inputs = Json::parse(all.text(2));
    for (const auto& name : study.input_columns)
      point.inputs.push_back(report::field_of_json(inputs.at(name)));
    point.command = all.text(3);
    point.reason = all.text(4);
    if (!point.reason.empty())
      point.status = PointStatus::INFEASIBLE;
  }
  fill(study);
  return study;
}

PointStatus ResultStore::status(const std::string& digest) {
  Statement find(database_, "SELECT status FROM answers WHERE digest = ?");
  find.bind(digest);
  return find.step() ? status_named(find.text(0)) : PointStatus::PENDING;
}

void ResultStore::put(const std::string& digest, const PointAnswer& answer) {
  const auto objects = metric_objects(answer.csv);
  Transaction transaction(database_);
  Statement(database_, "DELETE FROM metrics WHERE digest = ?").bind(digest).run();
  Statement(database_, "INSERT OR REPLACE INTO answers VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(digest)
      .bind(answer.command)
      .bind(model::to_string(answer.status))
      .bind(static_cast<long long>(answer.exit_code))
      .bind(answer.reason)
      .bind(answer.document)
      .bind(Json(answer.files).dump())
      .bind(answer.work)
      .bind(answer.seconds)
      .run();
  Statement add(database_, "INSERT INTO metrics VALUES(?, ?, ?)");
  for (std::size_t row = 0; row < objects.size(); ++row)
    add.bind(digest).bind(static_cast<long long>(row)).bind(objects[row]).run();
  transaction.commit();
}

void ResultStore::fill(model::SweepResult& study) {
  Statement find(database_, "SELECT status, reason, document FROM answers WHERE digest = ?");
  Statement rows(database_, "SELECT \"values\" FROM metrics WHERE digest = ? ORDER BY row");
  for (auto& point : study.points) {
    if (point.digest.empty())
      continue;
    find.bind(point.digest);
    if (!find.step())
      continue;
    point.status = status_named(find.text(0));
    point.reason = find.text(1);
    point.document = find.text(2);
    while (find.step()) {
    }
    point.rows.clear();
    rows.bind(point.digest);
    while (rows.step()) {
      const auto object = Json::parse(rows.text(0));
      auto& row = point.rows.emplace_back();
      for (const auto& name : study.metric_columns)
        row.push_back(object.contains(name) ? report::field_of_json(object.at(name)) : std::string());
    }
  }
}

void ResultStore::forget_failed() {
  database_.execute("DELETE FROM answers WHERE status = 'failed'"); // they have no metrics
}

double ResultStore::seconds_per_work(const std::string& command) {
  Statement sum(database_, "SELECT sum(seconds), sum(work) FROM answers WHERE command = ? AND status = 'ok'");
  sum.bind(command);
  return sum.step() && sum.real(1) > 0.0 ? sum.real(0) / sum.real(1) : 0.0;
}

std::size_t ResultStore::absorb(const std::string& path) {
  if (!std::filesystem::is_regular_file(path))
    throw base::UserError({.file = path}, "is no file; a store that another tandem sweep wrote is needed");
  { const ResultStore checked(path, Database::Mode::EXISTING); } // and rolls back what its writer left half done
  Statement(database_, "ATTACH ? AS other").bind(path).run();
  std::size_t taken = 0;
  {
    Transaction transaction(database_);
    database_.execute(
        "CREATE TEMP TABLE taken AS SELECT digest FROM other.answers theirs WHERE NOT EXISTS "
        "(SELECT 1 FROM main.answers ours WHERE ours.digest = theirs.digest AND ours.status <> 'failed')");
    Statement count(database_, "SELECT count(*) FROM taken");
    count.step();
    taken = static_cast<std::size_t>(count.integer(0));
    while (count.step()) {
    }
    database_.execute("DELETE FROM main.metrics WHERE digest IN (SELECT digest FROM taken);"
                      "INSERT OR REPLACE INTO main.answers SELECT * FROM other.answers WHERE digest IN (SELECT digest "
                      "FROM taken);"
                      "INSERT INTO main.metrics SELECT * FROM other.metrics WHERE digest IN (SELECT digest FROM taken);"
                      "DROP TABLE temp.taken");
    transaction.commit();
  }
  database_.execute("DETACH other");
  return taken;
}

} // namespace tandem::study
