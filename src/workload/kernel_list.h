// Appends the kernels and the communication of one rank, one after the other, in the tensors' sizes on that rank:
// whatever kind of model they are of.
#pragma once

#include "model/kernel.h"
#include "workload/elementwise.h"
#include "workload/layer_plan.h"

#include <string>

namespace tandem::workload {

constexpr double FP32 = 4; ///< bytes of an element

/// a x b without overflow: elements of a tensor.
inline double times(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a) * static_cast<double>(b);
}

class KernelList {
public:
  KernelList(const LayerPlan& plan, model::Pass pass);

  [[nodiscard]] const LayerPlan& plan() const { return plan_; }
  /// Bytes of an element of a tensor, and of an input that a weight's GEMM saves.
  [[nodiscard]] int element() const { return element_; }
  [[nodiscard]] int gemm_element() const;
  /// Kernels of a data_gradient().
  [[nodiscard]] int data_gradient_kernels() const { return plan_.precision == "fp8" ? 2 : 1; }

  /// A product with a weight: input [m x k], weight [k x n], of `batch` weights. With fp8 the input is cast first.
  void gemm(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1);
  /// Its two gradients, of the same m, n, k: [m x k] = [m x n] [n x k], and [n x k] = [n x m] [m x k], accumulated.
  void data_gradient(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1);
  void weight_gradient(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1);
  /// The last product is a convolution: of its input (first operand; second of a weight gradient) so many elements are
  /// one in memory.
  void gathers(double repeats);
  /// A product of two activations, never in fp8.
  void product(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch);
  /// Fused attention; traffic in elements of a tensor. Gradient::DATA in a backward pass.
  void attention(double workgroups, const std::string& name, double flops, double nominal, double reads, double writes);
  void pass(const Elementwise& kernel, double elements, model::KernelKind kind = model::KernelKind::VECTOR);
  /// Any other kernel, in bytes.
  void kernel(const std::string& name, model::KernelKind kind, double flops, double reads, double writes);
  /// One that takes so long.
  void measured(const std::string& name, base::Seconds time);

  /// The last kernel makes the gradient of a weight or bias.
  void weight();
  /// It makes those of so many vectors, biases or norms' weights: each is added to what is there by a kernel of its
  /// own, whose traffic is left out.
  void vectors(int count);
  /// It makes the gradient of a matrix. With fp32_gradients it adds it to what is there (Megatron-LM's gradient
  /// accumulation fusion); else another kernel does, as PyTorch's AccumulateGrad and Megatron-LM's hooks of 2021 do.
  void accumulate(const std::string& name, double elements);
  /// Traffic in elements that the last kernel has beside what it has already.
  void also(double reads, double writes);
  /// The last kernel saves this tensor.
  void save(const std::string& tensor, double bytes);
  /// It saves its input, an operand of a weight's GEMM: with fp8 that is a tensor of its own.
  void save_input(const std::string& tensor, double elements);
  void communicate(const std::string& name, const std::string& dimension, model::CollectiveKind kind, double bytes,
                   int independent = 0);
  /// The last step is communication that a later part of this pass waits for.
  void awaited_by(const std::string& part);

  void append(model::Steps steps);
  /// From here on steps belong to this pass.
  void enter(model::Pass pass) { pass_ = pass; }
  [[nodiscard]] model::Steps take() { return std::move(steps_); }

protected:
  [[nodiscard]] model::Kernel& last();

private:
  model::Kernel& weight_product(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k,
                                std::int64_t batch);
  void cast(double elements);

  const LayerPlan& plan_;
  model::Pass pass_;
  int element_;
  model::Steps steps_;
};

} // namespace tandem::workload
