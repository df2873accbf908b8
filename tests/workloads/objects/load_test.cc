#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "workloads/objects/load/content.h"
#include "workloads/objects/load/names.h"
#include "workloads/objects/load/orders.h"
#include "workloads/objects/load/permutation.h"
#include "workloads/objects/load/random.h"
#include "workloads/objects/load/steady.h"
#include "workloads/objects/load/tally.h"

namespace twofold::objects {
namespace {

Spec SpecOf(const std::string& json) {
  const auto spec = suite::object_storage::ReadSpec(json);
  EXPECT_TRUE(spec.ok()) << spec.status();
  return spec.value_or(Spec());
}

std::string NameIn(const Names& names, std::uint64_t number) {
  std::string name;
  names.Append(number, name);
  return name;
}

std::vector<Order> All(Orders& orders, std::size_t most = 1000000) {
  std::vector<Order> all;
  while (all.size() < most) {
    const auto order = orders.Next();
    if (!order) break;
    all.push_back(*order);
  }
  return all;
}

TEST(Permutation, IsABijectionForEachSize) {
  for (const std::uint64_t n :
       {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 16U, 17U, 100U, 1000U, 1023U, 1024U, 1025U, 5000U}) {
    for (std::uint64_t key = 0; key < 5; ++key) {
      const Permutation order(n, key);
      std::vector<bool> seen(n);
      for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t at = order.At(i);
        ASSERT_LT(at, n);
        ASSERT_FALSE(seen[at]) << n << " " << key;
        seen[at] = true;
      }
    }
  }
}

TEST(Permutation, HundredMillionNamesTakeNoMemoryAndLittleTime) {
  constexpr std::uint64_t kNames = 100'000'000;
  const Permutation order(kNames, 7);
  std::set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 20000; ++i) seen.insert(order.At(i * 5000));
  EXPECT_EQ(seen.size(), 20000U);
  EXPECT_LT(*seen.rbegin(), kNames);
  EXPECT_LE(sizeof(order), 32U);
}

TEST(Permutation, NeighboursArePlacedIndependently) {
  constexpr std::uint64_t kNames = 100000;
  const Permutation order(kNames, 3);
  double rising = 0;
  for (std::uint64_t i = 1; i < kNames; ++i) rising += order.At(i) > order.At(i - 1) ? 1 : 0;
  EXPECT_NEAR(rising / kNames, 0.5, 0.01);
}

TEST(Orders, LoadersThatSplitTheNamesReadEachExactlyOnceAnEpoch) {
  constexpr std::uint64_t kNames = 1003;
  std::map<std::uint64_t, int> reads;
  for (int loader = 0; loader < 4; ++loader) {
    const Spec spec = SpecOf(R"({"bucket": "b", "objects": 1003, "epochs": 3, "nodecount": 4,
        "loaderid": ")" + std::to_string(loader) +
                             "\"}");
    Orders orders(LoadOf(spec, kNames));
    for (const Order& order : All(orders)) ++reads[order.name];
    EXPECT_EQ(orders.Why(), "epochs");
    EXPECT_EQ(orders.EpochsDone(), 3U);
  }
  EXPECT_EQ(reads.size(), kNames);
  EXPECT_TRUE(
      std::all_of(reads.begin(), reads.end(), [](auto& entry) { return entry.second == 3; }));
}

TEST(Orders, LoadersThatDoNotSplitReadAllNamesEachInItsOwnOrder) {
  std::vector<std::vector<std::uint64_t>> read(2);
  for (std::size_t loader = 0; loader < 2; ++loader) {
    const Spec spec = SpecOf(R"({"bucket": "b", "objects": 50, "epochs": 1, "nodecount": 2,
        "partition": "all", "loaderid": ")" +
                             std::to_string(loader) + "\"}");
    Orders orders(LoadOf(spec, 50));
    for (const Order& order : All(orders)) read[loader].push_back(order.name);
  }
  EXPECT_NE(read[0], read[1]);
  std::sort(read[0].begin(), read[0].end());
  std::sort(read[1].begin(), read[1].end());
  EXPECT_EQ(read[0].size(), 50U);
  EXPECT_EQ(read[0], read[1]);
}

TEST(Orders, EachEpochHasAnOrderOfItsOwn) {
  Orders orders(LoadOf(SpecOf(R"({"bucket": "b", "objects": 100, "epochs": 2})"), 100));
  const auto all = All(orders);
  ASSERT_EQ(all.size(), 200U);
  const auto same = [](const Order& a, const Order& b) { return a.name == b.name; };
  EXPECT_FALSE(std::equal(all.begin(), all.begin() + 100, all.begin() + 100, same));
}

