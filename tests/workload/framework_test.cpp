// Descriptions of frameworks: what a file may say, and how a wrong one is refused.
#include "base/error.h"
#include "temporary_files.h"
#include "workload/framework.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::workload {
namespace {

using ::testing::HasSubstr;

std::string message_of(const std::string& name, const std::vector<std::string>& folders = {}) {
  try {
    (void)find_framework(name, folders);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Framework, shipped_one_is_found_by_its_name) {
  const auto host = find_framework("pytorch-eager", {TANDEM_SOURCE_DIR "/platforms/frameworks"});
  EXPECT_EQ(host.name, "pytorch-eager");
  EXPECT_DOUBLE_EQ(host.kernel.value(), 31.4e-6); // the median of 24.3, 31.4 and 45.3 us
  EXPECT_DOUBLE_EQ(host.collective.value(), 86e-6);
  EXPECT_TRUE(host.issues());
}

TEST(Framework, unknown_name_is_refused_with_the_nearest) {
  EXPECT_THAT(message_of("pytorch-eagre", {TANDEM_SOURCE_DIR "/platforms/frameworks"}), HasSubstr("pytorch-eager"));
}

TEST(Framework, what_is_wrong_in_a_file_is_refused_with_its_place) {
  const std::string good = "name: mine\nsource: measured\nkernel_issue: 10us\ncollective_issue: 20us\n";
  const auto message = [](const std::string& text) {
    const tests::TextFile file("mine.yaml", text);
    return message_of(file.path());
  };
  EXPECT_EQ(message(good), "");
  EXPECT_THAT(message(good + "kernels: 3\n"), HasSubstr("mine.yaml:5:1"));
  EXPECT_THAT(message("name: mine\nsource: x\nkernel_issue: 10\ncollective_issue: 20us\n"), HasSubstr("mine.yaml:3"));
  EXPECT_THAT(message("name: mine\nsource: x\nkernel_issue: 10us\n"), HasSubstr("collective_issue"));
}

} // namespace
} // namespace tandem::workload
