// The C interface of SQLite 3.
#include "study/sweep/sqlite.h"

#include "base/error.h"

#include <sqlite3.h>

namespace tandem::study {

Database::Database(const std::string& path, Mode mode) : path_(path) {
  constexpr int PATIENCE_MS = 60'000; // another process commits a point in milliseconds
  const int flags = mode == Mode::CREATE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE;
  const int code = sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr);
  if (code != SQLITE_OK) {
    const std::string message = sqlite3_errmsg(handle_);
    sqlite3_close(handle_);
    throw base::UserError({.file = path}, "cannot be opened as a store of results: " + message);
  }
  sqlite3_busy_timeout(handle_, PATIENCE_MS);
}

Database::~Database() {
  sqlite3_close(handle_);
}

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    fail();
}

void Database::fail() const {
  const int code = sqlite3_errcode(handle_);
  const std::string message = sqlite3_errmsg(handle_);
  if (code == SQLITE_NOTADB)
    throw base::UserError({.file = path_}, "is no store of results: " + message);
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
    throw base::UserError({.file = path_}, "another program holds this store; try again when it has ended");
  throw base::UserError({.file = path_}, "the store of results fails: " + message);
}

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
  check(sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &handle_, nullptr));
}

Statement::~Statement() {
  sqlite3_finalize(handle_);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK)
    database_.fail();
}

Statement& Statement::bind(const std::string& text) {
  check(sqlite3_bind_text64(handle_, next_++, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(long long number) {
  check(sqlite3_bind_int64(handle_, next_++, number));
  return *this;
}

Statement& Statement::bind(double number) {
  check(sqlite3_bind_double(handle_, next_++, number));
  return *this;
}

Statement& Statement::bind_null() {
  check(sqlite3_bind_null(handle_, next_++));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW)
    return true;
  if (code != SQLITE_DONE)
    database_.fail();
  sqlite3_reset(handle_);
  next_ = 1;
  return false;
}

void Statement::run() {
  while (step()) {
  }
}

std::string Statement::text(int column) const {
  const auto* bytes = sqlite3_column_text(handle_, column);
  if (bytes == nullptr)
    return {};
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

long long Statement::integer(int column) const {
  return sqlite3_column_int64(handle_, column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(handle_, column);
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE"); // takes the lock now: a later upgrade could meet another writer's
}

Transaction::~Transaction() {
  if (!done_)
    sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("COMMIT");
  done_ = true;
}

} // namespace tandem::study
