// Two results term by term.
#include "report/result_diff.h"

#include "report/json_text.h"
#include "report/numbers.h"
#include "report/scale.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace tandem::report {

namespace {

std::vector<std::string> changed_inputs(const ResultFile& a, const ResultFile& b) {
  std::set<std::string> keys;
  for (const auto* file : {&a, &b})
    for (const auto& [key, value] : file->inputs)
      keys.insert(key);
  std::vector<std::string> lines;
  for (const auto& key : keys) {
    const auto in_a = a.inputs.find(key), in_b = b.inputs.find(key);
    const std::string from = in_a == a.inputs.end() ? "-" : in_a->second,
                      to = in_b == b.inputs.end() ? "-" : in_b->second;
    if (from != to)
      lines.push_back(fmt::format("{}: {} -> {}", key, from, to));
  }
  return lines;
}

std::vector<std::string> only_in(const std::vector<std::string>& list, const std::vector<std::string>& other) {
  std::vector<std::string> rest;
  for (const auto& one : list)
    if (std::find(other.begin(), other.end(), one) == other.end())
      rest.push_back(one);
  return rest;
}

/// "B is 1.20x as fast".
std::string verdict(double a_s, double b_s) {
  if (a_s == b_s)
    return "both take the same time";
  if (a_s == 0.0 || b_s == 0.0)
    return "one of them takes no time";
  return b_s < a_s ? fmt::format("B is {:.3f}x as fast as A", a_s / b_s)
                   : fmt::format("A is {:.3f}x as fast as B", b_s / a_s);
}

/// Also per token, where the iterations differ in them.
std::string verdict(const ResultEntry& a, const ResultEntry& b) {
  auto text = verdict(a.time_s, b.time_s);
  if (a.tokens == b.tokens || a.tokens == 0.0 || b.tokens == 0.0)
    return text;
  return fmt::format("{}, B with {:.4g}x the tokens of A: per token {}", text, b.tokens / a.tokens,
                     verdict(a.time_s / a.tokens, b.time_s / b.tokens));
}

std::string terms_table(const std::string& title, const NamedTimes& a, const NamedTimes& b, double difference,
                        const Layout& layout) {
  const auto list = changes(a, b);
  std::vector<double> values;
  for (const auto& change : list)
    values.insert(values.end(), {change.a_s, change.b_s});
  const auto scale = Scale::of_seconds(values);
  Table table({{title},
               {"A/" + scale.unit(), Align::RIGHT},
               {"B/" + scale.unit(), Align::RIGHT},
               {"B - A", Align::RIGHT},
               {"of the difference", Align::RIGHT}});
  for (const auto& [what, a_s, b_s] : list) {
    const double change = b_s - a_s;
    table.add({{what},
               {scale.text_or_dash(a_s)},
               {scale.text_or_dash(b_s)},
               {change == 0.0 ? "-" : fmt::format("{}{}", change > 0.0 ? "+" : "", scale.text(change)),
                change > 0.0   ? Tint::RED
                : change < 0.0 ? Tint::GREEN
                               : Tint::NONE},
               {change == 0.0 || difference == 0.0 ? "-" : fmt::format("{:.1f} %", 100.0 * change / difference)}});
  }
  return table.text(layout);
}

std::string block(const ResultPair& pair, const Layout& layout) {
  const auto& [file_a, file_b, a, b] = pair;
  const auto scale = Scale::of_seconds({a.time_s, b.time_s});
  const double difference = b.time_s - a.time_s;
  std::string text = fmt::format("A  {} {}  {}: {}\nB  {} {}  {}: {}\n", scale.text(a.time_s), scale.unit(),
                                 file_a->file, a.name, scale.text(b.time_s), scale.unit(), file_b->file, b.name);
  text += tinted(verdict(a, b), Tint::BOLD, layout.colour) + '\n';
  const Layout hanging{layout.width, 2, layout.colour};
  const auto list = [&](const std::string& title, const std::vector<std::string>& lines) {
    if (lines.empty())
      return;
    text += fmt::format("\n{}\n", title);
    for (const auto& line : lines)
      text += wrapped(line, hanging);
  };
  list("Inputs that differ:", changed_inputs(*file_a, *file_b));
  list("Used by A only:", only_in(a.used, b.used));
  list("Used by B only:", only_in(b.used, a.used));
  if (!a.terms.empty() && !b.terms.empty())
    text += fmt::format("\n{}", terms_table("where time goes", a.terms, b.terms, difference, layout));
  if (!a.path.empty() && !b.path.empty())
    text += fmt::format("\n{}", terms_table("critical path", a.path, b.path, difference, layout));
  return text;
}

std::string lines(const std::vector<ResultPair>& pairs, const Layout& layout) {
  std::vector<double> times;
  for (const auto& pair : pairs)
    times.insert(times.end(), {pair.a.time_s, pair.b.time_s});
  const auto scale = Scale::of_seconds(times);
  Table table({{"A"},
               {"A/" + scale.unit(), Align::RIGHT},
               {"B/" + scale.unit(), Align::RIGHT},
               {"A / B", Align::RIGHT},
               {"B"},
               {"most of the difference"}});
  for (const auto& [file_a, file_b, a, b] : pairs) {
    const auto list = changes(a.terms, b.terms);
    const bool known = !list.empty() && list.front().a_s != list.front().b_s;
    table.add({{a.name},
               {scale.text(a.time_s)},
               {scale.text(b.time_s)},
               {b.time_s > 0.0 ? times_text(a.time_s / b.time_s) : "-"},
               {a.name == b.name ? "" : b.name},
               {known ? list.front().what : ""}});
  }
  std::string text = fmt::format("A  {}\nB  {}\n\n", pairs.front().file_a->file, pairs.front().file_b->file);
  for (const auto& line : changed_inputs(*pairs.front().file_a, *pairs.front().file_b))
    text += wrapped(line, layout);
  return text + table.text(layout);
}

} // namespace

