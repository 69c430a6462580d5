// The kernels and the communication of one rank's part of a transformer.
#pragma once

#include "model/language_model.h"
#include "workload/kernel_list.h"

#include <string>

namespace tandem::workload {

class StepList : public KernelList {
public:
  StepList(const model::LanguageModel& model, const LayerPlan& plan, model::Pass pass)
      : KernelList(plan, pass), model_(model) {}

  [[nodiscard]] const model::LanguageModel& model() const { return model_; }
  [[nodiscard]] std::int64_t hidden() const { return model_.hidden; }
  /// Tokens of the rank, and those of them that it has where sequence parallelism cuts them over tp.
  [[nodiscard]] std::int64_t tokens() const { return plan().tokens(); }
  [[nodiscard]] std::int64_t own_tokens() const {
    return plan().sequence_parallel ? plan().tokens() / plan().tp : plan().tokens();
  }
  [[nodiscard]] double own_hidden() const { return static_cast<double>(own_tokens() * hidden()); }

  /// The model's norm over rows x width; saves its input as `input`.
  void norm(double elements, const std::string& input);
  void norm_gradient(double elements);

  /// Tensor parallelism around a column- and a row-split pair of matrices; nothing when tp is 1. All of tokens x
  /// hidden.
  void gather_input(const std::string& name, int independent = 0);  ///< sp only: all-gather
  void reduce_output(const std::string& name, int independent = 0); ///< all-reduce, or with sp reduce-scatter

private:
  const model::LanguageModel& model_;
};

} // namespace tandem::workload
