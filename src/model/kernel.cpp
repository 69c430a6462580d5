// Names of the kinds of kernels.
#include "model/kernel.h"

#include "base/error.h"

namespace tandem::model {

std::string to_string(KernelKind kind) {
  switch (kind) {
  case KernelKind::GEMM:
    return "GEMM";
  case KernelKind::ATTENTION:
    return "attention";
  case KernelKind::NORM:
    return "norm";
  case KernelKind::SOFTMAX:
    return "softmax";
  case KernelKind::VECTOR:
    return "element-wise";
  case KernelKind::EMBEDDING:
    return "embedding";
  case KernelKind::LOSS:
    return "loss";
  case KernelKind::OPTIMIZER:
    return "optimizer";
  case KernelKind::MEASURED:
    return "measured";
  }
  throw base::Bug("a kernel of no kind");
}

} // namespace tandem::model
