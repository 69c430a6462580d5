// Codecs: what compresses the messages of a collective, and the decorator that makes any strategy's schedule one with
// compressed messages.
#pragma once

#include "collective/strategy.h"

#include <functional>
#include <string>
#include <vector>

namespace tandem::collective {

/// Where a codec runs. KERNEL: in a kernel of its own, on SMs, with a launch each time. INLINE: in the collective's
/// kernel, on its SMs. BESIDE: in an engine beside the SMs, each message in one of its own.
enum class CodecPlace : std::uint8_t { KERNEL, INLINE, BESIDE };

/// What compression does to a message of n bytes: the sender encodes it, n / ratio bytes cross the wire, the receiver
/// decodes it.
struct Codec {
  double ratio = 1.0;             ///< bytes of data per byte on the wire, above 0
  model::BytesPerSecond encode{}; ///< of data, on all SMs or by one engine; 0: takes no time
  model::BytesPerSecond decode{}; ///< likewise
  model::Bytes threshold{};       ///< smaller messages stay as they are
  CodecPlace place = CodecPlace::KERNEL;
  int sms = 0;                ///< of a KERNEL; 0: all
  bool through_memory = true; ///< the compressed copy is written and read at both ends; else it never sees memory
  std::string error;          ///< declared class of the error: "lossless", "lossy, ..."
};

/// An entry of the table of codecs.
struct CodecInfo {
  std::string name;
  std::string summary;
  std::vector<Parameter> parameters;
  std::function<Codec(const Parameters&)> make; ///< throws UserError on a bad value
};

/// All codecs in the order in which they are listed.
const std::vector<CodecInfo>& codecs();

/// The parameters that every codec on a GPU has. `encode` and `decode`, whose defaults are assumed, are among them.
std::vector<Parameter> gpu_codec_parameters();
/// The codec that they describe, its ratio and error still to be set. Throws UserError on a bad value.
Codec gpu_codec(const Parameters& parameters);
/// A number above 0. Throws UserError that names the parameter.
double ratio_parameter(const Parameters& parameters, const std::string& name);

/// A codec as the user wrote it.
struct CodecSelection {
  std::string name;
  Parameters parameters; ///< resolved with the defaults
  Codec codec;
  std::vector<std::string> given;   ///< parameters whose value the text gives
  std::vector<std::string> assumed; ///< parameters that were left at a default without a source, as "zfp.encode"
};

/// Reads `name` or `name:key=value:key=value`. Throws UserError as select_strategy() does.
CodecSelection select_codec(const std::string& text);

} // namespace tandem::collective
