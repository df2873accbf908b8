#include "lib/h2/account.h"

#include <memory>
#include <string>
#include <vector>

#include "lib/h2/purse.h"
#include "tests/support/googletest.h"

namespace twofold::h2 {
namespace {

constexpr Budgets kBudgets{.connection = 100, .host = 150, .all = 200};

class AccountTest : public ::testing::Test {
 protected:
  /// An account whose end is noted by its name, and destroys it.
  Account& Open(const std::string& host, const std::string& name) {
    const std::size_t index = accounts_.size();
    accounts_.push_back(std::make_unique<Account>(ledger_, host, [=, this](std::string_view) {
      ended_.push_back(name);
      accounts_[index].reset();
    }));
    return *accounts_.back();
  }

  Ledger ledger_{kBudgets};
  std::vector<std::unique_ptr<Account>> accounts_;
  std::vector<std::string> ended_;
};

using Names = std::vector<std::string>;

TEST_F(AccountTest, WithinBudgetsNobodyEnds) {
  Open("a", "one").Charge(100);
  Open("a", "two").Charge(50);
  Open("b", "three").Charge(50);
  ledger_.Settle();
  EXPECT_EQ(ended_, Names());
  EXPECT_EQ(ledger_.held(), 200U);
}

TEST_F(AccountTest, OverdrawnConnectionEnds) {
  Open("a", "one").Charge(10);
  Account& two = Open("a", "two");
  two.Charge(101);
  EXPECT_TRUE(two.overdrawn());
  ledger_.Settle();
  EXPECT_EQ(ended_, Names({"two"}));
  EXPECT_EQ(ledger_.held(), 10U);
}

TEST_F(AccountTest, WhoGaveBackInTimeStays) {
  Account& one = Open("a", "one");
  one.Charge(101);
  one.Release(50);
  ledger_.Settle();
  EXPECT_EQ(ended_, Names());
}

TEST_F(AccountTest, LargestOfAnOverdrawnHostEnds) {
  Open("a", "one").Charge(60);
  Open("a", "two").Charge(70);
  Open("a", "three").Charge(30);
  Open("b", "other").Charge(1);
  ledger_.Settle();
  EXPECT_EQ(ended_, Names({"two"}));
  EXPECT_EQ(ledger_.held(), 91U);
}

TEST_F(AccountTest, ManySmallOnesThatBringNothingDoNotEndOneThatWorks) {
  Account& works = Open("a", "works");
  works.Charge(40);
  works.SetOfUse();
  Open("a", "new").Charge(29);
  for (const char* name : {"one", "two", "three"}) Open("a", name).Charge(30);
  ledger_.Settle();
  EXPECT_EQ(ended_, Names({"one"})) << "the oldest of the largest";
}

TEST_F(AccountTest, LargestEndsWhereThoseThatWorkHoldMost) {
  for (const char* name : {"one", "largest"}) {
    Account& works = Open("a", name);
    works.Charge(name[0] == 'o' ? 50 : 70);
    works.SetOfUse();
  }
  Open("a", "new").Charge(31);
  ledger_.Settle();
  EXPECT_EQ(ended_, Names({"largest"}));
}

TEST_F(AccountTest, LargestOfAllEndsWhenMemoryIsShort) {
  Open("a", "one").Charge(60);
  Open("b", "two").Charge(80);
  Open("c", "three").Charge(70);
  ledger_.Settle();
  EXPECT_EQ(ended_, Names({"two"}));
  EXPECT_EQ(ledger_.held(), 130U);
}

TEST_F(AccountTest, SmallOnesGoOneByOneUntilThereIsRoom) {
  for (int i = 0; i < 50; ++i) {
    Open("host" + std::to_string(i), std::to_string(i)).Charge(static_cast<std::size_t>(i));
  }
  ledger_.Settle();
  EXPECT_LE(ledger_.held(), 200U);
  EXPECT_EQ(ended_.front(), "49");
}

TEST_F(AccountTest, EndedAccountThatLivesOnNoLongerCounts) {
  std::unique_ptr<Account> kept;
  int ends = 0;
  kept = std::make_unique<Account>(ledger_, "a", [&ends](std::string_view) { ++ends; });
  kept->Charge(101);
  ledger_.Settle();
  kept->Charge(1000);
  ledger_.Settle();
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(ledger_.held(), 0U);
  kept->Release(1101);
  kept.reset();
  EXPECT_EQ(ledger_.held(), 0U);
}

TEST(PurseTest, FillsWithTimeAndProgress) {
  const Instant begin{};
  Purse purse(10, 2, begin);
  EXPECT_TRUE(purse.Pay(10, begin));
  EXPECT_FALSE(purse.Pay(1, begin));
  EXPECT_TRUE(purse.Pay(1, begin + std::chrono::seconds(1)));
  purse.Earn(5);
  EXPECT_TRUE(purse.Pay(5, begin + std::chrono::seconds(1)));
  EXPECT_TRUE(purse.Pay(10, begin + std::chrono::hours(1)));
  EXPECT_FALSE(purse.Pay(1, begin + std::chrono::hours(1))) << "it holds no more than its most";
}

}  // namespace
}  // namespace twofold::h2
