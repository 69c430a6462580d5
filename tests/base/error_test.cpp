// How the user's faults read: place, quotation, nearest word.
#include "base/error.h"

#include <gtest/gtest.h>
#include <string>

namespace tandem::base {
namespace {

TEST(Location, PrintsTheKnownPartsOnly) {
  EXPECT_EQ((Location{"a.xml", 3, 7}.text()), "a.xml:3:7");
  EXPECT_EQ((Location{"a.xml", 3, 0}.text()), "a.xml:3");
  EXPECT_EQ((Location{"a.xml", 0, 0}.text()), "a.xml");
  EXPECT_EQ((Location{"", 3, 7}.text()), "");
}

TEST(UserError, StartsWithItsPlace) {
  EXPECT_STREQ(UserError({"a.xml", 3, 7}, "unknown tag").what(), "a.xml:3:7: unknown tag");
  EXPECT_STREQ(UserError({}, "unknown tag").what(), "unknown tag");
}

TEST(InQuotes, EscapesAndClips) {
  EXPECT_EQ(in_quotes("ring"), "'ring'");
  EXPECT_EQ(in_quotes("a\nb\x7f"), "'a\\x0ab\\x7f'");
  EXPECT_EQ(in_quotes(std::string(81, 'x')), "'" + std::string(80, 'x') + "...'");
  // a character of two bytes that the clip would split is left out whole
  EXPECT_EQ(in_quotes(std::string(79, 'x') + "\xC3\xA9z"), "'" + std::string(79, 'x') + "...'");
}

TEST(Nearest, FindsWhatWasMeantAndNothingElse) {
  const std::vector<std::string> words = {"ring", "t3", "t3-mca", "direct"};
  EXPECT_EQ(nearest("rnig", words), "ring"); // two neighbours swapped
  EXPECT_EQ(nearest("RING", words), "ring");
  EXPECT_EQ(nearest("t3mca", words), "t3-mca");
  EXPECT_EQ(nearest("T3", words), "t3");
  EXPECT_EQ(nearest("t4", words), "t3"); // one letter of two
  EXPECT_EQ(nearest("x4", words), "");
  EXPECT_EQ(nearest("butterfly", words), "");
  EXPECT_EQ(nearest("", words), "");
  EXPECT_EQ(nearest("ring", {}), "");
}

TEST(UnknownWord, SaysWhatIsAllowed) {
  EXPECT_EQ(unknown_word("strategy", "rnig", {"ring", "t3"}),
            "unknown strategy 'rnig' (did you mean 'ring'?); allowed: ring, t3");
  EXPECT_EQ(unknown_word("strategy", "tree", {"ring", "t3"}), "unknown strategy 'tree'; allowed: ring, t3");
  EXPECT_EQ(unknown_word("key", "x", {}), "unknown key 'x'; allowed: none");
}

} // namespace
} // namespace tandem::base
