// A platform file with the devices, the nodes and the values that the user chose.
#pragma once

#include "model/cluster.h"

#include <map>
#include <string>
#include <vector>

namespace tandem::study {

struct MachineChoice {
  std::vector<std::string> paths;            ///< device files or folders, before those beside the platform file
  std::string catalogue;                     ///< folder of device files to look in last; empty: none
  std::map<std::string, std::string> values; ///< device key -> value, over the device file
  std::map<std::string, std::string> platform_values; ///< property of a cluster -> value, over the platform file
  std::string library{}; ///< name or file, in place of the one that the device names; empty: that one
};

/// Reads the platform and sets the values. Throws UserError.
model::Cluster read_machine(const std::string& path, const MachineChoice& choice);

/// Throws UserError where no host is a GPU.
void require_gpus(const model::Cluster& cluster);
/// As read_machine(), warns of device files that are not used, and sets the values. Throws UserError, also when there
/// is no GPU.
model::Cluster load_cluster(const std::string& path, const MachineChoice& choice);

/// Digests of the platform file and of the device and library files that its GPUs use, by path.
std::map<std::string, std::string> input_digests(const model::Cluster& cluster);
/// What the strategies' codecs declare and assume: `error/STRATEGY` -> class of error, and names of parameters.
struct CodecClaims {
  std::map<std::string, std::string> errors;
  std::vector<std::string> assumed;
};
CodecClaims codec_claims(const std::vector<std::string>& strategies);
/// Digests of the files that strategies are in, by path.
std::map<std::string, std::string> strategy_digests(const std::vector<std::string>& strategies);

} // namespace tandem::study