TEST(Orders, SharesAreThoseAskedForAndIndependentOfEachOther) {
  const Spec spec = SpecOf(R"({"bucket": "b", "objects": 1000, "pctput": 30, "pcthead": 10,
      "pctupdate": 20, "pctmultipart": 50, "multipart-chunks": 3, "protocol": "s3"})");
  Orders orders(LoadOf(spec, 1000));
  std::map<Op, double> count;
  double updates = 0;
  for (const Order& order : All(orders, 100000)) {
    count[order.op] += 1;
    updates += order.update ? 1 : 0;
  }
  EXPECT_NEAR(count[Op::kPut] + count[Op::kMultipart], 30000, 600);
  EXPECT_NEAR(count[Op::kMultipart], 15000, 500);
  EXPECT_NEAR(count[Op::kHead], 10000, 400);
  EXPECT_NEAR(updates / count[Op::kGet], 0.20, 0.01);
}

TEST(Orders, AllFollowsFromTheSeed) {
  const auto plan = [](int seed) {
    Orders orders(LoadOf(SpecOf(R"({"bucket": "b", "objects": 100, "pctput": 50, "seed": )" +
                                std::to_string(seed) + "}"),
                         100));
    std::string text;
    for (const Order& order : All(orders, 500)) {
      text +=
          NameOf(order.op) + std::to_string(order.name) + ":" + std::to_string(order.size) + " ";
    }
    return text;
  };
  EXPECT_EQ(plan(5), plan(5));
  EXPECT_NE(plan(5), plan(6));
}

TEST(Orders, LimitsOfPutsAndBytesAreOfAllLoadersTogether) {
  std::size_t puts = 0;
  std::uint64_t bytes = 0;
  for (int loader = 0; loader < 3; ++loader) {
    const std::string id = R"(, "nodecount": 3, "loaderid": ")" + std::to_string(loader) + "\"}";
    Orders by_count(LoadOf(SpecOf(R"({"bucket": "b", "pctput": 100, "maxputs": 1000)" + id), 0));
    puts += All(by_count).size();
    EXPECT_EQ(by_count.Why(), "maxputs");
    Orders by_bytes(LoadOf(
        SpecOf(R"({"bucket": "b", "pctput": 100, "minsize": "1K", "totalputsize": "300K")" + id),
        0));
    for (const Order& order : All(by_bytes)) bytes += order.size;
    EXPECT_EQ(by_bytes.Why(), "totalputsize");
  }
  EXPECT_EQ(puts, 1000U);
  EXPECT_EQ(bytes, 300U << 10);
}

TEST(Orders, ReadsOfARunWithoutNamesAreOfWhatItHasPut) {
  Orders orders(LoadOf(SpecOf(R"({"bucket": "b", "pctput": 50, "pctdelete": 20})"), 0));
  std::set<std::uint64_t> there;
  for (int i = 0; i < 20000; ++i) {
    const auto order = orders.Next();
    ASSERT_TRUE(order);
    if (order->op == Op::kPut) {
      there.insert(order->name);
    } else {
      ASSERT_TRUE(there.contains(order->name)) << NameOf(order->op) << i;
    }
    if (order->op == Op::kDelete) there.erase(order->name);
    orders.Ended(*order, true);
  }
}

TEST(Orders, WhatIsBeingReadIsSparedByDeletesAndHoldsUpNoOther) {
  Orders orders(LoadOf(SpecOf(R"({"bucket": "b", "pctput": 50, "pctdelete": 30})"), 0));
  std::optional<Order> slow;
  for (int i = 0; i < 2000; ++i) {
    const auto order = orders.Next();
    if (!slow && order->op == Op::kGet) {
      slow = order;
      continue;
    }
    ASSERT_TRUE(order->op != Op::kDelete || order->name != slow->name);
    orders.Ended(*order, true);
  }
  EXPECT_GT(orders.deleted(), 500U);
  EXPECT_EQ(orders.spared(), std::set<std::uint64_t>{slow->name});
}

TEST(Orders, WrittenEndsBeforeThePutThatFailed) {
  Orders orders(LoadOf(SpecOf(R"({"bucket": "b", "pctput": 100})"), 0));
  for (const Order& order : All(orders, 10)) orders.Ended(order, order.name != 6);
  EXPECT_EQ(orders.ObjectsWritten(), 6U);
}

