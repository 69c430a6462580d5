// Text tables: alignment, shortening of the last column alone, colour, wrapping.
#include "report/table.h"

#include "base/error.h"

#include <gtest/gtest.h>

namespace tandem::report {
namespace {

Table sample() {
  Table table({{"name"}, {"count", Align::RIGHT}, {"note"}});
  table.add({"a", "12", "short"});
  table.add({"longer", "3", "a rather long remark"});
  return table;
}

TEST(Table, AlignsColumnsAndTrimsLines) {
  EXPECT_EQ(sample().text({0, 2, false}), "  name    count  note\n"
                                          "  ------  -----  --------------------\n"
                                          "  a          12  short\n"
                                          "  longer      3  a rather long remark\n");
}

TEST(Table, OnlyTheLastColumnGivesWay) {
  // 2 + 6 + 2 + 5 + 2 = 17 characters before the last column: 12 of 29 remain.
  EXPECT_EQ(sample().text({29, 2, false}), "  name    count  note\n"
                                           "  ------  -----  ------------\n"
                                           "  a          12  short\n"
                                           "  longer      3  a rather ...\n");
  // Never narrower than its header.
  EXPECT_EQ(sample().text({10, 2, false}), "  name    count  note\n"
                                           "  ------  -----  ----\n"
                                           "  a          12  s...\n"
                                           "  longer      3  a...\n");
}

TEST(Table, CountsCharactersNotBytes) {
  Table table({{"x"}, {"y"}});
  table.add({"\xC3\xA9\xC3\xA9", "1"}); // two accented letters
  table.add({"abc", "2"});
  EXPECT_EQ(table.text({0, 0, false}), "x    y\n---  -\n\xC3\xA9\xC3\xA9   1\nabc  2\n");
  EXPECT_EQ(table.width(0), 6U);
}

TEST(Table, ColourOnlyWhenAsked) {
  Table table({{"x"}});
  table.add({{"fast", Tint::GREEN}});
  EXPECT_EQ(table.text({0, 0, false}), "x\n----\nfast\n");
  EXPECT_EQ(table.text({0, 0, true}), "\x1b[1mx\x1b[0m\n\x1b[2m----\x1b[0m\n\x1b[32mfast\x1b[0m\n");
}

TEST(Table, RefusesARowOfAnotherLength) {
  Table table({{"x"}, {"y"}});
  EXPECT_THROW(table.add({"1"}), base::Bug);
}

TEST(Wrapped, BreaksAtSpacesAndHangs) {
  EXPECT_EQ(wrapped("one two three", {9, 2, false}, 2), "  one two\n    three\n");
  EXPECT_EQ(wrapped("unbreakable", {5, 0, false}), "unbreakable\n");
  EXPECT_EQ(wrapped("no limit at all", {0, 1, false}), " no limit at all\n");
}

} // namespace
} // namespace tandem::report
