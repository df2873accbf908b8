#include "lib/cluster/succession.h"

#include <gtest/gtest.h>

namespace twofold::cluster {
namespace {

TEST(Succession, GoesToTheMemberWithTheFewestPartitions) {
  Succession able({"ann", "bob"}, {{.number = 0, .epoch = 1, .owner = "ann"}});
  EXPECT_EQ(able.Take({.number = 1}), "bob");
  EXPECT_EQ(able.Take({.number = 2}), "ann") << "of equals the first by name";
  EXPECT_EQ(able.Take({.number = 3}), "bob");
}

TEST(Succession, NamedNextOwnerComesFirst) {
  Succession able({"ann", "bob"}, {{.number = 0, .epoch = 1, .owner = "bob"}});
  EXPECT_EQ(able.Take({.number = 1, .next = "bob"}), "bob");
}

TEST(Succession, NextOwnerOfARowThatHasBeenTakenMeansNothing) {
  Succession able({"ann", "bob"}, {});
  EXPECT_EQ(able.Take({.number = 1, .owner = "dead", .next = "bob"}), "ann");
}

TEST(Succession, NextOwnerThatIsNotAbleIsPassedOver) {
  Succession able({"ann"}, {});
  EXPECT_EQ(able.Take({.number = 1, .next = "bob"}), "ann");
}

TEST(Succession, NobodyIsAble) {
  Succession able({"ann"}, {});
  able.Exclude("ann");
  EXPECT_FALSE(able.IsAble("ann"));
  EXPECT_EQ(able.Take({.number = 1}), "");
}

}  // namespace
}  // namespace twofold::cluster
