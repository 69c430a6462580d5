// Words and arguments of the timeline's slices.
#pragma once

#include "report/played_run.h"
#include "report/trace_writer.h"

#include <string>

namespace tandem::report {

/// "GEMM", "RS", "AG", "other".
const char* phase_word(model::Phase phase);

/// What an operation does, for slices within one that bears the label: "compute", "read", "write", "update", "send",
/// "receive", "launch".
std::string op_verb(const model::Op& op);

/// Phase, bytes, peer, SMs and DRAM traffic of an operation, as far as it has them.
TraceArgs op_args(const PlayedRun& run, OpRef ref);

/// Busy time of a phase and, for a phase of a collective, the arguments by which PyTorch's profiler describes
/// collectives ("Collective name", "In msg nelems", ...), so that tools for its traces can read these. Elements are
/// bytes: a schedule knows no data type.
TraceArgs phase_args(const PlayedRun& run, std::uint32_t item, std::uint32_t rank, model::Phase phase);

} // namespace tandem::report
