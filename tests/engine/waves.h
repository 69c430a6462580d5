// GEMMs that run in equal waves, on GPUs where only SMs and launches take time.
#pragma once

#include "engine/machines.h"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>

namespace tandem::test {

constexpr double LAUNCH_S = 3e-6;
constexpr double PEAK = 1e14;
constexpr int SMS = 80;

inline model::Device wave_device() {
  auto device = round_device();
  device.peak["fp16"] = model::FlopsPerSecond(PEAK);
  device.gemm_efficiency = 1.0;
  device.tile_m = device.tile_n = 128;
  device.kernel_launch = model::Seconds(LAUNCH_S);
  device.hbm_bandwidth = model::BytesPerSecond(1e24);
  device.memory_efficiency = 1.0;
  device.sm_copy_bandwidth = model::BytesPerSecond(1e24);
  device.copy_engines = 2;
  return device;
}

/// Each rank's part of the rows is 8 x 10 tiles, one for each SM: a wave.
inline model::Gemm gemm_of(int ranks, std::int64_t k) {
  return {.m = std::int64_t{8} * 128 * ranks, .n = std::int64_t{10} * 128, .k = k};
}

/// 2 x 128 x 128 x k FLOP on one of 80 SMs.
inline double wave_s(std::int64_t k) {
  return 2.0 * 128 * 128 * static_cast<double>(k) / (PEAK / SMS);
}

inline void expect_near(double found, double expected, const std::string& what) {
  EXPECT_LE(std::abs(found - expected), 1e-9 * expected) << what << ": " << found << " s, expected " << expected;
}

} // namespace tandem::test
