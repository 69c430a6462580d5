// Strategies and requests that the tests share.
#include "every_strategy.h"

#include "base/error.h"

namespace tandem::collective {

std::vector<std::string> every_strategy() {
  std::vector<std::string> list;
  for (const auto& info : strategies())
    list.push_back(info.name);
  list.insert(list.end(), {
                              "sequential:algorithm=direct",
                              "sequential:sms=3",
                              "concurrent:sms=1:parts=5",
                              "concurrent:sms=2:data=independent",
                              "decomposed:mover=sm:sms=2",
                              "tile-fused:algorithm=direct",
                              "ring:channels=3:chunks=5",
                              "direct:window=3",
                              "tree:chunks=3",
                              "nvls:chunks=3",
                              "sharp:intra=ring:chunks=1",
                              "sharp:intra=nvls",
                              "hierarchical:intra=nvls:chunks=2",
                              "hierarchical:intra=direct:inter=direct",
                              "hierarchical:inter=tree:chunks=3",
                              "hierarchical:inter=halving-doubling",
                              "hierarchical:intra=direct:inter=halving-doubling:chunks=2",
                              "torus:split=1",
                              "torus:dims=4x2",
                              "torus:dims=2x4x8:split=1",
                              "t3:block=1",
                              "t3:block=7",
                              "t3:algorithm=direct",
                              "t3-mca:block=3",
                              "t3-mca:algorithm=direct",
                              "t3:algorithm=hierarchical",
                              "t3-mca:algorithm=hierarchical:intra=direct:inter=direct:block=2",
                              "sequential:algorithm=hierarchical:intra=direct",
                              "ring:channels=2+zfp:rate=8:threshold=0B",
                              "direct:window=3+mpc:threshold=100B:where=inline:memory=0",
                              "halving-doubling+zfp:threshold=0B:where=beside",
                              "sequential+zfp:threshold=0B",
                          });
  return list;
}

Request fused(int ranks, const model::Gemm& gemm) {
  return {{model::CollectiveKind::ALL_REDUCE, ranks, gemm.output()}, gemm};
}

Request gathered(int ranks, const model::Gemm& gemm) {
  const model::CollectiveOp op{.kind = model::CollectiveKind::ALL_GATHER, .ranks = ranks, .bytes = gemm.input()};
  return {.op = op, .producer = std::nullopt, .consumer = gemm};
}

Request plain(model::CollectiveKind kind, int ranks, double bytes) {
  return {{kind, ranks, model::Bytes(bytes)}, std::nullopt};
}

std::string error_of(const std::string& text) {
  try {
    (void)select_strategy(text);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "accepted";
}

} // namespace tandem::collective
