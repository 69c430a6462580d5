// dlopen, the description's checks, and the two callbacks.
#include "collective/plugin/plugin_calls.h"

#include "base/error.h"
#include "collective/plugin/plain_text.h"
#include "collective/plugin/plan_maker.h"

#include <algorithm>
#include <cctype>
#include <dlfcn.h>
#include <fmt/format.h>

namespace tandem::collective {

namespace {

using base::UserError;

constexpr const char* ENTRY = "tandem_plugin_entry";
constexpr std::uint32_t MOST_PARAMETERS = 256;
constexpr std::size_t LONGEST_NAME = 64;

/// Letters, digits, '-', '_' and '.'.
std::string word(const char* text, const char* what) {
  auto name = plain_text(text == nullptr ? "" : text, LONGEST_NAME + 1);
  const bool good = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
  if (name.empty() || name.size() > LONGEST_NAME || !good)
    throw UserError(fmt::format("{} {} is no word of up to {} letters, digits, '-', '_' and '.'", what,
                                base::in_quotes(name), LONGEST_NAME));
  return name;
}

/// The shared object stays loaded as long as the process lives.
tandem_plugin load(const std::string& file) {
  void* object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr)
    throw UserError(fmt::format("it cannot be loaded: {}", plain_text(dlerror())));
  const auto entry = reinterpret_cast<decltype(&tandem_plugin_entry)>(dlsym(object, ENTRY));
  if (entry == nullptr)
    throw UserError(fmt::format("it is no plugin: it exports no {}()", ENTRY));
  const auto* given = entry();
  if (given == nullptr)
    throw UserError(fmt::format("{}() describes nothing", ENTRY));
  const auto plugin = whole(*given);
  if (plugin.abi != TANDEM_PLUGIN_ABI)
    throw UserError(fmt::format("it is made for version {} of the interface; this program has version {}", plugin.abi,
                                TANDEM_PLUGIN_ABI));
  if (plugin.plan == nullptr)
    throw UserError("it has no plan()");
  return plugin;
}

tandem_request request_for_plugin(const Request& request, const model::Cluster& cluster) {
  const auto& device = *cluster.gpus.front().device;
  tandem_request given{.size = sizeof(tandem_request),
                       .collective = static_cast<std::int32_t>(request.op.kind),
                       .ranks = request.op.ranks,
                       .root = request.op.root,
                       .bytes = request.op.bytes.value(),
                       .has_gemm = request.producer ? 1 : 0,
                       .gemm_m = 0,
                       .gemm_n = 0,
                       .gemm_k = 0,
                       .sms = device.sms,
                       .copy_engines = device.copy_engines,
                       .near_memory = device.near_memory.available ? 1 : 0,
                       .kernel_launch_s = device.kernel_launch.value(),
                       .sm_copy_bandwidth = device.sm_copy_bandwidth.value(),
                       .hbm_bandwidth = device.hbm_bandwidth.value()};
  if (request.producer) {
    given.gemm_m = request.producer->m * request.producer->batch;
    given.gemm_n = request.producer->n;
    given.gemm_k = request.producer->k;
  }
  return given;
}

static_assert(static_cast<int>(model::CollectiveKind::REDUCE_SCATTER) == TANDEM_REDUCE_SCATTER);
static_assert(static_cast<int>(model::CollectiveKind::ALL_GATHER) == TANDEM_ALL_GATHER);
static_assert(static_cast<int>(model::CollectiveKind::ALL_REDUCE) == TANDEM_ALL_REDUCE);
static_assert(static_cast<int>(model::CollectiveKind::ALL_TO_ALL) == TANDEM_ALL_TO_ALL);
static_assert(static_cast<int>(model::CollectiveKind::BROADCAST) == TANDEM_BROADCAST);
static_assert(static_cast<int>(model::CollectiveKind::REDUCE) == TANDEM_REDUCE);
static_assert(static_cast<int>(model::CollectiveKind::SCATTER) == TANDEM_SCATTER);
static_assert(static_cast<int>(model::CollectiveKind::GATHER) == TANDEM_GATHER);
static_assert(static_cast<int>(model::CollectiveKind::SEND_RECV) == TANDEM_SEND_RECV);
static_assert(static_cast<int>(model::CollectiveKind::BARRIER) == TANDEM_BARRIER);
static_assert(model::FROM_LOCAL == TANDEM_FROM_LOCAL && model::FROM_STAGING == TANDEM_FROM_STAGING &&
              model::FROM_RESULT == TANDEM_FROM_RESULT);

} // namespace

PluginDescription call_describe(const std::string& file) {
  const auto plugin = load(file);
  PluginDescription description{
      word(plugin.name, "its name"), plain_text(plugin.summary == nullptr ? "" : plugin.summary), {}};
  if (plugin.parameter_count > MOST_PARAMETERS || (plugin.parameter_count > 0 && plugin.parameters == nullptr))
    throw UserError(
        fmt::format("it says that it has {} parameters; allowed: up to {}", plugin.parameter_count, MOST_PARAMETERS));
  for (std::uint32_t i = 0; i < plugin.parameter_count; ++i) {
    const auto& given = plugin.parameters[i];
    Parameter parameter{word(given.name, "its parameter"), plain_text(given.fallback == nullptr ? "" : given.fallback),
                        plain_text(given.help == nullptr ? "" : given.help)};
    for (const auto& known : description.parameters)
      if (known.name == parameter.name)
        throw UserError(fmt::format("it has two parameters {}", parameter.name));
    description.parameters.push_back(std::move(parameter));
  }
  return description;
}

std::string call_why_not(const std::string& file, const Parameters& parameters, const Request& request,
                         const model::Cluster& cluster) {
  const auto plugin = load(file);
  if (plugin.why_not == nullptr)
    return {};
  const auto given = request_for_plugin(request, cluster);
  tandem_builder builder(plugin.name, request, cluster, parameters);
  const char* reason = plugin.why_not(&plugin_host(), &builder, &given);
  if (!builder.failure().empty())
    throw UserError(builder.failure());
  return reason == nullptr ? std::string() : plain_text(reason);
}

model::Schedule call_plan(const std::string& file, const Parameters& parameters, const Request& request,
                          const model::Cluster& cluster) {
  const auto plugin = load(file);
  const auto given = request_for_plugin(request, cluster);
  tandem_builder builder(plugin.name, request, cluster, parameters);
  const int failed = plugin.plan(&plugin_host(), &builder, &given);
  if (failed != 0)
    builder.fail(fmt::format("plan() failed with {}", failed)); // unless it has said more
  return builder.finish();
}

} // namespace tandem::collective
