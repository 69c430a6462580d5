// How a library runs a GEMM: of the tiles and splits that it has, the fastest.
#pragma once

#include "model/gemm.h"

namespace tandem::model {

/// "powers-of-two", "steps-of-32": as device files say it.
const char* to_string(GemmTiles widths);

struct GemmPlan {
  int tile_m = 0, tile_n = 0;
  int splits = 1;        ///< parts of k that different workgroups sum, added up at the end
  double sm_seconds = 0; ///< of all SMs, idle ones of the last wave included
  Bytes reads{};         ///< of the operands, after the L2
};

/// The plan with the shortest time. `beside`: bytes that the epilogue moves beside the output (docs/models.md, "GEMMs
/// of a training step"). Throws UserError when the device has no peak for the precision. Precondition: sizes >= 1.
GemmPlan plan_gemm(const Gemm& gemm, Bytes beside, const Device& device);

/// The device on which gemm_stages() of this GEMM take as long as plan_gemm() says: the plan's tiles, stages that read
/// while they compute, and the efficiency that makes up for what stages know nothing of (split k, feeding from the L2,
/// filling the pipelines). So a GEMM that is cut into stages to be overlapped costs what it costs in one piece.
Device device_of_plan(const Gemm& gemm, const Device& device);

} // namespace tandem::model
