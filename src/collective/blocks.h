// Building blocks that strategies put together: a GEMM kernel, and the ring and direct phases of an all-reduce.
#pragma once

#include "collective/composer.h"
#include "collective/ring_place.h"
#include "model/gemm.h"

#include <vector>

namespace tandem::collective {

/// The rank that a ring in the order of the ranks sends to, as an offset.
constexpr int RING_NEXT = 1;

/// What a stage of a GEMM starts with: reads that must be in, then compute beside the other reads. Returns the end of
/// the compute.
OpId append_stage(Composer& composer, const model::Stage& stage, std::uint16_t label, const std::vector<OpId>& after);

/// A whole kernel on `sms` SMs: launch, then stage by stage read, compute, write. Its last operation makes `produces`
/// (count 0: nothing that the schedule follows). Returns the end of the kernel.
OpId append_gemm(Composer& composer, const model::Gemm& gemm, int sms, const std::string& name, Span produces,
                 const std::vector<OpId>& after);

/// The kernel that is next reads `span` of what a collective has brought into `source`: nothing is paid, but verify()
/// sees that it has come. STAGING then stands for what kernels have taken up.
OpId append_input(Composer& composer, const std::string& name, Span span, model::Sources source,
                  const std::vector<OpId>& after);

/// How a collective's data moves.
struct Mover {
  int sms = 0; ///< SMs of the communication kernel; 0: a copy engine, which cannot reduce
  std::uint16_t channel = 0;
};

/// Step `step` (0 .. ranks - 2) of a ring reduce-scatter: sends the piece that is due to the next rank's STAGING, with
/// `adds` the sum of it and of what came in before. Returns the arrival of the previous rank's.
OpId append_ring_step(Composer& composer, Mover mover, Slice slice, int step, bool adds, const std::vector<OpId>& after,
                      const RingPlace& ring = {});
/// Adds what came in to the own contribution, into LOCAL. Returns the end.
OpId append_add(Composer& composer, const std::string& name, int sms, Span span, const std::vector<OpId>& after);
/// Ring reduce-scatter by a kernel on SMs: read own and incoming, add, send; the last step adds into LOCAL. Returns the
/// end.
OpId append_ring_reduce_scatter(Composer& composer, Mover mover, Slice slice, const std::vector<OpId>& after,
                                const RingPlace& ring = {});
/// Ring reduce-scatter where the receiving memory adds: read, send, update. Returns the end.
OpId append_ring_reduce_scatter_near_memory(Composer& composer, Mover mover, const std::vector<OpId>& after);
/// Direct reduce-scatter by a kernel on SMs: every rank sends each chunk straight to its owner, which adds atomically.
/// Returns the end.
/// `window`: sends of a rank in flight at a time; 0: all.
OpId append_direct_reduce_scatter(Composer& composer, Mover mover, Slice slice, const std::vector<OpId>& after,
                                  int window = 0);
/// All-to-all of the chunks in LOCAL into RESULT, straight to their ranks, at most `window` at a time (0: all). Returns
/// the end.
OpId append_direct_all_to_all(Composer& composer, Mover mover, Slice slice, const std::vector<OpId>& after,
                              int window = 0);
/// Step `step` (0 .. ranks - 2) of a ring all-gather: sends on what came in last, at first the own chunk. Returns the
/// arrival of the previous rank's.
OpId append_ring_all_gather_step(Composer& composer, Mover mover, Slice slice, int step, const std::vector<OpId>& after,
                                 const RingPlace& ring = {});
/// Ring all-gather of the own chunk in LOCAL into RESULT of all. Returns the end.
OpId append_ring_all_gather(Composer& composer, Mover mover, Slice slice, const std::vector<OpId>& after,
                            const RingPlace& ring = {});
/// The same where `goal` is an all-reduce; nothing, and `reduced` is the end, where it is a reduce-scatter.
OpId append_rest_of_all_reduce(Composer& composer, model::CollectiveKind goal, Mover mover, Slice slice, OpId reduced);

} // namespace tandem::collective
