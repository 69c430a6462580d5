// What the strategies for a collective on its own have in common: no GEMM to fuse with, and a list of operations.
#pragma once

#include "collective/blocks.h"
#include "collective/parameters.h"

#include <array>
#include <string>
#include <vector>

namespace tandem::collective {

class PlainStrategy : public Strategy {
public:
  /// `parameters` has plain_parameters(), and `kinds` is what the strategy does. `costs`: the algorithm whose protocol
  /// costs it has where the library states none under its own name; empty: none. What a protocol takes to hand over a
  /// message belongs to the protocol and to the medium; the set-up before the first one is then that algorithm's too,
  /// and the schedule's protocol says whose costs it has, as "Simple of ring".
  PlainStrategy(std::string name, std::vector<model::CollectiveKind> kinds, const Parameters& parameters,
                std::string costs = {});
  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override;

protected:
  [[nodiscard]] const std::string& name() const { return name_; }
  /// As a library names it; empty: none.
  [[nodiscard]] const std::string& protocol() const { return protocol_; }
  /// The communication kernel's SMs, shared evenly by `flows` that run side by side.
  [[nodiscard]] Mover mover(const Composer& composer, int flows = 1, std::uint16_t channel = 0) const;
  /// Makes `composer` one kernel that follows the protocol, whose rate `flows` messages of a rank share, those through
  /// a NIC apart.
  void prepare(Composer& composer, const model::Cluster& cluster, int flows = 1, int network_flows = 1) const;

private:
  /// Null: the library has no costs of the protocol for this strategy.
  [[nodiscard]] const model::Protocol* find_costs(const model::Library& library) const;
  [[nodiscard]] std::string lacks_protocol(const Request& request, const model::Cluster& cluster) const;

  std::string name_;
  std::vector<model::CollectiveKind> kinds_;
  int sms_;
  std::string protocol_; ///< as a library names it; empty: none
  std::string costs_;
};

/// Empty when the protocol has costs for the ways between `ranks` GPUs, within a node and between nodes; else the
/// reason.
std::string lacks_medium(const model::Protocol& protocol, const model::Cluster& cluster, int ranks);

/// The parameters that all of them have, before `own`.
std::vector<Parameter> plain_parameters(const std::vector<Parameter>& own = {});
/// Values of the parameter `protocol` and the library's name for each; the first is none.
struct ProtocolName {
  const char* word;
  const char* name;
};
inline constexpr std::array PROTOCOLS{ProtocolName{"none", ""}, ProtocolName{"ll", "LL"},
                                      ProtocolName{"ll128", "LL128"}, ProtocolName{"simple", "Simple"}};
constexpr int MOST_CHUNKS = 4096;
/// How a pipeline cuts what goes through it.
struct PipelineCut {
  int chunks = 1;
  double smallest = 0.0; ///< bytes; of what is too little for `chunks` of them, all but the last have this size
};
/// The parameters `chunks` and `smallest_chunk` of those that pipeline, and their values.
std::vector<Parameter> pipeline_parameters(const std::vector<Parameter>& before = {});
PipelineCut pipeline_cut(const Parameters& parameters);

/// A payload that goes through pipelines side by side, an even share through each, for operations that do not ask which
/// rank owns a chunk of it: a part is one piece, and what is left of ranks x pieces_per_chunk pieces is empty and goes
/// with the last.
class PipelineParts {
public:
  PipelineParts(const model::CollectiveOp& op, int pipelines, PipelineCut cut);
  [[nodiscard]] std::uint32_t pieces_per_chunk() const { return pieces_per_chunk_; }
  [[nodiscard]] const std::vector<double>& piece_bytes() const { return piece_bytes_; }
  /// That follow each other through a pipeline.
  [[nodiscard]] int chunks() const { return chunks_; }
  /// In the program of `rank`.
  [[nodiscard]] Span span(const Composer& composer, int rank, int pipeline, int chunk) const;

private:
  int parts_, chunks_;
  std::uint32_t pieces_per_chunk_;
  std::vector<double> piece_bytes_;
};

/// Makes a finished own part of LOCAL part of the RESULT: the same memory, so that it costs nothing.
OpId append_in_place(Composer& composer, Span span, const std::vector<OpId>& after);

} // namespace tandem::collective