TEST(Arrivals, ConstantOnesAreEquallySpacedAndPoissonOnesAreExponential) {
  Arrivals constant(1000, false, 1);
  EXPECT_EQ(constant.Next(), Duration::zero());
  EXPECT_EQ(constant.Next(), Duration(std::chrono::milliseconds(1)));
  Arrivals poisson(1000, true, 1);
  Duration last{};
  double sum = 0;
  double squares = 0;
  constexpr int kCount = 50000;
  for (int i = 0; i < kCount; ++i) {
    const Duration next = poisson.Next();
    ASSERT_GE(next, last);
    const double gap = ToSeconds(next - std::exchange(last, next));
    sum += gap;
    squares += gap * gap;
  }
  const double mean = sum / kCount;
  EXPECT_NEAR(mean, 0.001, 0.00003);
  EXPECT_NEAR(std::sqrt(squares / kCount - mean * mean) / mean, 1,
              0.03);  // as exponential gaps have
}

TEST(Sizes, AreInRangeAndSpreadAsAsked) {
  for (const std::string how : {"uniform", "log"}) {
    Orders orders(LoadOf(SpecOf(R"({"bucket": "b", "pctput": 100, "minsize": "1K", "maxsize": "1M",
        "sizes": ")" + how + "\"}"),
                         0));
    std::vector<std::uint64_t> sizes;
    for (const Order& order : All(orders, 20000)) sizes.push_back(order.size);
    std::sort(sizes.begin(), sizes.end());
    EXPECT_GE(sizes.front(), 1024U);
    EXPECT_LE(sizes.back(), 1048576U);
    const double median = static_cast<double>(sizes[10000]) / 1024;
    EXPECT_NEAR(median, how == "log" ? 32 : 512, how == "log" ? 2 : 15);
  }
}

TEST(Names, AreThirtyTwoLettersThatFollowFromSeedAndNumber) {
  const Names names(SpecOf(R"({"bucket": "b", "pctput": 100})"));
  std::set<std::string> all;
  for (std::uint64_t i = 0; i < 1000; ++i) all.insert(NameIn(names, i));
  EXPECT_EQ(all.size(), 1000U);
  EXPECT_EQ(all.begin()->size(), 32U);
  EXPECT_TRUE(all.contains(NameIn(Names(SpecOf(R"({"bucket": "c", "pctput": 0})")), 17)));
  EXPECT_FALSE(all.contains(NameIn(Names(SpecOf(R"({"bucket": "b", "seed": 2})")), 17)));
}

TEST(Names, HaveFoldersAndTheLoaderInTheirLastDigits) {
  const Names plain(SpecOf(R"({"bucket": "b", "subdir": "run/1", "num-subdirs": 16,
      "randomname": false})"));
  EXPECT_EQ(NameIn(plain, 0x123), "run/1/00003/123");
  const Names of_many(SpecOf(R"({"bucket": "b", "loadernum": 20, "loaderid": "7"})"));
  EXPECT_EQ(NameIn(of_many, 20 * 0x5 + 7), "507");  // 20 loaders have two digits
}

TEST(Names, OfAllLoadersDifferAndAreEnumeratedByNumber) {
  const Names names(SpecOf(R"({"bucket": "b", "loadernum": 17, "randomname": false})"));
  std::set<std::string> all;
  for (std::uint64_t i = 0; i < 5000; ++i) all.insert(NameIn(names, i));
  EXPECT_EQ(all.size(), 5000U);
}

TEST(Names, OfAFilelistAreItsLinesWithTheirBlanks) {
  const auto names = NamesIn(
      "\xEF\xBB\xBF"
      "a/b\nwith blank\r\n\n \n c\td\n");
  ASSERT_TRUE(names.ok());
  EXPECT_EQ(*names, (std::vector<std::string>{"a/b", "with blank", " c\td"}));
  EXPECT_FALSE(NamesIn("\n \n").ok());
}

TEST(Content, AnyPartOfItIsKnown) {
  const Content content(1, "name");
  std::string whole(10000, '\0');
  content.Fill(0, whole);
  for (const std::size_t at : {0U, 1U, 7U, 8U, 9U, 4095U, 9999U}) {
    std::string part(std::min<std::size_t>(1001, whole.size() - at), '\0');
    content.Fill(at, part);
    EXPECT_EQ(part, whole.substr(at, part.size()));
    EXPECT_TRUE(content.Matches(at, part));
    part.back() = static_cast<char>(part.back() ^ 1);
    EXPECT_FALSE(content.Matches(at, part));
  }
  EXPECT_FALSE(Content(1, "other").Matches(0, whole));
  EXPECT_FALSE(Content(2, "name").Matches(0, whole));
}

