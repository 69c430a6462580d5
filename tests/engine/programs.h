// Hand-made schedules for the tests of the engine: one program per rank, spans of one piece.
#pragma once

#include "model/schedule.h"

#include <utility>
#include <vector>

namespace tandem::test {

/// A schedule of `programs`, one per rank, whose pieces have `piece_bytes` each. Its only label is "step".
inline model::Schedule schedule(std::vector<model::ProgramBuilder> programs, double piece_bytes = 1000.0) {
  model::Schedule made;
  made.strategy = "hand-made";
  made.ranks = static_cast<int>(programs.size());
  made.piece_bytes.assign(programs.size(), piece_bytes);
  made.labels = {"step"};
  for (auto& program : programs) {
    made.program_of.push_back(static_cast<std::uint32_t>(made.programs.size()));
    made.programs.push_back(program.build());
  }
  return made;
}

inline model::Schedule schedule(model::ProgramBuilder program) {
  std::vector<model::ProgramBuilder> one;
  one.push_back(std::move(program));
  return schedule(std::move(one));
}

/// `sm_seconds` of work on at most `sms` SMs.
inline model::Op sm_work(int sms, double sm_seconds) {
  return {.sms = static_cast<std::uint16_t>(sms), .sm_seconds = sm_seconds};
}

/// A memory access of `bytes`.
inline model::Op memory_work(double bytes, model::Stream stream = model::Stream::COMPUTE,
                             model::Access access = model::Access::READ) {
  return {.stream = stream, .traffic = {{model::Phase::OTHER, access, 0.0, model::Bytes(bytes)}}};
}

/// A transfer of one piece that touches no memory and needs no SM.
inline model::Op send_to(int offset, int channel = 0) {
  return {.kind = model::OpKind::TRANSFER,
          .stream = model::Stream::COMMUNICATION,
          .channel = static_cast<std::uint16_t>(channel),
          .peer = offset,
          .effect = {.span = {0, 1}}};
}

inline model::Op receive_from(int offset, int channel = 0) {
  return {.kind = model::OpKind::RECV,
          .stream = model::Stream::COMMUNICATION,
          .channel = static_cast<std::uint16_t>(channel),
          .peer = offset,
          .effect = {.span = {0, 1}}};
}

} // namespace tandem::test
