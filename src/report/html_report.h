// A self-contained HTML page of results: charts, tables and definitions in one file that asks for nothing else.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tandem::report {

/// The page for `data` (report/report_data.h), which it holds as JSON in <script id="data">; style and program are in
/// it too. Text of the data never becomes markup.
std::string html_report(const nlohmann::ordered_json& data);

} // namespace tandem::report