TEST(Steady, NeedsAWholeTimeOfSecondsThatAreAlike) {
  Steady steady(3, 10);
  EXPECT_FALSE(steady.Add(100));
  EXPECT_FALSE(steady.Add(101));
  EXPECT_TRUE(steady.Add(99));
  EXPECT_FALSE(steady.Add(150));
  EXPECT_FALSE(steady.Add(150));
  EXPECT_TRUE(steady.Add(150));
  Steady idle(2, 10);
  EXPECT_FALSE(idle.Add(0));
  EXPECT_FALSE(idle.Add(0));  // nothing at all is not steady
}

Outcome Ended(Instant when, std::uint64_t bytes) {
  return {.op = Op::kGet,
          .bytes = bytes,
          .ended = when,
          .first_byte = std::chrono::microseconds(100),
          .last_byte = std::chrono::microseconds(200)};
}

TEST(Tally, CountsOnlyWhatEndsInItsWindow) {
  const Instant from = Instant() + std::chrono::seconds(10);
  Tally tally(from, from + std::chrono::seconds(2));
  tally.Add(Ended(from - Duration(1), 1), true);
  tally.Add(Ended(from, 10), true);
  tally.Add(Ended(from + std::chrono::seconds(1), 100), false);
  tally.Add(Ended(from + std::chrono::seconds(2), 1000), true);
  const OpTally& get = *tally.ops[0];
  EXPECT_EQ(get.count, 2U);
  EXPECT_EQ(get.bytes, 110U);
  EXPECT_EQ(get.full_bytes, 10U);
  ASSERT_EQ(get.seconds.size(), 2U);
  EXPECT_EQ(get.seconds[1].bytes, 100U);
}

TEST(Tally, MergedIsAsIfOneHadCountedAll) {
  const Instant from{};
  const Instant to = from + std::chrono::seconds(100);
  Tally one(from, to), two(from, to), all(from, to);
  for (int i = 0; i < 1000; ++i) {
    Outcome outcome = Ended(from + std::chrono::milliseconds(i * 50), 10);
    outcome.last_byte = std::chrono::microseconds(i);
    if (i % 10 == 0) outcome.failure = Failure{503, "SlowDown", "x"};
    (i % 3 == 0 ? one : two).Add(outcome, true);
    all.Add(outcome, true);
  }
  one.Merge(two);
  v1::suites::ObjectStorageReport merged, expected;
  const Load load = LoadOf(SpecOf(R"({"bucket": "b"})"), 1);
  Report(one, load, merged);
  Report(all, load, expected);
  EXPECT_EQ(merged.DebugString(), expected.DebugString());
  EXPECT_EQ(expected.failures(0).count(), 100U);
}

TEST(Tally, ARequestThatWasPlannedIsInOneNumberOnly) {
  const Instant from = Instant() + std::chrono::hours(1);
  const auto at = [&](int seconds) { return from + std::chrono::seconds(seconds); };
  Tally tally(from, at(10));
  const auto ended = [&](int planned, int end) {
    Outcome outcome;
    outcome.ended = at(end);
    outcome.planned = at(end) - at(planned);
    tally.Add(outcome, true);
  };
  ended(-1, 1);  // planned in the warm-up
  ended(2, 5);
  tally.Open(Op::kGet, at(-3), at(10));
  tally.Open(Op::kGet, at(4), at(10));
  tally.Open(Op::kGet, at(10), at(10));  // not due before the end
  EXPECT_EQ(tally.ops[0]->count, 2U);
  EXPECT_EQ(tally.ops[0]->planned.Count(), 1U);
  EXPECT_EQ(tally.ops[0]->open.Count(), 1U);
  EXPECT_EQ(tally.ops[0]->open.Max(), std::chrono::seconds(6));
}

TEST(Tally, KindsOfFailuresAreBounded) {
  Tally tally(Instant(), Instant() + std::chrono::hours(1));
  for (int i = 0; i < 10000; ++i) {
    Outcome outcome = Ended(Instant(), 0);
    outcome.failure = Failure{500, "cause " + std::to_string(i), "x"};
    tally.Add(outcome, true);
  }
  EXPECT_LE(tally.failures.size(), 65U);
  EXPECT_EQ(tally.Totals().errors, 10000U);
}

}  // namespace
}  // namespace twofold::objects
