// Reads the bytes that each rank has for each other one.
#pragma once

#include <string>
#include <vector>

namespace tandem::workload {

struct ByteMatrix {
  int ranks = 0;
  std::vector<double> bytes; ///< of rank s for rank d, at [s * ranks + d]; whole
  /// Of all pairs.
  [[nodiscard]] double total() const;
};

/// A line for each rank, a size for each rank that it sends to, between commas or blanks: bytes, or with a unit as in
/// 16MiB. Empty lines and what follows a # do not count. Throws UserError with file:line.
ByteMatrix read_byte_matrix(const std::string& path);

} // namespace tandem::workload
