// The file is read and proven where it is named; planning only adds sizes.
#include "collective/msccl/strategy.h"

#include "base/error.h"
#include "collective/composer.h"
#include "collective/msccl/reader.h"
#include "collective/msccl/schedule.h"
#include "collective/parameters.h"
#include "collective/verify.h"

#include <cmath>
#include <fmt/format.h>

namespace tandem::collective::msccl {

namespace {

class FileStrategy : public Strategy {
public:
  FileStrategy(const std::string& path, const Parameters& parameters)
      : algorithm_(read_algorithm(path)), sms_(whole_parameter(parameters, "sms", 1, MOST_SMS)) {
    model::Cluster any; // what is proven does not depend on times
    any.gpus.emplace_back();
    const model::CollectiveOp op{algorithm_.kind, algorithm_.ranks(), model::Bytes(algorithm_.chunks)};
    if (const auto wrong = verify(to_schedule(algorithm_, {op, std::nullopt}, any, sms_)); !wrong.empty())
      throw base::UserError({.file = path}, fmt::format("not an {} on {} ranks: {}", model::to_string(algorithm_.kind),
                                                        algorithm_.ranks(), wrong));
  }

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (request.producer || request.consumer)
      return "it is for a collective on its own, and there is a GEMM";
    check_sms(sms_, cluster);
    if (auto reason = needs_one_of({algorithm_.kind}, request); !reason.empty())
      return reason;
    if (request.op.ranks != algorithm_.ranks())
      return fmt::format("it is for {} ranks, not {}", algorithm_.ranks(), request.op.ranks);
    const double bytes = request.op.bytes.value();
    if (bytes < algorithm_.least_bytes || bytes >= algorithm_.most_bytes.value_or(INFINITY))
      return fmt::format("it is for sizes from {:.0f} B to less than {:.0f} B, not {:.0f} B", algorithm_.least_bytes,
                         algorithm_.most_bytes.value_or(INFINITY), bytes);
    if (std::fmod(bytes, algorithm_.chunks) != 0.0)
      return fmt::format("its {} chunks do not divide {:.0f} B", algorithm_.chunks, bytes);
    return needs_uniform_gpus(request, cluster);
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    return to_schedule(algorithm_, request, cluster, sms_);
  }

private:
  Algorithm algorithm_;
  int sms_;
};

} // namespace

StrategyInfo file_strategy(const std::string& path) {
  return {path,
          "MSCCL algorithm file",
          {{"sms", "1", "SMs of each thread block"}},
          [path](const Parameters& parameters) { return std::make_unique<FileStrategy>(path, parameters); }};
}

} // namespace tandem::collective::msccl
