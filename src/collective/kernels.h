// Schedules of single kernels that no collective follows.
#pragma once

#include "model/cluster.h"
#include "model/schedule.h"
#include "model/workload.h"

#include <string>

namespace tandem::collective {

/// A GEMM on all SMs of each of `ranks` GPUs, its traffic booked as OTHER.
model::Schedule kernel_schedule(const std::string& name, const model::Gemm& gemm, int ranks,
                                const model::Cluster& cluster);

/// A vector kernel: its flops at the vector peak beside its DRAM traffic.
model::Schedule kernel_schedule(const std::string& name, const model::VectorKernel& kernel, int ranks,
                                const model::Cluster& cluster);

} // namespace tandem::collective
