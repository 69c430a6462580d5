// What the types of steps have in common.
#include "collective/msccl/algorithm.h"

#include "base/error.h"

namespace tandem::collective::msccl {

std::string to_string(StepType type) {
  switch (type) {
  case StepType::S:
    return "s";
  case StepType::R:
    return "r";
  case StepType::RCS:
    return "rcs";
  case StepType::RRS:
    return "rrs";
  case StepType::RRC:
    return "rrc";
  case StepType::RRCS:
    return "rrcs";
  case StepType::CPY:
    return "cpy";
  case StepType::RE:
    return "re";
  case StepType::NOP:
    return "nop";
  }
  throw base::Bug("unnamed step type");
}

bool receives(StepType type) {
  return type == StepType::R || type == StepType::RCS || type == StepType::RRS || type == StepType::RRC ||
         type == StepType::RRCS;
}

bool sends(StepType type) {
  return type == StepType::S || type == StepType::RCS || type == StepType::RRS || type == StepType::RRCS;
}

bool reduces(StepType type) {
  return type == StepType::RRS || type == StepType::RRC || type == StepType::RRCS || type == StepType::RE;
}

bool reads_source(StepType type) {
  return type == StepType::S || type == StepType::CPY || reduces(type);
}

bool writes_target(StepType type) {
  return type != StepType::S && type != StepType::RRS && type != StepType::NOP;
}

} // namespace tandem::collective::msccl
