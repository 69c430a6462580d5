// Names of operations, and sizes with and without units.
#include "app/collective_words.h"

#include "app/options.h"
#include "base/error.h"
#include "base/payload.h"

#include <array>

namespace tandem::app {

namespace {

using model::CollectiveKind;

struct Operation {
  const char* name; ///< without '-' and '_', as nccl-tests' programs are called
  CollectiveKind kind;
};
constexpr std::array OPERATIONS{
    Operation{"allreduce", CollectiveKind::ALL_REDUCE},   Operation{"reducescatter", CollectiveKind::REDUCE_SCATTER},
    Operation{"allgather", CollectiveKind::ALL_GATHER},   Operation{"alltoall", CollectiveKind::ALL_TO_ALL},
    Operation{"broadcast", CollectiveKind::BROADCAST},    Operation{"reduce", CollectiveKind::REDUCE},
    Operation{"scatter", CollectiveKind::SCATTER},        Operation{"gather", CollectiveKind::GATHER},
    Operation{"alltoallv", CollectiveKind::ALL_TO_ALL_V}, Operation{"sendrecv", CollectiveKind::SEND_RECV},
    Operation{"barrier", CollectiveKind::BARRIER}};

} // namespace

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const auto& operation : OPERATIONS)
    names.emplace_back(operation.name);
  return names;
}

CollectiveKind operation_of(const std::string& text) {
  std::string plain;
  for (const char c : text)
    if (c != '-' && c != '_')
      plain += c;
  for (const auto& operation : OPERATIONS)
    if (plain == operation.name)
      return operation.kind;
  throw base::UserError(base::unknown_word("operation", text, operation_names()));
}

std::uint64_t size_of(const std::string& flag, const std::string& text) {
  return value_of_flag(flag, [&] { return base::parse_payload(text); });
}

} // namespace tandem::app
