// Measured GEMM times, and constants of a device that were fitted to them.
#pragma once

#include "model/gemm.h"

#include <string>
#include <vector>

namespace tandem::model {

/// One measured row. An fp8 product writes 16-bit outputs, as training's do.
struct KernelTime {
  std::string gpu;
  Gemm gemm;
  double time_s = 0;
  int line = 0; ///< of its file
};

/// Of predicted / measured - 1 over some rows.
struct FitErrors {
  int rows = 0;
  double mape = 0, worst = 0, bias = 0; ///< shares; worst with its sign; bias: the mean with its sign
};

FitErrors errors_of(const std::vector<double>& errors);

struct FittedConstant {
  std::string key;           ///< of a device file
  std::string before, after; ///< in its notation
};

struct KernelFit {
  std::string file;
  Device device; ///< with the fitted constants
  std::vector<FittedConstant> constants;
  struct Row {
    KernelTime measured;
    bool seen = false; ///< by the fit; the others check it
    double before_s = 0, after_s = 0;
  };
  std::vector<Row> rows;
  FitErrors seen_before, seen_after, unseen_before, unseen_after;
};

} // namespace tandem::model
