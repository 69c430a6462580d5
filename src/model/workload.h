// What is run: cases (a sub-layer or a whole layer of a model at a tensor-parallel degree), each a sequence of kernels
// and collectives.
#pragma once

#include "base/error.h"
#include "model/collective_op.h"
#include "model/gemm.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tandem::model {

/// A kernel that is not a GEMM: vector work and DRAM traffic, whichever is longer.
struct VectorKernel {
  Flops flops{};
  Bytes reads{}, writes{};
};

/// One step of a case: a GEMM or a vector kernel, and possibly a collective over all ranks: after the GEMM over its
/// output; an all-gather before it, of its input.
struct Item {
  std::string name;
  std::optional<Gemm> gemm;
  std::optional<VectorKernel> kernel;
  std::optional<CollectiveKind> collective;
};

struct Case {
  std::string model;
  int tp = 1;
  std::string sublayer; ///< "OP", "FC-2", ... or "layer"
  std::string phase;    ///< "forward", "backward", "training", "prompt"
  std::string platform; ///< path of the platform file
  std::vector<Item> items;
  base::Location where;
};

struct Workload {
  std::string title;
  std::string file;
  std::map<std::string, base::Location> stated; ///< top-level keys that the file gives; the others have their defaults
  std::string baseline = "sequential";
  std::vector<std::string> strategies; ///< default selection, as written: name:key=value
  std::vector<Case> cases;
};

} // namespace tandem::model