std::vector<TermChange> changes(const NamedTimes& a, const NamedTimes& b) {
  std::vector<TermChange> list;
  std::map<std::string, std::size_t> place;
  const auto change = [&](const std::string& what) -> TermChange& {
    const auto [known, is_new] = place.try_emplace(what, list.size());
    if (is_new)
      list.push_back({what, 0.0, 0.0});
    return list[known->second];
  };
  for (const auto& [what, seconds] : a)
    change(what).a_s += seconds;
  for (const auto& [what, seconds] : b)
    change(what).b_s += seconds;
  std::erase_if(list, [](const TermChange& one) { return one.a_s == 0.0 && one.b_s == 0.0; });
  std::stable_sort(list.begin(), list.end(), [](const TermChange& one, const TermChange& other) {
    return std::abs(one.b_s - one.a_s) > std::abs(other.b_s - other.a_s);
  });
  return list;
}

std::string diff_table(const std::vector<ResultPair>& pairs, const Layout& layout, std::size_t blocks) {
  if (pairs.size() > blocks)
    return lines(pairs, layout);
  std::string text;
  for (const auto& pair : pairs)
    text += fmt::format("{}{}", text.empty() ? "" : "\n", block(pair, layout));
  return text;
}

std::string diff_json(const std::vector<ResultPair>& pairs, const std::string& version) {
  nlohmann::ordered_json json;
  json["tandem"] = {{"version", version}};
  json["pairs"] = nlohmann::ordered_json::array();
  for (const auto& [file_a, file_b, a, b] : pairs) {
    nlohmann::ordered_json one;
    one["a"] = {{"file", file_a->file}, {"name", a.name}, {"time_s", a.time_s}};
    one["b"] = {{"file", file_b->file}, {"name", b.name}, {"time_s", b.time_s}};
    if (b.time_s > 0.0)
      one["speedup"] = a.time_s / b.time_s;
    one["inputs"] = changed_inputs(*file_a, *file_b);
    for (const auto& [key, list] :
         {std::pair{"terms", changes(a.terms, b.terms)}, {"critical_path", changes(a.path, b.path)}}) {
      one[key] = nlohmann::ordered_json::array();
      for (const auto& change : list)
        one[key].push_back({{"what", change.what}, {"a_s", change.a_s}, {"b_s", change.b_s}});
    }
    json["pairs"].push_back(std::move(one));
  }
  return json_text(json);
}

} // namespace tandem::report
