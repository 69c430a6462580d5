// What the strategies for a collective on its own have in common: no GEMM to fuse with, and a list of operations.
#pragma once

#include "collective/blocks.h"
#include "collective/parameters.h"

#include <string>
#include <vector>

namespace tandem::collective {

class PlainStrategy : public Strategy {
public:
  /// `parameters` has `sms`, and `kinds` is what the strategy does.
  PlainStrategy(std::string name, std::vector<model::CollectiveKind> kinds, const Parameters& parameters);
  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override;

protected:
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The communication kernel's SMs, shared evenly by `flows` that run side by side.
  [[nodiscard]] Mover mover(const Composer& composer, int flows = 1, std::uint16_t channel = 0) const;

private:
  std::string name_;
  std::vector<model::CollectiveKind> kinds_;
  int sms_;
};

/// The parameter `sms`, which all of them have.
Parameter sms_of_collective();
/// The parameter `chunks`, of those that pipeline.
Parameter chunks_of_pipeline();
constexpr int MOST_CHUNKS = 4096;

/// Pieces [first, first + count) of the payload.
struct Part {
  std::uint32_t first = 0, count = 0;
};
/// Part `index` of `parts` that are as even as they come.
Part even_part(Part whole, int index, int parts);

/// Makes a finished own part of LOCAL part of the RESULT: the same memory, so that it costs nothing.
OpId append_in_place(Composer& composer, Span span, const std::vector<OpId>& after);

} // namespace tandem::collective
