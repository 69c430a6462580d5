// A kernel of a training step as plain facts, independent of the device that runs it, and what stands between kernels:
// communication.
#pragma once

#include "model/collective_op.h"
#include "model/gemm.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tandem::model {

enum class KernelKind {
  GEMM,      ///< `gemm`, on the matrix units
  ATTENTION, ///< fused (flash) attention: `flops` on the matrix units, its scores never reach the memory
  NORM,
  SOFTMAX, ///< of unfused attention, with mask and scale
  VECTOR,  ///< any other element-wise kernel or permutation
  EMBEDDING,
  LOSS,
  OPTIMIZER,
  MEASURED, ///< takes `time`, whatever it does
};
std::string to_string(KernelKind kind);

enum class Pass { FORWARD, RECOMPUTE, BACKWARD, UPDATE };

/// Of a kernel of the backward pass: whose gradient it makes. The pass goes on as soon as DATA is there; WEIGHT may
/// wait (zero-bubble schedules, overlap).
enum class Gradient { NONE, DATA, WEIGHT };

/// What a forward kernel leaves in memory for the backward pass. One name is one tensor of the layer.
struct SavedTensor {
  std::string name;
  Bytes bytes{};
};

struct Kernel {
  std::string name; ///< "FC-1", "FC-1 input gradient", ...
  KernelKind kind = KernelKind::VECTOR;
  Pass pass = Pass::FORWARD;
  Gradient gradient = Gradient::NONE;
  std::optional<Gemm> gemm; ///< GEMM only
  Flops flops{};            ///< done: GEMM and ATTENTION on the matrix units, the others on the vector units
  Flops nominal_flops{};    ///< on the matrix units, as the FLOP conventions count them: causal attention in full
  /// DRAM traffic. GEMM: beside its operands, whose traffic depends on the device's L2 (fp32 accumulation of weight
  /// gradients, outputs wider than the inputs).
  Bytes reads{}, writes{};
  std::string precision = "bf16"; ///< of the matrix units
  Seconds time{};                 ///< MEASURED only: how long it takes on the device
  double workgroups = 0;          ///< ATTENTION: independent pieces, which cannot fill more SMs; 0: enough of them
  int launches = 1;               ///< kernels that the framework launches for it
  std::vector<SavedTensor> saves; ///< forward only
};

/// A collective of a parallel dimension. It needs the step before it. `independent` kernels that follow do not need it,
/// so that it may run beside them.
struct Communication {
  std::string name;
  std::string dimension; ///< "tp", "cp", "ep"
  CollectiveKind kind = CollectiveKind::ALL_REDUCE;
  Bytes bytes{}; ///< as CollectiveOp counts: the whole vector. SEND_RECV: the message. ALL_TO_ALL: what a rank sends,
                 ///< its own part included
  Pass pass = Pass::FORWARD;
  int independent = 0;
  std::string until{}; ///< the part of the model that needs it, later in this pass; empty: the kernel behind those
};

using Step = std::variant<Kernel, Communication>;
using Steps = std::vector<Step>; ///< in the order in which one rank runs them

} // namespace tandem::model
