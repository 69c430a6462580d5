// The browser reads it with assets/timeline_data.js.
#include "report/page_timeline.h"

#include <cstdint>
#include <nlohmann/json.hpp>

namespace tandem::report {

namespace {

using Json = nlohmann::ordered_json;

void add_number(std::string& bytes, std::uint64_t value) {
  constexpr unsigned BITS = 7, MORE = 0x80;
  for (; value >= MORE; value >>= BITS)
    bytes += static_cast<char>((value & (MORE - 1)) | MORE);
  bytes += static_cast<char>(value);
}

std::string kind_bytes(const std::vector<SliceKind>& kinds) {
  std::string bytes;
  for (const auto& kind : kinds)
    for (const auto part : {kind.name, kind.category, kind.arguments})
      add_number(bytes, part);
  return bytes;
}

std::string slice_bytes(const std::vector<Slice>& slices) {
  std::string bytes;
  Nanoseconds before = 0;
  for (const auto& slice : slices) {
    add_number(bytes, static_cast<std::uint64_t>(slice.begin - before));
    add_number(bytes, static_cast<std::uint64_t>(slice.length));
    add_number(bytes, slice.kind);
    add_number(bytes, 2 * static_cast<std::uint64_t>(slice.micro_batch + 1) + (slice.critical ? 1 : 0));
    before = slice.begin;
  }
  return bytes;
}

} // namespace

std::string base64(const std::string& bytes) {
  constexpr const char* DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr std::size_t GROUP = 3; // bytes, which make four digits of six bits
  std::string text;
  text.reserve((bytes.size() + GROUP - 1) / GROUP * 4);
  for (std::size_t from = 0; from < bytes.size(); from += GROUP) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < GROUP; ++i)
      group = group << 8 | (from + i < bytes.size() ? static_cast<unsigned char>(bytes[from + i]) : 0U);
    for (std::size_t digit = 0; digit < 4; ++digit)
      text += from + digit > bytes.size() ? '=' : DIGITS[group >> (18 - 6 * digit) & 63U];
  }
  return text;
}

Json page_timeline(const TraceSlices& slices) {
  Json timeline;
  timeline["names"] = slices.names;
  timeline["categories"] = slices.categories;
  timeline["arguments"] = Json::array();
  for (const auto& one : slices.arguments)
    timeline["arguments"].push_back(Json::parse(one));
  timeline["kinds"] = base64(kind_bytes(slices.kinds));
  timeline["tracks"] = Json::array();
  for (const auto& track : slices.tracks)
    timeline["tracks"].push_back({{"process", track.process},
                                  {"thread", track.thread},
                                  {"count", track.slices.size()},
                                  {"slices", base64(slice_bytes(track.slices))}});
  return timeline;
}

} // namespace tandem::report
