// The explicit table of codecs, their common parameters, and the reader of `name:key=value`.
#include "collective/codec.h"

#include "base/error.h"
#include "base/units.h"
#include "collective/codecs/codecs.h"
#include "collective/parameters.h"
#include "collective/selection.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::collective {

namespace {

constexpr const char* DIMENSION = "dim";

template <class Read> auto quantity(const Parameters& parameters, const std::string& name, const Read& read) {
  try {
    return read(parameters.at(name));
  } catch (const base::UserError& error) {
    throw base::UserError("parameter " + name + ": " + error.what());
  }
}

model::BytesPerSecond rate_of(const Parameters& parameters, const std::string& name) {
  if (parameters.at(name) == "instant")
    return {};
  const auto rate = quantity(parameters, name, [](const std::string& text) { return base::parse_bandwidth(text); });
  if (rate.value() <= 0.0)
    throw base::UserError("parameter " + name + ": a codec of no throughput never ends; allowed: above 0, or instant");
  return rate;
}

} // namespace

const std::vector<CodecInfo>& codecs() {
  static const std::vector<CodecInfo> table{
#define CODEC(name) name##_codec(),
#include "collective/codecs/table.inc"
#undef CODEC
  };
  return table;
}

std::vector<Parameter> gpu_codec_parameters() {
  return {{"encode", "150GBps", "data that it encodes in a second, on all SMs or in its engine; or instant", true},
          {"decode", "150GBps", "data that it decodes in a second; or instant", true},
          {"threshold", "1MB", "smaller messages stay as they are (MVAPICH-Plus: 1 MB)"},
          {"where", "kernel", "kernel: its own, launched each time; inline: the collective's; beside: an engine"},
          {"sms", "0", "SMs of where=kernel; 0: all"},
          {"memory", "1", "1: the compressed copy lies in memory at both ends; 0: it never does"}};
}

Codec gpu_codec(const Parameters& parameters) {
  Codec codec;
  codec.encode = rate_of(parameters, "encode");
  codec.decode = rate_of(parameters, "decode");
  codec.threshold = quantity(parameters, "threshold", [](const std::string& text) { return base::parse_bytes(text); });
  const auto where = word_parameter(parameters, "where", {"kernel", "inline", "beside"});
  codec.place = where == "kernel" ? CodecPlace::KERNEL : where == "inline" ? CodecPlace::INLINE : CodecPlace::BESIDE;
  codec.sms = whole_parameter(parameters, "sms", 0, 4096);
  codec.through_memory = whole_parameter(parameters, "memory", 0, 1) == 1;
  return codec;
}

double ratio_parameter(const Parameters& parameters, const std::string& name) {
  constexpr double SMALLEST = 0.01, LARGEST = 1e6;
  const double ratio = quantity(parameters, name, [](const std::string& text) { return base::parse_number(text); });
  if (ratio < SMALLEST || ratio > LARGEST)
    throw base::UserError(fmt::format("parameter {}: {} is out of range; allowed: {} to {}", name,
                                      base::in_quotes(parameters.at(name)), SMALLEST, LARGEST));
  return ratio;
}

std::vector<Parameter> scheme_parameters(std::vector<Parameter> own) {
  own.insert(own.begin(),
             {DIMENSION, "", "parallel dimension whose traffic it is: tp, dp, pp, cp, ep or zero; required"});
  for (auto& parameter : gpu_codec_parameters())
    own.push_back(std::move(parameter));
  return own;
}

Codec scheme_codec(const Parameters& parameters, const SchemeHalf& data_parallel, const SchemeHalf& model_parallel) {
  const auto dimension = word_parameter(parameters, DIMENSION, {"tp", "dp", "pp", "cp", "ep", "zero"});
  auto codec = (dimension == "dp" ? data_parallel : model_parallel)(gpu_codec(parameters), parameters);
  codec.error = dimension + ": " + codec.error;
  return codec;
}

CodecSelection select_codec(const std::string& text) {
  auto [name, assignments] = split_selection(text);
  const auto& info = entry_named("codec", name, codecs());
  CodecSelection selection{name, read_parameters("codec " + name, info.parameters, assignments), {}, {}, {}};
  for (const auto& parameter : info.parameters) {
    if (gives(assignments, parameter.name))
      selection.given.push_back(parameter.name);
    else if (parameter.assumed)
      selection.assumed.push_back(name + "." + parameter.name);
  }
  try {
    selection.codec = info.make(selection.parameters);
  } catch (const base::UserError& error) {
    throw base::UserError("codec " + name + ": " + error.what());
  }
  return selection;
}

} // namespace tandem::collective
