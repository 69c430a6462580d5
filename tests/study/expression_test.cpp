// The arithmetic of study files: binding as in Python, exact division, and every way to be wrong.
#include "study/sweep/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::study {
namespace {

using testing::HasSubstr;

const base::Location WHERE{"s.yaml", 3, 7};

ExpressionValue lookup(const std::string& name) {
  if (name == "nodes")
    return 6LL;
  if (name == "tp")
    return 4LL;
  if (name == "set.device.x")
    return 3LL;
  if (name == "strategy")
    return std::string("ring");
  if (name == "none")
    throw NoValue("none has no value");
  throw base::UserError(base::unknown_word("name", name, {"nodes", "tp", "strategy"}));
}

long long number(const std::string& text) {
  return std::get<long long>(Expression(text, WHERE).evaluate(lookup));
}

template <class Error> std::string message(const std::string& text) {
  try {
    (void)Expression(text, WHERE).evaluate(lookup);
  } catch (const Error& error) {
    return error.what();
  }
  return "no such error";
}

TEST(Expression, BindsAsInPython) {
  EXPECT_EQ(number("2 + 3 * 4"), 14);
  EXPECT_EQ(number("(2 + 3) * 4"), 20);
  EXPECT_EQ(number("20 - 3 - 2"), 15);          // from the left
  EXPECT_EQ(number("nodes * 8 / (tp * 2)"), 6); // 48 / 8
  EXPECT_EQ(number("-2 * -3"), 6);
  EXPECT_EQ(number("1 + 1 == 2 and not 1 > 2"), 1);
  EXPECT_EQ(number("0 and 1 or 1"), 1); // (0 and 1) or 1
  EXPECT_EQ(number("not 0 == 1"), 1);   // not (0 == 1)
  EXPECT_EQ(number("set.device.x"), 3);
}

/// Python's: -7 // 2 is -4 and -7 % 2 is 1.
TEST(Expression, RoundsDown) {
  EXPECT_EQ(number("7 // 2"), 3);
  EXPECT_EQ(number("-7 // 2"), -4);
  EXPECT_EQ(number("-7 % 2"), 1);
  EXPECT_EQ(number("7 % -2"), -1);
}

TEST(Expression, ChoosesAndCompares) {
  EXPECT_EQ(number("min(nodes, tp, 9)"), 4);
  EXPECT_EQ(number("max(nodes, tp)"), 6);
  EXPECT_EQ(number("if(nodes > tp, 1, 1 / 0)"), 1); // the other branch is not worked out
  EXPECT_EQ(number("strategy == 'ring'"), 1);
  EXPECT_EQ(number("strategy != \"tree\""), 1);
  EXPECT_EQ(std::get<std::string>(Expression("if(tp > 8, 'tree', strategy)", WHERE).evaluate(lookup)), "ring");
}

TEST(Expression, ARestIsNoValue) {
  EXPECT_EQ(message<NoValue>("nodes / tp"), "6 / 4 is not a whole number");
  EXPECT_EQ(message<NoValue>("nodes % 0"), "6 % 0");
  EXPECT_EQ(message<NoValue>("none + 1"), "none has no value");
}

TEST(Expression, MistakesHaveTheirPlace) {
  EXPECT_EQ(message<base::UserError>("node * 8"),
            "s.yaml:3:7: 'node * 8': unknown name 'node' (did you mean 'nodes'?); allowed: nodes, tp, strategy");
  EXPECT_THAT(message<base::UserError>("nodes *"),
              HasSubstr("found the end where a number, a name or '(' is expected"));
  EXPECT_THAT(message<base::UserError>("nodes tp"), HasSubstr("found 'tp' where an operator is expected"));
  EXPECT_THAT(message<base::UserError>("(nodes"), HasSubstr("where ')' is expected"));
  EXPECT_THAT(message<base::UserError>("1 < 2 < 3"), HasSubstr("'and' between two comparisons"));
  EXPECT_THAT(message<base::UserError>("floor(1)"), HasSubstr("unknown function 'floor'"));
  EXPECT_THAT(message<base::UserError>("strategy * 2"), HasSubstr("'ring' is a text"));
  EXPECT_THAT(message<base::UserError>("1.5"), HasSubstr("a whole number"));
  EXPECT_THAT(message<base::UserError>("'ring"), HasSubstr("a quote without its end"));
  EXPECT_THAT(message<base::UserError>("if(1, 2)"), HasSubstr("it takes three"));
}

TEST(Expression, NeverWrapsAndNeverNestsTooDeep) {
  EXPECT_THAT(message<base::UserError>("9223372036854775807 + 1"), HasSubstr("more than 64 bits"));
  EXPECT_THAT(message<base::UserError>("(-9223372036854775807 - 1) / -1"), HasSubstr("more than 64 bits"));
  EXPECT_THAT(message<base::UserError>("99999999999999999999"), HasSubstr("at most 64 bits"));
  EXPECT_THAT(message<base::UserError>(std::string(500, '(') + "1"), HasSubstr("nested more than"));
  EXPECT_THAT(message<base::UserError>(std::string(5000, '-') + "1"), HasSubstr("characters"));
}

TEST(Expression, TemplatesFillBraces) {
  const auto filled = [](const std::string& text) { return Template(text, WHERE).fill(lookup); };
  EXPECT_EQ(filled("platforms/t3-ring-{tp * 2}.xml"), "platforms/t3-ring-8.xml");
  EXPECT_EQ(filled("nodes * 2"), "12");
  EXPECT_EQ(filled("{nodes}x{tp}"), "6x4");
  EXPECT_THROW(filled("a{tp"), base::UserError);
  EXPECT_THROW(filled("a}"), base::UserError);
}

} // namespace
} // namespace tandem::study
