// Files of communication libraries: what is read, written, and refused with its line.
#include "platform/libraries.h"

#include "base/error.h"
#include "temporary_files.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::platform {
namespace {

using testing::HasSubstr;
using tests::TextFile;

const std::string FOLDER = TANDEM_SOURCE_DIR "/platforms/libraries";

std::string error_of(const std::string& text) {
  try {
    read_library(TextFile("a.yaml", text).path());
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

const std::string GOOD = "name: a\n"
                         "source: tests\n"
                         "host_issue: 4us\n"
                         "algorithms:\n"
                         "  ring:\n"
                         "    LL: {base: 7us, nvlink: {latency: 600ns, rate: 90GBps, wire_factor: 2}}\n";

TEST(Libraries, KeepWhatTheirFilesSay) {
  const auto library = read_library(TextFile("a.yaml", GOOD).path());
  EXPECT_DOUBLE_EQ(library->host_issue.value(), 4e-6);
  const auto* protocol = library->find("ring", "LL");
  ASSERT_NE(protocol, nullptr);
  EXPECT_DOUBLE_EQ(protocol->base.value(), 7e-6);
  const auto& hop = protocol->over(model::Medium::NVLINK);
  EXPECT_DOUBLE_EQ(hop.latency.value(), 6e-7);
  EXPECT_EQ(hop.rate.value(), 90e9);
  EXPECT_EQ(hop.wire_factor, 2.0);
  EXPECT_TRUE(hop.is_known);
  EXPECT_FALSE(protocol->over(model::Medium::PCIE).is_known);
  EXPECT_EQ(library->find("tree", "LL"), nullptr);
  // three messages share the rate, two of a card another
  EXPECT_EQ(protocol->shared_by(3, 2).over(model::Medium::NVLINK).rate.value(), 30e9);
}

TEST(Libraries, OfTheCatalogueReadBackAsTheyAreWritten) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(FOLDER)) {
    const auto library = read_library(file.path());
    EXPECT_EQ(library->name, file.path().stem());
    const auto text = library_text(*library);
    EXPECT_EQ(library_text(*read_library(TextFile("a.yaml", text).path())), text);
    ++count;
  }
  EXPECT_GE(count, 5);
  EXPECT_EQ(find_library("nccl-hopper", {FOLDER})->name, "nccl-hopper");
}

TEST(Libraries, RefuseWhatTheyDoNotKnow) {
  const auto with = [](const std::string& line) {
    return "name: a\nsource: b\nalgorithms:\n  ring:\n    " + line + "\n";
  };
  EXPECT_THAT(error_of("name: a\nsorce: b\n"), HasSubstr(":2:1: unknown key 'sorce' (did you mean 'source'?)"));
  EXPECT_THAT(error_of("name: a\nname: b\n"), HasSubstr("key 'name' is given twice"));
  EXPECT_THAT(error_of("name: a\n"), HasSubstr("needs 'name', 'source' and 'algorithms'"));
  EXPECT_THAT(error_of(with("LL: {base: 7}")), HasSubstr("base: "));
  EXPECT_THAT(error_of(with("LL: {nvlnk: {}}")), HasSubstr("unknown key 'nvlnk' (did you mean 'nvlink'?)"));
  EXPECT_THAT(error_of(with("LL: {nvlink: {wire_factor: 0.5}}")), HasSubstr("allowed: 1 or more"));
  EXPECT_THAT(error_of(with("LL: {nvlink: {rate: 5}}")), HasSubstr("rate: "));
  EXPECT_THAT(error_of(with("LL: 7us")), HasSubstr("a protocol is a map of keys"));
  EXPECT_THROW(find_library("nccl-hoper", {FOLDER}), base::UserError);
}

} // namespace
} // namespace tandem::platform
