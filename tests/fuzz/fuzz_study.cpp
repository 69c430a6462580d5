// Fuzzes the reader of studies, its expressions, and the expansion into points.
#include "fuzz.h"
#include "study/sweep/study_points.h"

#include <algorithm>

namespace {

using Kind = tandem::study::FlagInfo::Kind;

constexpr std::size_t MOST_CHOICES = 100; ///< more points show nothing that fewer do not

const std::vector<tandem::study::CommandInfo>& commands() {
  static const std::vector<tandem::study::CommandInfo> table{{"train",
                                                              {{"nodes", "--nodes", Kind::VALUE},
                                                               {"tp", "--tp", Kind::VALUE},
                                                               {"model", "--model", Kind::VALUE},
                                                               {"quiet", "--quiet", Kind::SWITCH},
                                                               {"strategy", "--strategy", Kind::REPEATED},
                                                               {"set.device.sms", "--set", Kind::ASSIGNMENT},
                                                               {"workload", "", Kind::POSITIONAL}}}};
  return table;
}

void read(const std::string& text) {
  const auto study = tandem::study::parse_study(text, "study.yaml", commands());
  std::size_t choices = 1;
  for (const auto& axis : study.axes)
    choices *= std::min(axis.choices.size(), MOST_CHOICES + 1);
  if (choices > MOST_CHOICES)
    return;
  const auto points = tandem::study::make_points(study, {}, [](const auto&) { return std::string(); });
  tandem::fuzz::expect(points.size() == choices, "points are missing");
  for (const auto& point : points)
    tandem::fuzz::expect(point.words.empty() != point.reason.empty(), "neither a command line nor a reason");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(tandem::fuzz::text_of(data, size));
  tandem::fuzz::expect_answer_or_user_error([&text] { read(text); });
  return 0;
}
