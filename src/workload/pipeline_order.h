// The order in which a pipeline stage works: which micro-batch goes forward or backward when, by schedule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::workload {

enum class PipelineSchedule {
  GPIPE,       ///< all forward, then all backward (arXiv 1811.06965)
  ONE_F_ONE_B, ///< backward as soon as possible (PipeDream-Flush, arXiv 2006.09503)
  INTERLEAVED, ///< 1F1B with several model chunks per stage (arXiv 2104.04473)
  ZERO_BUBBLE, ///< 1F1B whose weight gradients fill the bubble (ZB-H1, arXiv 2401.10241)
};
std::string to_string(PipelineSchedule schedule);

/// One micro-batch passing one model chunk of the stage.
struct PipelineStep {
  enum class Kind : std::uint8_t {
    FORWARD,
    BACKWARD,        ///< gradients of inputs and of weights
    INPUT_GRADIENT,  ///< the half that the stage before waits for
    WEIGHT_GRADIENT, ///< the other half
  };
  Kind kind = Kind::FORWARD;
  int micro_batch = 0;
  int chunk = 0; ///< of `chunks`; chunk c of stage s holds the layers of virtual stage c * stages + s
  bool operator==(const PipelineStep&) const = default;
};

/// All steps of `stage` (0 .. stages-1) for `micro_batches`, in order. `chunks` is 1 but for INTERLEAVED, which needs
/// micro_batches to be a multiple of stages. Preconditions: check_pipeline() is empty.
std::vector<PipelineStep> pipeline_order(PipelineSchedule schedule, int stages, int stage, int micro_batches,
                                         int chunks);

/// Empty: the schedule exists. Otherwise what does not fit, with both numbers.
std::string check_pipeline(PipelineSchedule schedule, int stages, int micro_batches, int chunks);

/// Micro-batches times chunks whose activations the stage holds at most.
int most_in_flight(const std::vector<PipelineStep>& order);

} // namespace tandem::workload
