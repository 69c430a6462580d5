// Words between blanks: an operation, then key=value, so that strategies and groups may hold colons and commas.
#include "app/beside_flag.h"

#include "app/collective_words.h"
#include "app/options.h"
#include "base/error.h"
#include "base/log.h"
#include "base/units.h"
#include "collective/strategy.h"
#include "model/rank_list.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <sstream>

namespace tandem::app {

namespace {

using model::CollectiveKind;

constexpr int MOST_IN_A_ROW = 10000;
const std::vector<std::string> KEYS = {"bytes", "group", "root", "strategy", "start", "count"};

std::map<std::string, std::string> values_of(std::istringstream& words) {
  std::map<std::string, std::string> values;
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    const auto key = word.substr(0, equals);
    if (equals == std::string::npos)
      throw base::UserError(base::in_quotes(word) + " is not key=value");
    if (std::find(KEYS.begin(), KEYS.end(), key) == KEYS.end())
      throw base::UserError(base::unknown_word("key", key, KEYS));
    if (!values.emplace(key, word.substr(equals + 1)).second)
      throw base::UserError(key + " is given twice");
  }
  return values;
}

void give_size(const std::map<std::string, std::string>& values, study::BesideOptions& beside) {
  const auto bytes = values.find("bytes");
  if (beside.kind == CollectiveKind::BARRIER) {
    if (bytes != values.end())
      throw base::UserError("bytes: a barrier moves none");
    return;
  }
  if (bytes == values.end())
    throw base::UserError("bytes=SIZE is missing");
  const auto asked = size_of("bytes", bytes->second);
  beside.size_bytes = study::runnable_size(beside.kind, static_cast<int>(beside.group.size()), asked);
  if (beside.size_bytes != asked)
    base::log_warning(fmt::format("--beside: {} B are asked for and {} B run, rounded down as nccl-tests does", asked,
                                  beside.size_bytes));
}

study::BesideOptions parse(const std::string& text, std::size_t gpus) {
  std::istringstream words(text);
  std::string operation;
  if (!(words >> operation))
    throw base::UserError("the value is empty; allowed: an operation and key=value, between blanks");
  study::BesideOptions beside;
  beside.kind = operation_of(operation);
  if (beside.kind == CollectiveKind::ALL_TO_ALL_V)
    throw base::UserError("alltoallv needs a matrix, and cannot run beside another collective");
  const auto values = values_of(words);
  const auto value = [&values](const char* key) {
    const auto found = values.find(key);
    return found == values.end() ? std::string() : found->second;
  };
  if (values.contains("group"))
    beside.group = model::parse_rank_list(value("group"), gpus);
  else {
    beside.group.resize(gpus);
    std::iota(beside.group.begin(), beside.group.end(), 0U);
  }
  give_size(values, beside);
  if (values.contains("root")) {
    if (!model::has_root(beside.kind))
      throw base::UserError(fmt::format("root: {} has none", model::to_string(beside.kind)));
    beside.root =
        static_cast<int>(base::parse_integer(value("root"), 0, static_cast<long long>(beside.group.size()) - 1));
  }
  if (values.contains("strategy")) {
    beside.strategy = value("strategy");
    (void)collective::select_strategy(beside.strategy); // a wrong one is told of with the flag's name
  }
  if (values.contains("start"))
    beside.start = base::parse_seconds(value("start"));
  if (values.contains("count"))
    beside.count = static_cast<int>(base::parse_integer(value("count"), 1, MOST_IN_A_ROW));
  return beside;
}

} // namespace

std::string beside_help() {
  return "another collective at the same time, on a stream of its own: OPERATION bytes=SIZE [group=LIST] [root=RANK] "
         "[strategy=S] [start=TIME] [count=N], between blanks; group: as --group (default: all GPUs), start: so long "
         "after the one that is timed begins (default: 0), count: so many, one after the other (default: 1)";
}

study::BesideOptions parse_beside(const std::string& text, std::size_t gpus) {
  return value_of_flag("--beside", [&] { return parse(text, gpus); });
}

} // namespace tandem::app
