// The conservation checks of every result. A failure is a bug of Tandem: the caller throws base::Bug with the lines.
#pragma once

#include "model/recording.h"
#include "model/result.h"
#include "model/train_result.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tandem::report {

/// One line per check that failed, empty when all hold:
/// - per rank and item, compute + exposed + idle = end - begin, to 1e-9;
/// - the case's own compute + exposed + idle = time_s, to 1e-9, except for ideal bounds;
/// - the sum of bytes on links = the sum of message bytes x links of their routes, to 1e-9;
/// - no link carries more than its bandwidth allows in time_s;
/// - time_s is not below lower_bound_s;
/// - DRAM bytes, of each rank and of the case, are finite and not negative.
std::vector<std::string> failed_checks(const model::Recording& recording, const model::CaseResult& result);

/// The same of a training iteration:
/// - compute + exposed + bubble + optimizer + other = iteration, of each stage and of the mean over the ranks, to 1e-9;
/// - every stage has given back its activations and buffers;
/// - bytes on links, as above; the iteration is not below lower_bound_s.
std::vector<std::string> failed_checks(const model::Recording& recording, const model::TrainCase& result);

/// What the user reads when failed_checks() found nothing in `results` results.
std::string checks_line(std::size_t results);

} // namespace tandem::report
