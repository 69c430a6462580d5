// A command that another command runs: its result is handed over, not written.
#pragma once

#include "study/sweep/sweep.h"

#include <functional>

namespace tandem::app {

struct InnerRun {
  enum class Stage {
    FLAGS,  ///< stop when the flags are read
    INPUTS, ///< stop when the files are read
    RESULT
  };
  Stage stage = Stage::RESULT;
  study::PointInputs inputs; ///< of stage INPUTS
  study::PointOutput output; ///< of stage RESULT

  /// Whether the command is to stop now, before it simulates; asks for its inputs where the stage needs them.
  bool stops_before_running(const std::function<study::PointInputs()>& read_inputs) {
    if (stage == Stage::INPUTS)
      inputs = read_inputs();
    return stage != Stage::RESULT;
  }
};

} // namespace tandem::app
