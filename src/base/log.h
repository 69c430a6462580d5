// Logging to stderr (spdlog behind one small door, so that one file alone pays for its headers). Never for data.
#pragma once

#include <fmt/core.h>
#include <string>

namespace tandem::base {

enum class LogLevel { QUIET, NORMAL, VERBOSE };

/// QUIET shows errors only, NORMAL warnings too, VERBOSE everything.
void set_log_level(LogLevel level);

void log_info(const std::string& message);
void log_warning(const std::string& message);
void log_error(const std::string& message);

} // namespace tandem::base
