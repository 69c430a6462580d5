// Whole files: their bytes, their digest, and why they cannot be read.
#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "temporary_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace tandem::base {
namespace {

std::string message_of_reading(const std::string& path) {
  try {
    (void)read_text_file(path);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(ReadTextFile, ReturnsEveryByte) {
  const std::string bytes = std::string("a\r\n\0b", 5) + std::string(200000, 'x');
  const tests::TextFile file("some.bin", bytes);
  EXPECT_EQ(read_text_file(file.path()), bytes);
  EXPECT_EQ(digest_file(file.path()), digest(bytes));
}

TEST(ReadTextFile, SaysWhyNot) {
  EXPECT_THAT(message_of_reading("/nonexistent/a.yaml"), testing::HasSubstr("'/nonexistent/a.yaml': No such file"));
  EXPECT_THAT(message_of_reading("/"), testing::HasSubstr("directory"));
  EXPECT_THAT(message_of_reading(""), testing::HasSubstr("No such file"));
}

TEST(Digest, MatchesThePublishedVectors) {
  // vectors of the FNV authors for FNV-1a 64
  EXPECT_EQ(digest(""), "cbf29ce484222325");
  EXPECT_EQ(digest("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(digest("foobar"), "85944171f73967e8");
}

TEST(Log, GoesToStderrByLevel) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  log_info("hidden {}");
  log_warning("seen {}");
  set_log_level(LogLevel::QUIET);
  log_warning("hidden");
  log_error("bad");
  set_log_level(LogLevel::VERBOSE);
  log_info("told");
  set_log_level(LogLevel::NORMAL);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warning: seen {}\nerror: bad\ninfo: told\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

} // namespace
} // namespace tandem::base
