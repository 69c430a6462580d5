// What Tandem knows of one accelerator: the numbers of a device file, each with its source or marked as assumed.
#pragma once

#include "base/units.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tandem::model {

using base::Bytes;
using base::BytesPerSecond;
using base::Flops;
using base::FlopsPerSecond;
using base::JoulesPerByte;
using base::Seconds;
using base::Watts;

/// How the memory controller decides between the compute and the communication stream (docs/models.md, "Arbitration").
struct MemoryQueue {
  int depth = 64;           ///< entries of the DRAM queue of a channel
  int compute_entries = 32; ///< shared queue: entries that compute still holds when a burst of communication fills it
  double starvation_share = 0.02; ///< compute first: share of service that communication has at least
  /// Compute-first: communication may hold `entries` of the queue when the first stage of the kernel kept the memory
  /// busy for at least `intensity` of its time; the first row that applies counts; none applies: no limit.
  struct Threshold {
    double intensity;
    int entries;
  };
  std::vector<Threshold> thresholds;
};

/// Near-memory reduction beside the DRAM banks, and the tracker that fires transfers (T3).
struct NearMemory {
  bool available = false;
  double update_cost = 2.0;  ///< time an update holds the memory, in writes of the same size
  int tracker_entries = 256; ///< blocks that can be counted at once
  Bytes spill_bytes{64};     ///< DRAM read and written when an update finds the tracker full
};

/// What it draws (docs/models.md, "Energy"). Empty: not stated; energy is then refused.
struct Power {
  std::optional<Watts> idle;            ///< with nothing to do, clocks up
  std::optional<Watts> tdp;             ///< with all SMs and the memory busy
  std::optional<JoulesPerByte> hbm;     ///< of a byte read or written
  std::optional<JoulesPerByte> link;    ///< of a byte over one link within a node, both ends together
  std::optional<JoulesPerByte> network; ///< of a byte over one link between nodes
};

/// Widths of the tiles that a library has for GEMMs; their heights are powers of two.
enum class GemmTiles {
  STEPS_OF_32,   ///< as kernels of Hopper and later, and of AMD, are generated
  POWERS_OF_TWO, ///< as the kernels of cuBLAS on Volta and Ampere are named
};

/// One accelerator type. Rates are of the whole device.
struct Device {
  std::string name;
  std::string file;                           ///< that it was read from
  int sms = 0;                                ///< streaming multiprocessors (compute units)
  std::map<std::string, FlopsPerSecond> peak; ///< matrix peak by precision: fp32 tf32 bf16 fp16 fp8
  FlopsPerSecond vector_peak{};               ///< non-matrix peak, for element-wise kernels
  double gemm_efficiency = 1.0;   ///< fraction of the matrix peak that the inner loop of a GEMM reaches in a full wave
  double gemm_fp8_efficiency = 0; ///< the same of the fp8 peak; 0: as gemm_efficiency
  int tile_m = 128, tile_n = 128; ///< output tile of a workgroup, elements
  GemmTiles gemm_tiles = GemmTiles::STEPS_OF_32;
  double gemm_read_ahead = 1.0;      ///< share of a stage's DRAM reads that must be in before its compute starts
  Seconds gemm_setup{};              ///< of a GEMM beside its launch: first loads, last stores
  Seconds gemm_wave_setup{};         ///< of each wave of tiles: the pipeline fills and drains
  BytesPerSecond l2_bandwidth{};     ///< at which the L2 feeds and takes the tiles of all SMs; 0: no limit
  double attention_efficiency = 0.7; ///< share of the matrix peak that fused attention reaches, forward
  double attention_backward_efficiency = 0.6;
  BytesPerSecond hbm_bandwidth{};
  Bytes hbm_capacity{};
  double memory_efficiency = 1.0; ///< share of the HBM bandwidth that a streaming kernel reaches
  Bytes l2{};
  BytesPerSecond
      sm_copy_bandwidth{}; ///< bytes per second that one SM can load and store together in a communication kernel
  Seconds kernel_launch{};
  int copy_engines = 0;
  std::string library; ///< name of the communication library that its GPUs use; empty: none
  NearMemory near_memory;
  MemoryQueue queue;
  Power power;
  std::vector<std::string> assumed;           ///< keys whose value has no source
  std::map<std::string, std::string> sources; ///< key -> where the value comes from
};

} // namespace tandem::model
