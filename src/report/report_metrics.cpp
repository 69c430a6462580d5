// Definitions are short forms of docs/results.md.
#include "report/report_metrics.h"

namespace tandem::report {

namespace {

const PageMetric BUSIEST_LINK = {"busiest_link_utilisation", "use of the busiest link", "share",
                                 "bytes that crossed the link that is used most, over what it can carry in that time"};

const std::vector<PageMetric> OF_TRAIN = {
    {"iteration_s", "iteration", "s", "time of one iteration, mean of those after the warm-up"},
    {"tokens_per_s", "tokens/s", "tokens/s", "tokens of the global batch over the time of an iteration"},
    {"tokens_per_s_per_gpu", "tokens/s/GPU", "tokens/s", "tokens per second over the number of GPUs"},
    {"model_tflops_per_gpu", "model FLOP/s/GPU", "TFLOP/s",
     "forward and backward, attention in full, without what is recomputed, for each GPU"},
    {"mfu", "MFU", "share", "model FLOPs utilisation: model FLOP/s of a GPU over the peak of its precision"},
    {"hfu", "HFU", "share", "hardware FLOPs utilisation: as MFU, with what is recomputed"},
    {"peak_memory_bytes", "peak memory", "B", "most that a GPU of the fullest pipeline stage holds at once"},
    {"lower_bound_s", "lower bound", "s", "no iteration is shorter: half of the busiest stage's FLOPs at the peak"},
    BUSIEST_LINK};

const std::vector<PageMetric> OF_COMPARE = {
    {"time_s", "time", "s", "time of the case, from its start to its end on the last GPU"},
    {"speedup", "speed-up over the baseline", "", "time of the file's baseline strategy over this one's"},
    {"gemm_s", "GEMM", "s", "from the first start to the last end of the GEMM"},
    {"compute_s", "compute", "s", "time in which a GPU computes, communicating or not"},
    {"exposed_communication_s", "exposed communication", "s", "time in which a GPU only communicates"},
    {"idle_s", "idle", "s", "time in which a GPU neither computes nor communicates"},
    {"lower_bound_s", "lower bound", "s", "no schedule on this platform can be faster"},
    BUSIEST_LINK};

const std::vector<PageMetric> OF_COLLECTIVE = {
    {"time_us", "time", "us", "time of the operation, from its start to its end on the last rank"},
    {"algbw_gbps", "algorithm bandwidth", "GB/s", "size over time, as nccl-tests define it"},
    {"busbw_gbps", "bus bandwidth", "GB/s",
     "algorithm bandwidth times the factor of the operation (2 (n-1)/n for an all-reduce), as nccl-tests define it"},
    {"lower_bound_us", "lower bound", "us", "no schedule on this platform can be faster"},
    BUSIEST_LINK,
    {"measured_us", "measured", "us", "time of the log that the run was held against"},
    {"error", "error", "share", "of the simulated time against the measured one"}};

} // namespace

const std::vector<PageMetric>& page_metrics(const std::string& command) {
  return command == "train" ? OF_TRAIN : command == "compare" ? OF_COMPARE : OF_COLLECTIVE;
}

} // namespace tandem::report
