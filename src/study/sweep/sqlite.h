// SQLite behind values that close themselves; errors are the user's with the file's name.
#pragma once

#include <string>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace tandem::study {

class Database {
public:
  enum class Mode { CREATE, EXISTING };
  /// Throws UserError: cannot be opened.
  Database(const std::string& path, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// One or several statements without results.
  void execute(const std::string& sql);
  [[noreturn]] void fail() const; ///< UserError with what SQLite says
  [[nodiscard]] sqlite3* handle() const { return handle_; }

private:
  std::string path_;
  sqlite3* handle_ = nullptr;
};

/// A statement with parameters `?`, bound in order.
class Statement {
public:
  Statement(Database& database, const std::string& sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(const std::string& text);
  Statement& bind(long long number);
  Statement& bind(double number);
  Statement& bind_null();
  /// True: there is a row. At the end the statement is ready to be bound anew.
  bool step();
  /// For statements without rows.
  void run();

  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] long long integer(int column) const;
  [[nodiscard]] double real(int column) const;

private:
  void check(int code) const;

  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
  int next_ = 1;
};

/// Begins a transaction that is rolled back unless commit() is called.
class Transaction {
public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

private:
  Database& database_;
  bool done_ = false;
};

} // namespace tandem::study
