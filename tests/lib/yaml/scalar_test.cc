#include <gtest/gtest.h>

#include <string>

#include "lib/yaml/node.h"

namespace twofold::yaml {
namespace {

/// What the text stands for, as JSON.
std::string Read(const std::string& text) { return ToText(ToJson({PlainScalar(text), {}})); }

TEST(PlainScalar, NullTrueAndFalseHaveThreeSpellings) {
  for (const char* text : {"", "~", "null", "Null", "NULL"}) EXPECT_EQ(Read(text), "null") << text;
  for (const char* text : {"true", "True", "TRUE"}) EXPECT_EQ(Read(text), "true");
  for (const char* text : {"false", "False", "FALSE"}) EXPECT_EQ(Read(text), "false");
}

TEST(PlainScalar, ReadsNumbers) {
  EXPECT_EQ(Read("0"), "0");
  EXPECT_EQ(Read("-12"), "-12");
  EXPECT_EQ(Read("+12"), "12");
  EXPECT_EQ(Read("0x1F"), "31");
  EXPECT_EQ(Read("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(Read("9223372036854775808"), "9.223372036854776e+18");
  EXPECT_EQ(Read("0.25"), "0.25");
  EXPECT_EQ(Read(".5"), "0.5");
  EXPECT_EQ(Read("-1e3"), "-1000.0");
}

TEST(PlainScalar, LeavesWhatReadersDisagreeAboutAsText) {
  for (const char* text :
       {"010",   "-010",  "0o10", "00",   "1:30", ".inf", "-.INF", ".nan",     "inf", "nan",
        "1_000", "1e999", "0x",   "0x-1", "+-5",  "--5",  "-",     "+",        ".",   "1K",
        "30s",   "yes",   "no",   "on",   "off",  "tRue", "1.2.3", "127.0.0.1"}) {
    EXPECT_EQ(Read(text), '"' + std::string(text) + '"');
  }
}

}  // namespace
}  // namespace twofold::yaml
