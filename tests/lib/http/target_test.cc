#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/http/message.h"

namespace twofold::http {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST(ParseTarget, KeepsThePathEncodedAndDecodesTheQuery) {
  const Result<Target> target =
      ParseTarget("/jobs/a%2Fb?value=7&name=R%26D+x%2B&flag&empty=&e=a=b");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->path, "/jobs/a%2Fb");
  EXPECT_THAT(target->query,
              UnorderedElementsAre(Pair("value", "7"), Pair("name", "R&D x+"), Pair("flag", ""),
                                   Pair("empty", ""), Pair("e", "a=b")));
}

TEST(ParseTarget, AnEmptyQueryHasNoNames) {
  for (const char* text : {"/", "/?", "/?&&"}) {
    const Result<Target> target = ParseTarget(text);
    ASSERT_TRUE(target.ok()) << target.status();
    EXPECT_EQ(target->path, "/");
    EXPECT_THAT(target->query, IsEmpty());
  }
}

TEST(ParseTarget, RefusesWhatItWouldHaveToGuess) {
  for (const char* text : {"", "*", "x", "ftp://host/", "http:///", "http://", "http://user@host/",
                           "/%", "/%4", "/%zz", "/%-1", "/%0x", "/?a=%", "/?%4=b", "/?a=%+1",
                           "/?a=1&a=2", "/?a&a", "/?a=1&%61=2"}) {
    const Result<Target> target = ParseTarget(text);
    EXPECT_EQ(target.status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(ParseTarget, TakesTheAbsoluteForm) {
  const struct {
    const char* text;
    const char* authority;
    const char* path;
  } kCases[] = {{"http://host:9996/stats?type=plain", "host:9996", "/stats"},
                {"https://host/", "host", "/"},
                {"http://[::1]:9996", "[::1]:9996", "/"},
                {"http://host?type=plain", "host", "/"},
                {"/http://host/", "", "/http://host/"}};
  for (const auto& [text, authority, path] : kCases) {
    const Result<Target> target = ParseTarget(text);
    ASSERT_TRUE(target.ok()) << target.status();
    EXPECT_EQ(target->authority, authority) << text;
    EXPECT_EQ(target->path, path) << text;
  }
}

TEST(ParseTarget, SaysWhichNameIsGivenTwice) {
  EXPECT_THAT(std::string(ParseTarget("/?value=1&value=2").status().message()),
              HasSubstr("'value' is given twice"));
}

TEST(PercentDecode, DecodesEveryByteInBothCases) {
  EXPECT_EQ(*PercentDecode("%00%ff%FF+%25"), std::string("\0\xff\xff+%", 5));
}

}  // namespace
}  // namespace twofold::http
