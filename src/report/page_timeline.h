// A timeline as the page holds it: columns of whole numbers, so that half a million slices take a few megabytes.
#pragma once

#include "report/trace_reader.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tandem::report {

/// `names`, `categories`, `arguments` as in TraceSlices; `kinds` and of each of `tracks[]` (with `process`, `thread`,
/// `count`) its `slices` as columns in one string: base64 (RFC 4648) of numbers in LEB128 (seven bits a byte, the
/// lowest first, the eighth says that more follow). Of a kind: name, category, arguments. Of a slice: nanoseconds from
/// the begin of the slice before, length, kind, 2 (micro-batch + 1) + (1 on the critical path).
nlohmann::ordered_json page_timeline(const TraceSlices& slices);

/// Bytes as base64, padded.
std::string base64(const std::string& bytes);

} // namespace tandem::report
