// Takes a schedule apart and puts it together again, so that a test can break one thing of it.
#pragma once

#include "model/schedule.h"

#include <string>
#include <vector>

namespace tandem::collective {

/// A program with its dependencies as a list.
struct LooseProgram {
  std::vector<model::Op> ops;
  std::vector<model::Dag::Edge> edges; ///< from, to
  explicit LooseProgram(const model::Program& program);
  [[nodiscard]] model::Program tight() const;
  /// Takes an operation away. `bridged`: what waited for it then waits for what it waited for.
  void erase(std::uint32_t op, bool bridged);
  void unlink(std::uint32_t from, std::uint32_t to);
};

/// The one operation of the first program that fits; fails the test when there are none or several and `nth` is
/// negative.
std::uint32_t find_op(const model::Schedule& schedule, const std::string& label, model::OpKind kind, int nth = -1);

/// Every rank gets a program of its own, equal to the one that it had, so that a test can break one rank alone.
void split_programs(model::Schedule& schedule);

/// Empty when the two are the same in every field, else the name of one that differs.
std::string difference(const model::Schedule& a, const model::Schedule& b);

} // namespace tandem::collective
