#include "kubernetes/api/fields.h"

#include <gtest/gtest.h>

#include <chrono>

namespace twofold::kube {
namespace {

TEST(Fields, AreFoundByPathOrNotThere) {
  const Json object = {{"a", {{"b", "text"}, {"c", 3}}}};
  EXPECT_EQ(TextAt(object, "/a/b"), "text");
  EXPECT_EQ(TextAt(object, "/a/c"), "");
  EXPECT_EQ(At(object, "/a/b/c"), nullptr);
  EXPECT_EQ(At(object, "/x"), nullptr);
  EXPECT_EQ(*At(object, "/a/c"), 3);
  EXPECT_EQ(At(object, ""), &object);
}

TEST(Fields, TimesKeepTheirFraction) {
  using std::chrono::microseconds;
  using std::chrono::seconds;
  EXPECT_EQ(TimeOf("1970-01-01T00:01:00Z"), UnixTime(seconds(60)));
  EXPECT_EQ(TimeOf("1970-01-01T00:01:00.000001Z"), UnixTime(seconds(60) + microseconds(1)));
  EXPECT_EQ(TimeOf("1970-01-01T01:01:00+01:00"), UnixTime(seconds(60)));
}

TEST(Fields, TimesThatWereNeverSetAreNone) {
  for (const char* text : {"", "now", "0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z",
                           "2300-01-01T00:00:00Z", "infinite-future", "infinite-past"}) {
    EXPECT_EQ(TimeOf(text), std::nullopt) << text;
  }
  EXPECT_EQ(TimeAt(Json{{"time", 5}}, "/time"), std::nullopt);
}

TEST(Fields, LabelsAndConditionsOfOthersMayHaveAnyForm) {
  const Json object = {
      {"metadata", {{"labels", {{"run", "x"}, {"number", 1}}}}},
      {"status",
       {{"conditions", {1, {{"type", "Ready"}, {"status", "True"}}, {{"type", "Odd"}}}}}}};
  EXPECT_EQ(LabelOf(object, "run"), "x");
  EXPECT_EQ(LabelOf(object, "number"), "");
  EXPECT_EQ(LabelOf(Json{{"metadata", {{"labels", "x"}}}}, "run"), "");
  EXPECT_TRUE(IsTrue(FindCondition(object, "Ready")));
  EXPECT_FALSE(IsTrue(FindCondition(object, "Odd")));
  EXPECT_EQ(FindCondition(object, "None"), nullptr);
  EXPECT_FALSE(IsTrue(nullptr));
}

TEST(Fields, MemoryIsThatOfAllParts) {
  EXPECT_EQ(MemoryOf(Json(3)), 0U);
  EXPECT_GE(MemoryOf(Json(std::string(1000, 'x'))), 1000U);
  const Json object = {{"list", {std::string(500, 'x'), {{"key", std::string(500, 'x')}}}}};
  EXPECT_GE(MemoryOf(object), 1000U);
  EXPECT_LT(MemoryOf(object), 1500U);
}

}  // namespace
}  // namespace twofold::kube
