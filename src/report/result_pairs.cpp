// Entries are matched by what was simulated before they are by how.
#include "report/result_pairs.h"

#include "base/error.h"
#include "base/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tandem::report {

using base::UserError;

namespace {

using Chosen = std::vector<const ResultEntry*>;
using Key = std::string ResultEntry::*;

/// Each once, as they come. Iterations are all of one case, which has no name.
std::vector<std::string> values_of(const ResultFile& file, Key key) {
  std::vector<std::string> values;
  for (const auto& entry : file.entries)
    if (std::find(values.begin(), values.end(), entry.*key) == values.end())
      values.push_back(entry.*key);
  return values;
}

bool has_word(const std::string& text, const std::string& word) {
  return (' ' + text + ' ').find(' ' + word + ' ') != std::string::npos;
}

/// The closest sense in which some entry has this name: its own, its strategy, its case, a word of its case.
Chosen entries_named(const ResultFile& file, const std::string& name) {
  constexpr bool (*SENSES[])(const ResultEntry&, const std::string&) = {
      [](const ResultEntry&, const std::string& wanted) { return wanted.empty(); },
      [](const ResultEntry& entry, const std::string& wanted) { return entry.name == wanted; },
      [](const ResultEntry& entry, const std::string& wanted) { return entry.strategy == wanted; },
      [](const ResultEntry& entry, const std::string& wanted) { return has_word(entry.what, wanted); }};
  for (const auto& has_name : SENSES) {
    Chosen chosen;
    for (const auto& entry : file.entries)
      if (has_name(entry, name))
        chosen.push_back(&entry);
    if (!chosen.empty())
      return chosen;
  }
  auto known = values_of(file, &ResultEntry::strategy);
  for (const auto& what : values_of(file, &ResultEntry::what))
    if (!what.empty())
      known.push_back(what);
  throw UserError({.file = file.file}, base::unknown_word("strategy or case", name, known));
}

/// In each group of equal `key`, the first of `a`, of those that are not in `b` if there are any, against all others of
/// `b`.
std::vector<ResultPair> first_against_others(const ResultFile& file, const Chosen& a, const Chosen& b, Key key) {
  std::vector<ResultPair> pairs;
  for (const auto& value : values_of(file, key)) {
    const auto is_of_group = [&](const auto* one) { return one->*key == value; };
    auto first = std::find_if(a.begin(), a.end(), [&](const auto* one) {
      return is_of_group(one) && std::find(b.begin(), b.end(), one) == b.end();
    });
    if (first == a.end())
      first = std::find_if(a.begin(), a.end(), is_of_group);
    if (first != a.end())
      for (const auto* other : b)
        if (other->*key == value && other != *first)
          pairs.push_back({&file, &file, **first, *other});
  }
  return pairs;
}

std::vector<ResultPair> pairs_within(const ResultFile& file, const Chosen& a, const Chosen& b) {
  auto pairs = first_against_others(file, a, b, &ResultEntry::what);
  return pairs.empty() ? first_against_others(file, a, b, &ResultEntry::strategy) : pairs;
}

std::vector<ResultPair> pairs_between(const ResultFile& file_a, const Chosen& a, const ResultFile& file_b,
                                      const Chosen& b) {
  std::vector<ResultPair> pairs;
  for (const auto* one : a) {
    const auto rivals = [&](const auto* entry) { return entry->what == one->what; };
    const auto twin = std::find_if(b.begin(), b.end(), [&](const auto* entry) { return entry->name == one->name; });
    if (twin != b.end())
      pairs.push_back({&file_a, &file_b, *one, **twin});
    else if (std::count_if(a.begin(), a.end(), rivals) == 1 && std::count_if(b.begin(), b.end(), rivals) == 1)
      pairs.push_back({&file_a, &file_b, *one, **std::find_if(b.begin(), b.end(), rivals)});
  }
  return pairs;
}

/// "a.json has strategies ring, tree, of cases 8 B, 16 B".
std::string choice_in(const ResultFile& file) {
  const auto cases = values_of(file, &ResultEntry::what);
  return fmt::format("{} has strategies {}{}", file.file, fmt::join(values_of(file, &ResultEntry::strategy), ", "),
                     cases.front().empty() ? std::string() : fmt::format(", of cases {}", fmt::join(cases, ", ")));
}

} // namespace

std::vector<ResultPair> pair_results(const ResultFile& a, const ResultFile* b, const std::string& name_a,
                                     const std::string& name_b) {
  const auto& other = b == nullptr ? a : *b;
  for (const auto* file : {&a, &other})
    if (file->entries.empty())
      throw UserError({.file = file->file}, "holds no result");
  if (a.command != other.command)
    throw UserError(fmt::format("{} is a result of {}, {} one of {}: they measure different things", a.file, a.command,
                                other.file, other.command));
  if (b == nullptr && a.entries.size() == 1)
    throw UserError(fmt::format("{} holds one result; a second file is needed", a.file));
  const auto chosen_a = entries_named(a, name_a), chosen_b = entries_named(other, name_b);
  if (chosen_a.size() == 1 && chosen_b.size() == 1)
    return {{&a, &other, *chosen_a.front(), *chosen_b.front()}};
  auto pairs = b == nullptr ? pairs_within(a, chosen_a, chosen_b) : pairs_between(a, chosen_a, *b, chosen_b);
  if (pairs.empty())
    throw UserError(fmt::format("nothing of the one is clearly to be held against something of the other; choose with "
                                "--a and --b: {}{}",
                                choice_in(a), b == nullptr ? std::string() : "; " + choice_in(*b)));
  return pairs;
}

} // namespace tandem::report
