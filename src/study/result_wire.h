// Carries an answer from the process that simulated it to the one that compares: exact, both ways.
#pragma once

#include "model/result.h"

#include <string>

namespace tandem::study {

struct Answer {
  model::CaseResult result;
  int ranks = 0;
  std::vector<std::vector<model::RankItem>> items; ///< [item][rank], as ops only for a timeline
  std::vector<model::OpRecord> ops;
};

std::string to_wire(const Answer& answer);
/// Throws Bug on text that to_wire() did not make.
Answer from_wire(const std::string& text);

} // namespace tandem::study
