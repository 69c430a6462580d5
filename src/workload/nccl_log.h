// Measured collectives: the log of an nccl-tests or rccl-tests program.
#pragma once

#include "model/collective_op.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::workload {

struct MeasuredRow {
  std::uint64_t size_bytes = 0;
  double time_s = 0.0; ///< out of place
};

struct NcclLog {
  std::string file;
  int ranks = 0;            ///< lines "# Rank"; 0: the log has none
  int gpus_per_process = 0; ///< ranks of the first process that has any; 0: the log does not tell
  double bus_factor = 0.0;  ///< busbw / algbw of the fastest row; 0: no row is fast enough to tell
  std::vector<MeasuredRow> rows;
};

/// Reads the rows of every generation of the format, behind what mpirun, srun or kubectl put before a line and between
/// other lines. Throws UserError with file:line on a row that cannot be read, and when there is none.
NcclLog read_nccl_log(const std::string& path);
/// The same of a text that comes from `file`.
NcclLog parse_nccl_log(const std::string& text, const std::string& file);

/// Throws UserError when the log is of another operation or number of ranks, as far as it tells.
void check_log_is_of(const NcclLog& log, model::CollectiveKind kind, int ranks);

} // namespace tandem::workload
