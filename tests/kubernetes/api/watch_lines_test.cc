#include "kubernetes/api/watch_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twofold::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

Instant At(int ms) { return Instant(std::chrono::milliseconds(ms)); }

std::vector<std::pair<std::string, Instant>> Cut(
    const std::vector<std::pair<std::string, int>>& pieces) {
  LineSplitter splitter(100);
  std::vector<Line> lines;
  for (const auto& [bytes, ms] : pieces) EXPECT_TRUE(splitter.Append(bytes, At(ms), lines).ok());
  std::vector<std::pair<std::string, Instant>> cut;
  for (const Line& line : lines) cut.emplace_back(line.text, line.arrived);
  return cut;
}

TEST(WatchLines, ALineHasTheTimeOfItsFirstByte) {
  EXPECT_THAT(Cut({{"ab", 1}, {"c\nd", 2}, {"\n\ne\nf", 3}}),
              ElementsAre(Pair("abc", At(1)), Pair("d", At(2)), Pair("e", At(3))));
}

TEST(WatchLines, WhatHasNoEndIsNoLine) { EXPECT_THAT(Cut({{"abc", 1}}), ElementsAre()); }

TEST(WatchLines, LongLinesAreRefusedBeforeTheyEnd) {
  LineSplitter splitter(10);
  std::vector<Line> lines;
  EXPECT_TRUE(splitter.Append("0123456789\n", At(1), lines).ok());
  EXPECT_TRUE(splitter.Append("01234", At(1), lines).ok());
  EXPECT_EQ(splitter.Append("567890", At(2), lines).code(), absl::StatusCode::kResourceExhausted);
}

TEST(WatchLines, TheTypeIsFoundWhereverItStands) {
  EXPECT_EQ(TypeOf(R"({"type":"ADDED","object":{}})"), "ADDED");
  EXPECT_EQ(TypeOf(R"({"object":{}, "type": "DELETED"})"), "DELETED");
  EXPECT_EQ(TypeOf(R"({"type":"ADD)"), "");
  EXPECT_EQ(TypeOf("nonsense"), "");
  EXPECT_EQ(TypeOf(R"({"type":7})"), "");
}

TEST(WatchLines, OnlyOneBookmarkEndsTheInitialEvents) {
  EXPECT_TRUE(EndsInitialEvents(
      Json::parse(R"({"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}})")));
  for (const char* other : {"null", "{}", R"({"metadata":{"annotations":{}}})",
                            R"({"metadata":{"annotations":{"k8s.io/initial-events-end":"no"}}})",
                            R"({"metadata":{"annotations":"text"}})"}) {
    EXPECT_FALSE(EndsInitialEvents(Json::parse(other))) << other;
  }
}

TEST(WatchLines, BrokenLinesHaveNoObject) {
  EXPECT_EQ(TextAt(ObjectOf(R"({"type":"ADDED","object":{"a":"b"}})"), "/a"), "b");
  for (const char* line : {"", "{", "[]", R"({"type":"ADDED"})"}) {
    EXPECT_TRUE(ObjectOf(line).is_null()) << line;
  }
}

}  // namespace
}  // namespace twofold::kube
