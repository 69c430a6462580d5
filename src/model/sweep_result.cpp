// Names of a point's status, as the store and every output has them.
#include "model/sweep_result.h"

#include "base/error.h"

namespace tandem::model {

std::string to_string(PointStatus status) {
  switch (status) {
  case PointStatus::OK:
    return "ok";
  case PointStatus::INFEASIBLE:
    return "infeasible";
  case PointStatus::FAILED:
    return "failed";
  case PointStatus::PENDING:
    return "pending";
  }
  throw base::Bug("no such status of a point");
}

} // namespace tandem::model
