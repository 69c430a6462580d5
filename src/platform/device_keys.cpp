// One line per key of a device file; readers and range checks are shared by kind of value.
#include "platform/device_keys.h"

#include "base/error.h"
#include "model/gemm_time.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace tandem::platform {

namespace {

using base::UserError;
using model::Device;

enum class Range { POSITIVE, NOT_NEGATIVE, SHARE, POSITIVE_SHARE };

double in_range(double value, Range range, std::string_view text) {
  const bool is_share = range == Range::SHARE || range == Range::POSITIVE_SHARE;
  const bool above_zero = range == Range::POSITIVE || range == Range::POSITIVE_SHARE;
  if ((above_zero && value <= 0.0) || (is_share && value > 1.0)) {
    const char* allowed = is_share ? (above_zero ? "above 0, up to 1" : "from 0 to 1") : "above 0";
    throw UserError(fmt::format("{} is out of range; allowed: {}", base::in_quotes(text), allowed));
  }
  return value;
}

// The kinds of value: how they are described, read and printed.
struct Bandwidth {
  static constexpr const char* UNIT = "bandwidth, as 1TBps";
  static double read(std::string_view text) { return base::parse_bandwidth(text).value(); }
  static constexpr const char* SUFFIX = " B/s";
};
struct Size {
  static constexpr const char* UNIT = "size, as 16MiB";
  static double read(std::string_view text) { return base::parse_bytes(text).value(); }
  static constexpr const char* SUFFIX = " B";
};
struct Time {
  static constexpr const char* UNIT = "time, as 2us";
  static double read(std::string_view text) { return base::parse_seconds(text).value(); }
  static constexpr const char* SUFFIX = " s";
};
struct Rate {
  static constexpr const char* UNIT = "compute rate, as 312TFLOPS";
  static double read(std::string_view text) { return base::parse_flops_rate(text).value(); }
  static constexpr const char* SUFFIX = " FLOPS";
};
struct PowerDraw {
  static constexpr const char* UNIT = "power, as 400W";
  static double read(std::string_view text) { return base::parse_power(text).value(); }
  static constexpr const char* SUFFIX = " W";
};
struct EnergyPerByte {
  static constexpr const char* UNIT = "energy per byte, as 48pJ/B";
  static double read(std::string_view text) { return base::parse_energy_per_byte(text).value(); }
  static constexpr const char* SUFFIX = " J/B";
};
struct Number {
  static constexpr const char* UNIT = "number, as 0.785";
  static double read(std::string_view text) { return base::parse_number(text); }
  static constexpr const char* SUFFIX = "";
};

double plain(double value) {
  return value;
}
template <class Dimension> double plain(base::Quantity<Dimension> quantity) {
  return quantity.value();
}

/// Whether a device file must state the key.
enum class Need { REQUIRED, OPTIONAL };

DeviceKey finish(DeviceKey key, Need need) {
  key.required = need == Need::REQUIRED;
  if (!key.required)
    key.default_value = key.get(Device{});
  return key;
}

/// `member` returns a reference to the value, of a const and of a changeable device.
template <class Kind, class Member>
DeviceKey quantity(std::string name, Need need, Range range, Member member, std::string help) {
  DeviceKey key{std::move(name), Kind::UNIT, "", std::move(help), false, {}, {}};
  key.set = [range, member](Device& device, std::string_view text) {
    auto& value = member(device);
    value = std::remove_reference_t<decltype(value)>(in_range(Kind::read(text), range, text));
  };
  key.get = [member](const Device& device) { return fmt::format("{}{}", plain(member(device)), Kind::SUFFIX); };
  return finish(std::move(key), need);
}

/// A value that a device file need not state, and that then is not known: there is no default.
template <class Kind, class Member> DeviceKey stated(std::string name, Range range, Member member, std::string help) {
  DeviceKey key{std::move(name), Kind::UNIT, "", std::move(help), false, {}, {}};
  key.set = [range, member](Device& device, std::string_view text) {
    auto& value = member(device);
    value.emplace(in_range(Kind::read(text), range, text));
  };
  key.get = [member](const Device& device) {
    const auto& value = member(device);
    return value ? fmt::format("{}{}", value->value(), Kind::SUFFIX) : std::string();
  };
  return finish(std::move(key), Need::OPTIONAL);
}

template <class Member>
DeviceKey integer(std::string name, Need need, int minimum, int maximum, Member member, std::string help) {
  DeviceKey key{
      std::move(name), fmt::format("whole number, {} to {}", minimum, maximum), "", std::move(help), false, {}, {}};
  key.set = [minimum, maximum, member](Device& device, std::string_view text) {
    member(device) = static_cast<int>(base::parse_integer(text, minimum, maximum));
  };
  key.get = [member](const Device& device) { return fmt::format("{}", member(device)); };
  return finish(std::move(key), need);
}

DeviceKey peak(const std::string& precision, std::string help) {
  DeviceKey key{"peak." + precision, Rate::UNIT, "", std::move(help), false, {}, {}};
  key.set = [precision](Device& device, std::string_view text) {
    device.peak[precision] = base::FlopsPerSecond(in_range(Rate::read(text), Range::POSITIVE, text));
  };
  key.get = [precision](const Device& device) {
    const auto found = device.peak.find(precision);
    return found == device.peak.end() ? std::string() : fmt::format("{}{}", found->second.value(), Rate::SUFFIX);
  };
  return finish(std::move(key), Need::OPTIONAL);
}

DeviceKey near_memory_available() {
  DeviceKey key{
      "near_memory.available", "true or false", "", "whether the memory can add what is stored to it", false, {}, {}};
  key.set = [](Device& device, std::string_view text) {
    if (text != "true" && text != "false")
      throw UserError(base::unknown_word("truth value", text, {"true", "false"}));
    device.near_memory.available = text == "true";
  };
  key.get = [](const Device& device) { return device.near_memory.available ? "true" : "false"; };
  return finish(std::move(key), Need::OPTIONAL);
}

DeviceKey gemm_tiles() {
  using model::GemmTiles;
  DeviceKey key{"gemm_tiles",
                "steps-of-32 or powers-of-two",
                "",
                "training: widths of the tiles that the library of the device has for GEMMs",
                false,
                {},
                {}};
  key.set = [](Device& device, std::string_view text) {
    std::vector<std::string> names;
    for (const auto widths : {GemmTiles::STEPS_OF_32, GemmTiles::POWERS_OF_TWO}) {
      names.emplace_back(model::to_string(widths));
      if (text == names.back()) {
        device.gemm_tiles = widths;
        return;
      }
    }
    throw UserError(base::unknown_word("kind of tiles", text, names));
  };
  key.get = [](const Device& device) { return model::to_string(device.gemm_tiles); };
  return finish(std::move(key), Need::OPTIONAL);
}

DeviceKey library_name() {
  DeviceKey key{"library", "name of a file in platforms/libraries, as nccl-hopper",
                "",        "communication library whose costs the protocols of collectives have",
                false,     {},
                {}};
  key.set = [](Device& device, std::string_view text) { device.library = text; };
  key.get = [](const Device& device) { return device.library; };
  return finish(std::move(key), Need::OPTIONAL);
}

model::MemoryQueue::Threshold read_threshold(std::string_view row) {
  const std::size_t colon = row.find(':');
  if (colon == std::string_view::npos)
    throw UserError(fmt::format("{} is not a threshold; allowed: intensity:entries, as 0.5:5", base::in_quotes(row)));
  const std::string_view intensity = row.substr(0, colon);
  const std::string_view entries = row.substr(colon + 1);
  return {in_range(base::parse_number(intensity), Range::SHARE, intensity),
          static_cast<int>(base::parse_integer(entries, 0, std::numeric_limits<int>::max()))};
}

DeviceKey queue_thresholds() {
  DeviceKey key{"queue.thresholds",
                "list of {intensity, entries}, highest intensity first; on the command line 0.5:5,0.1:10 or none",
                "",
                "compute first: communication may hold `entries` of the queue when the kernel's first stage kept the "
                "memory busy for at least `intensity` of its time; below the last row there is no limit",
                false,
                {},
                {}};
  key.set = [](Device& device, std::string_view text) {
    std::vector<model::MemoryQueue::Threshold> rows;
    std::string_view rest = text == "none" ? std::string_view() : text;
    if (text.empty())
      throw UserError("'' is not a list of thresholds; allowed: 0.5:5,0.1:10 or none");
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      rows.push_back(read_threshold(rest.substr(0, comma)));
      if (rows.size() > 1 && rows[rows.size() - 2].intensity <= rows.back().intensity)
        throw UserError(fmt::format("threshold {} never applies: its intensity is not below that of the row before it",
                                    base::in_quotes(rest.substr(0, comma))));
      if (comma != std::string_view::npos && comma + 1 == rest.size())
        throw UserError(fmt::format("{} ends with a comma", base::in_quotes(text)));
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    device.queue.thresholds = std::move(rows);
  };
  key.get = [](const Device& device) {
    std::string text;
    for (const auto& row : device.queue.thresholds)
      text += fmt::format("{}{}:{}", text.empty() ? "" : ",", row.intensity, row.entries);
    return text.empty() ? std::string("none") : text;
  };
  return finish(std::move(key), Need::OPTIONAL);
}

constexpr int MILLION = 1'000'000;

std::vector<DeviceKey> make_device_keys() {
  using enum Range;
  using enum Need;
  return {
      integer(
          "sms", REQUIRED, 1, MILLION, [](auto& d) -> auto& { return d.sms; },
          "streaming multiprocessors (compute units); a platform file's `core` must agree"),
      peak("fp32", "dense peak of matrix products by precision; at least one is required, fp16 on a platform file"),
      peak("tf32", "as above"),
      peak("bf16", "as above"),
      peak("fp16", "as above; a platform file's `speed` times `core` replaces it and scales the other precisions"),
      peak("fp8", "as above"),
      quantity<Rate>(
          "vector_peak", REQUIRED, POSITIVE, [](auto& d) -> auto& { return d.vector_peak; },
          "peak of element-wise kernels"),
      quantity<Number>(
          "gemm_efficiency", OPTIONAL, POSITIVE_SHARE, [](auto& d) -> auto& { return d.gemm_efficiency; },
          "fraction of the matrix peak that the inner loop of a GEMM reaches in a full wave"),
      quantity<Number>(
          "gemm_fp8_efficiency", OPTIONAL, SHARE, [](auto& d) -> auto& { return d.gemm_fp8_efficiency; },
          "the same of the fp8 peak, whose scaling costs more; 0 is as gemm_efficiency"),
      integer(
          "tile_m", OPTIONAL, 1, 65536, [](auto& d) -> auto& { return d.tile_m; },
          "rows of the output tile of a workgroup"),
      integer(
          "tile_n", OPTIONAL, 1, 65536, [](auto& d) -> auto& { return d.tile_n; },
          "columns of the output tile of a workgroup"),
      gemm_tiles(),
      quantity<Number>(
          "gemm_read_ahead", OPTIONAL, SHARE, [](auto& d) -> auto& { return d.gemm_read_ahead; },
          "share of a stage's DRAM reads that must be in before its compute starts"),
      quantity<Time>(
          "gemm_setup", OPTIONAL, NOT_NEGATIVE, [](auto& d) -> auto& { return d.gemm_setup; },
          "training: time of a GEMM beside its launch and its waves"),
      quantity<Time>(
          "gemm_wave_setup", OPTIONAL, NOT_NEGATIVE, [](auto& d) -> auto& { return d.gemm_wave_setup; },
          "training: time in which the pipeline of a wave of tiles fills and drains"),
      quantity<Bandwidth>(
          "l2_bandwidth", OPTIONAL, NOT_NEGATIVE, [](auto& d) -> auto& { return d.l2_bandwidth; },
          "training: bandwidth at which the L2 feeds the tiles of all SMs; 0 is no limit"),
      quantity<Number>(
          "attention_efficiency", OPTIONAL, POSITIVE_SHARE, [](auto& d) -> auto& { return d.attention_efficiency; },
          "share of the matrix peak that fused attention reaches in the forward pass"),
      quantity<Number>(
          "attention_backward_efficiency", OPTIONAL, POSITIVE_SHARE,
          [](auto& d) -> auto& { return d.attention_backward_efficiency; }, "the same in the backward pass"),
      quantity<Bandwidth>(
          "hbm_bandwidth", REQUIRED, POSITIVE, [](auto& d) -> auto& { return d.hbm_bandwidth; },
          "bandwidth of the memory; the first <disk> of the GPU in a platform file replaces it"),
      quantity<Size>(
          "hbm_capacity", REQUIRED, POSITIVE, [](auto& d) -> auto& { return d.hbm_capacity; }, "size of the memory"),
      quantity<Number>(
          "memory_efficiency", OPTIONAL, POSITIVE_SHARE, [](auto& d) -> auto& { return d.memory_efficiency; },
          "share of the memory bandwidth that a streaming kernel reaches"),
      quantity<Size>(
          "l2", REQUIRED, NOT_NEGATIVE, [](auto& d) -> auto& { return d.l2; }, "size of the L2 cache"),
      quantity<Bandwidth>(
          "sm_copy_bandwidth", REQUIRED, POSITIVE, [](auto& d) -> auto& { return d.sm_copy_bandwidth; },
          "bytes per second that one SM can load and store together in a communication kernel"),
      quantity<Time>(
          "kernel_launch", REQUIRED, NOT_NEGATIVE, [](auto& d) -> auto& { return d.kernel_launch; },
          "time that a kernel launch costs its stream"),
      integer(
          "copy_engines", OPTIONAL, 0, 1024, [](auto& d) -> auto& { return d.copy_engines; },
          "DMA engines that can move data at the same time"),
      library_name(),
      near_memory_available(),
      quantity<Number>(
          "near_memory.update_cost", OPTIONAL, POSITIVE, [](auto& d) -> auto& { return d.near_memory.update_cost; },
          "time that an update holds the memory, in writes of the same size"),
      integer(
          "near_memory.tracker_entries", OPTIONAL, 1, MILLION,
          [](auto& d) -> auto& { return d.near_memory.tracker_entries; }, "blocks that can be counted at once"),
      quantity<Size>(
          "near_memory.spill_bytes", OPTIONAL, NOT_NEGATIVE, [](auto& d) -> auto& { return d.near_memory.spill_bytes; },
          "DRAM bytes read and written when an update finds the tracker full"),
      integer(
          "queue.depth", OPTIONAL, 1, MILLION, [](auto& d) -> auto& { return d.queue.depth; },
          "entries of the DRAM queue of a channel"),
      integer(
          "queue.compute_entries", OPTIONAL, 1, MILLION, [](auto& d) -> auto& { return d.queue.compute_entries; },
          "shared queue: entries that compute still holds when a burst of communication fills it; below queue.depth"),
      quantity<Number>(
          "queue.starvation_share", OPTIONAL, SHARE, [](auto& d) -> auto& { return d.queue.starvation_share; },
          "share of the service that compute-first arbitration leaves to communication at least"),
      queue_thresholds(),
      stated<PowerDraw>(
          "power.idle", Range::NOT_NEGATIVE, [](auto& d) -> auto& { return d.power.idle; },
          "energy: draw of the device with nothing to do and its clocks up"),
      stated<PowerDraw>(
          "power.tdp", Range::POSITIVE, [](auto& d) -> auto& { return d.power.tdp; },
          "energy: draw with all SMs at work and the memory at its bandwidth"),
      stated<PowerDraw>(
          "power.limit", Range::POSITIVE, [](auto& d) -> auto& { return d.power.limit; },
          "limit of the draw below power.tdp (nvidia-smi -pl): clocks fall under matrix products"),
      stated<EnergyPerByte>(
          "power.hbm", Range::NOT_NEGATIVE, [](auto& d) -> auto& { return d.power.hbm; },
          "energy: of a byte read from or written to the memory"),
      stated<EnergyPerByte>(
          "power.link", Range::NOT_NEGATIVE, [](auto& d) -> auto& { return d.power.link; },
          "energy: of a byte over one link within a node, both of its ends together"),
      stated<EnergyPerByte>(
          "power.network", Range::NOT_NEGATIVE, [](auto& d) -> auto& { return d.power.network; },
          "energy: of a byte over one link between nodes, both of its ends together"),
  };
}

} // namespace

const std::vector<DeviceKey>& device_keys() {
  static const std::vector<DeviceKey> keys = make_device_keys();
  return keys;
}

const DeviceKey& device_key(std::string_view name) {
  std::vector<std::string> names;
  for (const DeviceKey& key : device_keys()) {
    if (key.name == name)
      return key;
    names.push_back(key.name);
  }
  throw UserError(base::unknown_word("device key", name, names));
}

void set_device_key(Device& device, std::string_view key, std::string_view value) {
  const DeviceKey& row = device_key(key);
  try {
    row.set(device, value);
  } catch (const UserError& error) {
    throw UserError(fmt::format("device.{}: {} ({})", row.name, error.what(), row.unit));
  }
  std::erase(device.assumed, row.name);
  device.sources[row.name] = "set by the user";
}

} // namespace tandem::platform
