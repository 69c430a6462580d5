// Kernels as facts: sizes times the reads, writes and flops per element.
#include "workload/kernel_list.h"

#include "base/error.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tandem::workload {

namespace {

using model::Bytes;
using model::Flops;
using model::Gemm;
using model::Gradient;
using model::Kernel;
using model::KernelKind;
using model::Pass;

/// Precision of tensors, and of products of activations.
std::string tensor_precision(const std::string& precision) {
  return precision == "fp8" ? "bf16" : precision;
}

} // namespace

KernelList::KernelList(const LayerPlan& plan, Pass pass)
    : plan_(plan), pass_(pass), element_(Gemm{.precision = tensor_precision(plan.precision)}.element_bytes()) {}

int KernelList::gemm_element() const {
  return Gemm{.precision = plan_.precision}.element_bytes();
}

Kernel& KernelList::last() {
  if (steps_.empty() || !std::holds_alternative<Kernel>(steps_.back()))
    throw base::Bug("there is no kernel to add to");
  return std::get<Kernel>(steps_.back());
}

void KernelList::kernel(const std::string& name, KernelKind kind, double flops, double reads, double writes) {
  Kernel kernel;
  kernel.name = name;
  kernel.kind = kind;
  kernel.pass = pass_;
  kernel.gradient = pass_ == Pass::BACKWARD ? Gradient::DATA : Gradient::NONE;
  kernel.flops = Flops(flops);
  kernel.reads = Bytes(reads);
  kernel.writes = Bytes(writes);
  kernel.precision = tensor_precision(plan_.precision);
  steps_.emplace_back(std::move(kernel));
}

void KernelList::product(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch) {
  const Gemm gemm{.m = m, .n = n, .k = k, .batch = batch, .precision = tensor_precision(plan_.precision)};
  kernel(name, KernelKind::GEMM, gemm.flops().value(), 0, 0);
  last().gemm = gemm;
  last().nominal_flops = gemm.flops();
}

void KernelList::cast(double elements) {
  if (plan_.precision == "fp8")
    pass(CAST, elements);
}

Kernel& KernelList::weight_product(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k,
                                   std::int64_t batch) {
  product(name, m, n, k, batch);
  Kernel& kernel = last();
  kernel.precision = kernel.gemm->precision = plan_.precision;
  return kernel;
}

void KernelList::gemm(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch) {
  cast(static_cast<double>(batch * m * k));
  Kernel& kernel = weight_product(name, m, n, k, batch);
  kernel.writes = Bytes(static_cast<double>(batch * m * n * (element_ - gemm_element()))); // the output is no fp8
}

void KernelList::data_gradient(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k,
                               std::int64_t batch) {
  cast(static_cast<double>(batch * m * n)); // of the output's gradient, for both products
  Kernel& kernel = weight_product(name + " input gradient", m, k, n, batch);
  kernel.writes = Bytes(static_cast<double>(batch * m * k * (element_ - gemm_element())));
}

void KernelList::weight_gradient(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k,
                                 std::int64_t batch) {
  Kernel& kernel = weight_product(name + " weight gradient", n, k, m, batch);
  kernel.writes = Bytes(static_cast<double>(batch * n * k * (element_ - gemm_element())));
  accumulate(name, static_cast<double>(batch) * times(n, k));
}

void KernelList::accumulate(const std::string& name, double elements) {
  weight();
  if (plan_.fp32_gradients) { // the GEMM adds to what is there, and writes it instead of a gradient of its own
    also(elements * FP32 / element_, elements * (FP32 / element_ - 1));
    return;
  }
  kernel(name + " gradient accumulated", KernelKind::VECTOR, elements, 2 * elements * element_, elements * element_);
  weight();
}

void KernelList::gathers(double repeats) {
  const auto product = std::find_if(steps_.rbegin(), steps_.rend(), [](const model::Step& step) {
    const auto* kernel = std::get_if<Kernel>(&step);
    return kernel && kernel->gemm;
  });
  if (product == steps_.rend())
    throw base::Bug("only a product can be a convolution");
  auto& kernel = std::get<Kernel>(*product);
  (kernel.gradient == Gradient::WEIGHT ? kernel.gemm->b_repeats : kernel.gemm->a_repeats) = repeats;
}

void KernelList::attention(double workgroups, const std::string& name, double flops, double nominal, double reads,
                           double writes) {
  kernel(name, KernelKind::ATTENTION, flops, reads * element_, writes * element_);
  last().nominal_flops = Flops(nominal);
  last().workgroups = workgroups;
}

void KernelList::pass(const Elementwise& row, double elements, KernelKind kind) {
  const bool draws = row.mask_writes > 0; // a mask is what random numbers become
  const double flops = row.flops + (draws ? RANDOM_NUMBER_FLOPS : 0.0);
  kernel(row.name, kind, elements * flops, elements * (row.reads * element_ + row.mask_reads),
         elements * (row.writes * element_ + row.mask_writes));
}

void KernelList::measured(const std::string& name, base::Seconds time) {
  kernel(name, KernelKind::MEASURED, 0, 0, 0);
  last().time = time;
}

void KernelList::weight() {
  last().gradient = Gradient::WEIGHT;
}

void KernelList::vectors(int count) {
  weight();
  last().launches += count;
}

void KernelList::also(double reads, double writes) {
  last().reads += Bytes(reads * element_);
  last().writes += Bytes(writes * element_);
}

void KernelList::save(const std::string& tensor, double bytes) {
  last().saves.push_back({tensor, Bytes(bytes)});
}

void KernelList::save_input(const std::string& tensor, double elements) {
  save(plan_.precision == "fp8" ? tensor + " in fp8" : tensor, elements * gemm_element());
}

void KernelList::communicate(const std::string& name, const std::string& dimension, model::CollectiveKind kind,
                             double bytes, int independent) {
  steps_.emplace_back(model::Communication{.name = name,
                                           .dimension = dimension,
                                           .kind = kind,
                                           .bytes = Bytes(bytes),
                                           .pass = pass_,
                                           .independent = independent});
}

void KernelList::awaited_by(const std::string& part) {
  if (steps_.empty() || !std::holds_alternative<model::Communication>(steps_.back()))
    throw base::Bug("there is no communication that a part could wait for");
  std::get<model::Communication>(steps_.back()).until = part;
}

void KernelList::append(model::Steps steps) {
  steps_.insert(steps_.end(), std::make_move_iterator(steps.begin()), std::make_move_iterator(steps.end()));
}

} // namespace tandem::workload
