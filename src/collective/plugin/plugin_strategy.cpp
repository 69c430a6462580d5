// This side of a plugin: children that call it, and a judge of what they bring.
#include "collective/plugin/plugin_strategy.h"

#include "base/error.h"
#include "collective/composer.h"
#include "collective/plugin/isolated.h"
#include "collective/plugin/plugin_calls.h"
#include "collective/plugin/schedule_wire.h"
#include "collective/plugin/wire.h"
#include "collective/verify.h"

#include <filesystem>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace tandem::collective {

template <class Wire> void fields(Wire& wire, Like<Parameter> auto& parameter) {
  wire(parameter.name, parameter.fallback, parameter.help);
}

template <class Wire> void fields(Wire& wire, Like<PluginDescription> auto& description) {
  wire(description.name, description.summary, description.parameters);
}

namespace {

using base::UserError;

constexpr const char* TIME_LIMIT = "time_limit";

/// Whatever goes wrong names the file.
template <class Call> auto about(const std::string& file, const Call& call) {
  try {
    return call();
  } catch (const UserError& error) {
    throw UserError(fmt::format("plugin {}: {}", file, error.what()));
  }
}

base::Seconds limit_of(const std::string& text) {
  constexpr double LONGEST = 86400.0;
  try {
    const auto limit = base::parse_seconds(text);
    if (limit.value() <= 0.0 || limit.value() > LONGEST)
      throw UserError(base::in_quotes(text) + " is out of range; allowed: above 0 s to 86400 s");
    return limit;
  } catch (const UserError& error) {
    throw UserError(fmt::format("parameter {}: {}", TIME_LIMIT, error.what()));
  }
}

/// For dlopen, which would look for a bare name in the system's folders.
std::string path_of(const std::string& file) {
  return file.find('/') == std::string::npos ? "./" + file : file;
}

void check_file(const std::string& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status))
    throw UserError("there is no such file");
  if (!std::filesystem::is_regular_file(status))
    throw UserError("it is no file");
}

/// Empty when the schedule is for this request.
std::string wrong_for(const Request& request, const model::Schedule& schedule) {
  const double bytes = std::accumulate(schedule.piece_bytes.begin(), schedule.piece_bytes.end(), 0.0);
  const bool right = schedule.ranks == request.op.ranks && schedule.goal == request.op.kind &&
                     schedule.root == request.op.root && schedule.produces == request.producer.has_value() &&
                     !schedule.ideal && schedule.scratch == 0 && bytes == request.op.bytes.value();
  return right ? "" : "it answered with a plan for something else";
}

class PluginStrategy : public Strategy {
public:
  PluginStrategy(std::string file, const Parameters& parameters)
      : file_(std::move(file)), parameters_(parameters), limit_(limit_of(parameters.at(TIME_LIMIT))) {
    parameters_.erase(TIME_LIMIT);
  }

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (auto reason = needs_uniform_gpus(request, cluster); !reason.empty())
      return reason;
    if (request.op.kind == model::CollectiveKind::ALL_TO_ALL_V)
      return "plugins are not told the sizes of an all-to-all-v";
    return about(file_, [&] {
      return run_isolated([&] { return call_why_not(path_of(file_), parameters_, request, cluster); }, limit_);
    });
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    return about(file_, [&] {
      auto schedule = schedule_from_wire(
          run_isolated([&] { return to_wire(call_plan(path_of(file_), parameters_, request, cluster)); }, limit_));
      if (auto wrong = wrong_for(request, schedule); !wrong.empty())
        throw UserError(wrong);
      if (auto wrong = verify(schedule); !wrong.empty())
        throw UserError("its plan is wrong: " + wrong);
      return schedule;
    });
  }

private:
  std::string file_;
  Parameters parameters_;
  base::Seconds limit_;
};

PluginDescription describe(const std::string& file, base::Seconds limit) {
  const auto bytes = run_isolated(
      [&] {
        WireWriter wire;
        wire(call_describe(path_of(file)));
        return wire.bytes();
      },
      limit);
  WireReader wire(bytes);
  PluginDescription description;
  wire(description);
  wire.end();
  return description;
}

} // namespace

Parameter time_limit_of_plugin() {
  return {TIME_LIMIT, "10s", "what a call of the plugin may take; then it is ended"};
}

StrategyInfo plugin_strategy(const std::string& file, const std::string& limit) {
  return about(file, [&] {
    check_file(file);
    auto description = describe(file, limit_of(limit));
    for (const auto& parameter : description.parameters)
      if (parameter.name == TIME_LIMIT)
        throw UserError(fmt::format("its parameter {} is one that every plugin has", TIME_LIMIT));
    description.parameters.push_back(time_limit_of_plugin());
    return StrategyInfo{description.name, description.summary, std::move(description.parameters),
                        [file](const Parameters& parameters) -> std::unique_ptr<Strategy> {
                          return std::make_unique<PluginStrategy>(file, parameters);
                        }};
  });
}

} // namespace tandem::collective
