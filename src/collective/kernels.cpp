// Kernels outside the sub-layers.
#include "collective/kernels.h"

#include "collective/blocks.h"

namespace tandem::collective {

using model::Access;
using model::Phase;

namespace {

/// A payload of nothing: only the kernel counts.
Composer empty_composer(int ranks, const model::Cluster& cluster) {
  Composer composer("kernel", {{model::CollectiveKind::ALL_REDUCE, ranks, model::Bytes(0.0)}, {}}, cluster);
  return composer;
}

model::Schedule finish_kernel(Composer& composer) {
  auto schedule = composer.finish(model::CollectiveKind::ALL_REDUCE);
  schedule.goal.reset();
  for (auto& op : schedule.programs.front().ops) {
    op.phase = Phase::OTHER;
    for (auto& traffic : op.traffic)
      traffic.account = Phase::OTHER;
  }
  return schedule;
}

} // namespace

model::Schedule kernel_schedule(const std::string& name, const model::Gemm& gemm, int ranks,
                                const model::Cluster& cluster) {
  auto composer = empty_composer(ranks, cluster);
  append_gemm(composer, gemm, composer.device().sms, name, {}, {});
  return finish_kernel(composer);
}

model::Schedule kernel_schedule(const std::string& name, const model::VectorKernel& kernel, int ranks,
                                const model::Cluster& cluster) {
  auto composer = empty_composer(ranks, cluster);
  const auto& device = composer.device();
  const OpId launched =
      composer.add({.phase = Phase::OTHER, .label = composer.label(name + " launch"), .delay = device.kernel_launch});
  composer.add(
      {.phase = Phase::OTHER,
       .label = composer.label(name),
       .sms = static_cast<std::uint16_t>(device.sms),
       .sm_seconds = (kernel.flops / device.vector_peak).value() * device.sms,
       .traffic = {{Phase::OTHER, Access::READ, 0.0, kernel.reads}, {Phase::OTHER, Access::WRITE, 0.0, kernel.writes}}},
      {launched});
  return finish_kernel(composer);
}

} // namespace tandem::collective
