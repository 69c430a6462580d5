// The points of a study: every combination of its axes as a command line, or the reason why there is none.
#pragma once

#include "study/sweep/study_file.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tandem::study {

constexpr std::size_t MOST_POINTS = 100'000;

struct StudyPoint {
  std::vector<std::string> inputs; ///< by Study::inputs, as text: words of a list between "; ", empty where absent
  std::vector<std::string> words;  ///< of the command line, from the command's name on; empty where there is a reason
  std::string reason;              ///< why the study itself rules the point out; empty: it does not
  /// "nodes 4, tp 8": the point's values of the axes.
  [[nodiscard]] std::string name(const Study& study) const;
};

/// What is wrong with a command line, for the user; empty: nothing.
using CheckWords = std::function<std::string(const std::vector<std::string>& words)>;

/// All points, the first axis varying slowest. A condition that does not hold, a derived value that is none (a division
/// with a rest), and one that its flag does not take, are reasons; anything else that is wrong is a UserError with the
/// place in the study. `extra` words are added to each command line.
std::vector<StudyPoint> make_points(const Study& study, const std::vector<std::string>& extra, const CheckWords& check);

/// The place in the study of the value that `message`, about the point's command line, speaks of, as far as it names
/// it.
base::Location place_of(const Study& study, const StudyPoint& point, const std::string& message);

/// Words as a shell reads them, in quotes where it needs them.
std::string shell_line(const std::vector<std::string>& words);

} // namespace tandem::study
