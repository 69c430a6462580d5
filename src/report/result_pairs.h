// Which results are held against each other.
#pragma once

#include "report/result_file.h"

#include <string>
#include <vector>

namespace tandem::report {

/// What is held against what.
struct ResultPair {
  const ResultFile* file_a = nullptr;
  const ResultFile* file_b = nullptr;
  ResultEntry a, b;
};

/// `name_a` and `name_b` (empty: all) choose entries by their name, strategy or case, or by a word of the case. Then:
/// - one entry of either side: those two;
/// - of one file (`b` is null), in each case the first chosen for A (and not for B) against the others chosen for B;
/// where no case has
///   two, the same of the cases of each strategy;
/// - of two files, in each case those of one strategy; else the only ones of both, whatever their strategies.
/// Throws UserError: a name that nothing has, nothing to compare (with what there is to choose from), results of
/// different commands.
std::vector<ResultPair> pair_results(const ResultFile& a, const ResultFile* b, const std::string& name_a,
                                     const std::string& name_b);

} // namespace tandem::report
