// Decorates a strategy with a codec.
#include "collective/compressed_strategy.h"

#include "base/error.h"
#include "collective/compress.h"

#include <algorithm>
#include <utility>

namespace tandem::collective {

namespace {

class CompressedStrategy : public Strategy {
public:
  CompressedStrategy(std::string name, std::unique_ptr<Strategy> strategy, Codec codec)
      : name_(std::move(name)), strategy_(std::move(strategy)), codec_(std::move(codec)) {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (auto reason = strategy_->why_not(request, cluster); !reason.empty() || !request.producer)
      return reason; // no kernel is there that could store into a peer's memory
    return why_not_compressed(strategy_->plan(request, cluster));
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    const auto bare = strategy_->plan(request, cluster);
    if (const auto reason = why_not_compressed(bare); !reason.empty())
      throw base::Infeasible("strategy " + name_ + " cannot do it: " + reason);
    auto schedule = compressed(bare, codec_, *cluster.gpus.front().device);
    schedule.strategy = name_;
    return schedule;
  }

private:
  std::string name_;
  std::unique_ptr<Strategy> strategy_;
  Codec codec_;
};

} // namespace

Selection with_codec(Selection selection, CodecSelection codec) {
  selection.name += "+" + codec.name;
  for (const auto& [key, value] : codec.parameters)
    selection.parameters[codec.name + "." + key] = value;
  for (const auto& key : codec.given)
    selection.given.push_back(codec.name + "." + key);
  selection.assumed.insert(selection.assumed.end(), codec.assumed.begin(), codec.assumed.end());
  selection.error = codec.codec.error;
  selection.wire_factor *= std::min(1.0, 1.0 / codec.codec.ratio);
  selection.strategy = std::make_unique<CompressedStrategy>(selection.name, std::move(selection.strategy), codec.codec);
  return selection;
}

} // namespace tandem::collective
