// The plugin interface: a strategy turns a collective, possibly fused with the kernel that produces its input, into a
// schedule.
#pragma once

#include "model/cluster.h"
#include "model/collective_op.h"
#include "model/gemm.h"
#include "model/schedule.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::collective {

/// What a strategy is asked for: the operation and, when it is to be fused, the GEMM whose output it works on, or the
/// one that works on what it gathers. Chunk r of an all-gather is then the r-th part of the rows of A.
struct Request {
  model::CollectiveOp op;
  std::optional<model::Gemm> producer;
  std::optional<model::Gemm> consumer{};
};

/// Pure: the answer depends on the arguments and on the parameters given at construction. No clock, no SimGrid, no
/// globals.
class Strategy {
public:
  virtual ~Strategy() = default;
  /// Empty: it can. Otherwise one sentence that says why not.
  [[nodiscard]] virtual std::string why_not(const Request& request, const model::Cluster& cluster) const = 0;
  /// Precondition: why_not() is empty. The schedule must pass verify().
  [[nodiscard]] virtual model::Schedule plan(const Request& request, const model::Cluster& cluster) const = 0;
};

/// One parameter of a strategy: name, default as the user would write it, what it is. Also the source of
/// docs/inputs.md.
struct Parameter {
  std::string name;
  std::string fallback;
  std::string help;
  bool assumed = false; ///< the default has no source
};

/// Parameter values as text, complete: every declared name is present.
using Parameters = std::map<std::string, std::string>;

/// An entry of the table of built-ins.
struct StrategyInfo {
  std::string name;
  std::string summary; ///< one line for `tandem list`
  std::vector<Parameter> parameters;
  std::function<std::unique_ptr<Strategy>(const Parameters&)> make; ///< throws UserError on a bad value
};

/// All built-in strategies in the order in which they are listed.
const std::vector<StrategyInfo>& strategies();

/// A strategy as the user wrote it.
struct Selection {
  std::string text;      ///< "t3:block=16"
  std::string name;      ///< "t3"
  Parameters parameters; ///< resolved with the defaults; of a codec as "zfp.rate"
  std::unique_ptr<Strategy> strategy;
  std::string file{};                 ///< that describes the strategy; empty: built in
  std::vector<std::string> given{};   ///< parameters whose value the text gives
  double wire_factor = 1.0;           ///< a byte of data is at least this many on the links
  std::string error{};                ///< class of error that a codec declares; empty: there is none
  std::vector<std::string> assumed{}; ///< parameters left at a default that has no source
};

/// The shared object of a text `FILE.so` or `FILE.so:key=value`, a plugin; empty: the text names something else.
std::string plugin_file(const std::string& text);

/// Reads `name` or `name:key=value:key=value`; a name that ends in .xml is that of an MSCCL file, one that ends in .so
/// a plugin's. Throws UserError: unknown name or key with the nearest match, a key given twice, a bad value, a file
/// that is not well formed or whose algorithm is not proven; of a plugin, whatever is wrong with it
/// (collective/plugin/plugin_strategy.h).
Selection select_strategy(const std::string& text);

} // namespace tandem::collective
