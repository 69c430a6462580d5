// Tables of devices.
#include "report/device_report.h"

#include "model/gemm_time.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace tandem::report {

namespace {

using model::Device;

std::string share(double value) {
  return fmt::format("{:.4g}", value);
}

std::string thresholds_text(const model::MemoryQueue& queue) {
  if (queue.thresholds.empty())
    return "none";
  std::vector<std::string> rows;
  for (const auto& row : queue.thresholds)
    rows.push_back(fmt::format("{} entries from intensity {:.4g}", row.entries, row.intensity));
  return fmt::format("{}", fmt::join(rows, ", "));
}

Cell source_of(const Device& device, const std::string& key) {
  const auto source = device.sources.find(key);
  const bool assumed = std::find(device.assumed.begin(), device.assumed.end(), key) != device.assumed.end();
  const std::string text = source != device.sources.end() ? source->second : assumed ? "assumed" : "";
  return {text, assumed ? Tint::RED : Tint::NONE};
}

/// What it draws, as far as it is stated.
void add_power(std::vector<DeviceNumber>& numbers, const model::Power& power) {
  for (const auto& [key, watts] :
       {std::pair{"power.idle", power.idle}, {"power.tdp", power.tdp}, {"power.limit", power.limit}})
    if (watts)
      numbers.push_back({key, fmt::format("{:.4g} W", watts->value())});
  constexpr double PICO = 1e-12;
  for (const auto& [key, each] :
       {std::pair{"power.hbm", power.hbm}, {"power.link", power.link}, {"power.network", power.network}})
    if (each)
      numbers.push_back({key, fmt::format("{:.4g} pJ/B", each->value() / PICO)});
}

std::string or_dash(double value, const std::string& text) {
  return value > 0.0 ? text : "-";
}

/// 0 stands for a value that is not stated.
std::string or_none(double value, const std::string& text) {
  return value > 0.0 ? text : "none";
}

} // namespace

std::vector<DeviceNumber> device_numbers(const Device& device) {
  std::vector<DeviceNumber> numbers = {{"sms", fmt::format("{}", device.sms)}};
  for (const auto& [precision, peak] : device.peak)
    numbers.push_back({"peak." + precision, base::format_flops_rate(peak)});
  const std::vector<DeviceNumber> rest = {
      {"vector_peak", base::format_flops_rate(device.vector_peak)},
      {"gemm_efficiency", share(device.gemm_efficiency)},
      {"gemm_fp8_efficiency", or_none(device.gemm_fp8_efficiency, share(device.gemm_fp8_efficiency))},
      {"tile_m", fmt::format("{}", device.tile_m)},
      {"tile_n", fmt::format("{}", device.tile_n)},
      {"gemm_tiles", model::to_string(device.gemm_tiles)},
      {"gemm_read_ahead", share(device.gemm_read_ahead)},
      {"gemm_setup", base::format_seconds(device.gemm_setup)},
      {"gemm_wave_setup", base::format_seconds(device.gemm_wave_setup)},
      {"l2_bandwidth", or_none(device.l2_bandwidth.value(), base::format_bandwidth(device.l2_bandwidth))},
      {"attention_efficiency", share(device.attention_efficiency)},
      {"attention_backward_efficiency", share(device.attention_backward_efficiency)},
      {"hbm_bandwidth", base::format_bandwidth(device.hbm_bandwidth)},
      {"hbm_capacity", base::format_bytes(device.hbm_capacity)},
      {"memory_efficiency", share(device.memory_efficiency)},
      {"l2", base::format_bytes(device.l2)},
      {"sm_copy_bandwidth", base::format_bandwidth(device.sm_copy_bandwidth)},
      {"kernel_launch", base::format_seconds(device.kernel_launch)},
      {"copy_engines", fmt::format("{}", device.copy_engines)},
      {"library", device.library.empty() ? "none" : device.library},
      {"near_memory.available", device.near_memory.available ? "yes" : "no"},
      {"near_memory.update_cost", share(device.near_memory.update_cost)},
      {"near_memory.tracker_entries", fmt::format("{}", device.near_memory.tracker_entries)},
      {"near_memory.spill_bytes", base::format_bytes(device.near_memory.spill_bytes)},
      {"queue.depth", fmt::format("{}", device.queue.depth)},
      {"queue.compute_entries", fmt::format("{}", device.queue.compute_entries)},
      {"queue.starvation_share", share(device.queue.starvation_share)},
      {"queue.thresholds", thresholds_text(device.queue)},
  };
  numbers.insert(numbers.end(), rest.begin(), rest.end());
  add_power(numbers, device.power);
  return numbers;
}

std::string device_details(const Device& device, const Layout& layout) {
  Table table({{device.name}, {"value"}, {"source"}});
  for (const DeviceNumber& entry : device_numbers(device))
    table.add({entry.key, entry.value, source_of(device, entry.key)});
  return table.text(layout);
}

std::string device_table(const std::vector<Device>& devices, const Layout& layout) {
  std::set<std::string> precisions;
  for (const Device& device : devices)
    for (const auto& [precision, peak] : device.peak)
      precisions.insert(precision);

  std::vector<Column> columns = {{"device"}, {"SMs", Align::RIGHT}};
  for (const std::string& precision : precisions)
    columns.push_back({precision + " TFLOP/s", Align::RIGHT});
  for (const char* header : {"HBM GB/s", "HBM GB", "L2 MB"})
    columns.push_back({header, Align::RIGHT});
  columns.push_back({"near-memory"});
  columns.push_back({"numbers assumed", Align::RIGHT});
  Table table(columns);
  for (const Device& device : devices) {
    std::vector<Cell> row = {device.name, fmt::format("{}", device.sms)};
    for (const std::string& precision : precisions) {
      const auto peak = device.peak.find(precision);
      row.emplace_back(peak == device.peak.end() ? "-" : fmt::format("{:.1f}", peak->second.value() / 1e12));
    }
    row.emplace_back(fmt::format("{:.0f}", device.hbm_bandwidth.value() / 1e9));
    row.emplace_back(or_dash(device.hbm_capacity.value(), fmt::format("{:.4g}", device.hbm_capacity.value() / 1e9)));
    row.emplace_back(or_dash(device.l2.value(), fmt::format("{:.4g}", device.l2.value() / 1e6)));
    row.emplace_back(device.near_memory.available ? "yes" : "no");
    row.emplace_back(fmt::format("{} of {}", device.assumed.size(), device_numbers(device).size()));
    table.add(std::move(row));
  }
  return table.text(layout);
}

} // namespace tandem::report
