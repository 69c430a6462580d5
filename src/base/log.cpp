// The only file that sees spdlog: one logger on stderr, "warning: message".
#include "base/log.h"

#include <memory>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace tandem::base {

namespace {

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> the_logger = [] {
    auto made = std::make_shared<spdlog::logger>("tandem", std::make_shared<spdlog::sinks::stderr_color_sink_st>());
    made->set_pattern("%^%l%$: %v");
    made->set_level(spdlog::level::warn);
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *the_logger;
}

} // namespace

void set_log_level(LogLevel level) {
  switch (level) {
  case LogLevel::QUIET:
    logger().set_level(spdlog::level::err);
    return;
  case LogLevel::NORMAL:
    logger().set_level(spdlog::level::warn);
    return;
  case LogLevel::VERBOSE:
    logger().set_level(spdlog::level::info);
    return;
  }
}

void log_info(const std::string& message) {
  logger().info("{}", message);
}
void log_warning(const std::string& message) {
  logger().warn("{}", message);
}
void log_error(const std::string& message) {
  logger().error("{}", message);
}

} // namespace tandem::base
