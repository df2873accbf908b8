#include "lib/cluster/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace twofold::cluster {
namespace {

using testing::HasSubstr;

std::string Complaint(const View& view) { return std::string(Check(view).message()); }

TEST(View, SaneRowsPass) {
  const View view{.members = {{.name = std::string(kLongestName, 'x'), .incarnation = 1}},
                  .partitions = {{.number = 255, .epoch = kHighestNumber - 1, .owner = "gone"}}};
  EXPECT_TRUE(Check(view).ok()) << Check(view);
}

TEST(View, TooManyMembers) {
  View view;
  for (std::size_t i = 0; i <= kMostMembers; ++i) {
    view.members.push_back({.name = std::to_string(i), .incarnation = 1});
  }
  EXPECT_EQ(Complaint(view), "table frontend has 257 rows; at most 256 are allowed");
}

TEST(View, ComplaintsNameRowAndField) {
  EXPECT_EQ(Complaint({.members = {{.name = "", .incarnation = 1}}}),
            "frontend \"\": name is empty");
  EXPECT_EQ(Complaint({.members = {{.name = "ann"}}}), "frontend \"ann\": incarnation is 0");
  EXPECT_EQ(Complaint({.members = {{.name = "ann", .incarnation = 1},
                                   {.name = "ann", .incarnation = 2}}}),
            "frontend \"ann\": the name is there twice");
  EXPECT_EQ(Complaint({.partitions = {{.number = 3}, {.number = 3}}}),
            "partition 3: the number is there twice");
  EXPECT_THAT(Complaint({.partitions = {{.number = 3, .epoch = kHighestNumber}}}),
              HasSubstr("partition 3: epoch is 4611686018427387904; it must be below"));
  EXPECT_THAT(Complaint({.partitions = {{.number = 3, .owner = std::string(254, 'x')}}}),
              HasSubstr("partition 3: owner has 254 bytes; at most 253"));
}

}  // namespace
}  // namespace twofold::cluster
