#include "cli/frontends/list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/frontends/lists.h"

namespace twofold::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

v1::Partition Busy(std::uint32_t number, const std::string& queue, std::uint64_t finished,
                   std::uint64_t epoch = 1) {
  v1::Partition partition = Part(number, queue, epoch);
  partition.set_waiting(2);
  partition.set_running(3);
  partition.set_worker_slots(5);
  partition.set_pending_bytes(100);
  partition.set_finished(finished);
  return partition;
}

TEST(FrontendRows, HaveSumsOverTheirQueues) {
  const show::Json rows = FrontendRows(ListOf({Named("a", {Busy(0, "x", 7), Busy(1, "y", 8)})}));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["name"], "a");
  EXPECT_EQ(rows[0]["state"], "serving");
  EXPECT_EQ(rows[0]["queues"], 2);
  EXPECT_EQ(rows[0]["waiting"], 4);
  EXPECT_EQ(rows[0]["running"], 6);
  EXPECT_EQ(rows[0]["worker_slots"], 10);
  EXPECT_EQ(rows[0]["pending_bytes"], 200);
  EXPECT_EQ(rows[0]["finished_per_second"], nullptr);
  EXPECT_EQ(rows[0]["trouble"], "");
  EXPECT_EQ(rows[0]["partitions"].size(), 2U);
}

TEST(FrontendRows, SayTheStateAndWhatIsWrong) {
  v1::Frontend drains = Named("a", {});
  drains.set_draining(true);
  v1::Frontend away = drains;
  away.set_away("does not answer");
  v1::Partition waits = Part(1, "x");
  waits.set_suspended(true);
  v1::Partition lost = Part(2, "y");
  lost.set_lost(true);
  lost.set_suspended(true);
  v1::Frontend troubled = Named("c", {waits, lost});
  troubled.set_store_trouble("connection refused");
  const show::Json rows = FrontendRows(ListOf({drains, away, troubled}));
  EXPECT_EQ(rows[0]["state"], "draining");
  EXPECT_EQ(rows[1]["state"], "away");
  EXPECT_EQ(rows[1]["trouble"], "does not answer");
  EXPECT_EQ(rows[2]["trouble"],
            "store: connection refused; y: the database has lost commits (see `twofold frontend "
            "accept`); x: durable work waits for the database");
}

TEST(FrontendRows, WhatNobodyServesIsARowOfItsOwn) {
  const List list = ListOf({Named("a", {})},
                           {Part(0, "p"), Part(1, "q"), Part(2, "r"), Part(3, "s"), Part(4, "t")});
  const show::Json rows = FrontendRows(list);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1]["state"], "unowned");
  EXPECT_EQ(rows[1]["queues"], 5);
  EXPECT_EQ(rows[1]["trouble"], "p, q, r and 2 more: nobody serves them");
  const std::string text = show::Print(show::Form::kText, FrontendColumns(), rows);
  EXPECT_THAT(text, HasSubstr("\n-         unowned       5"));
}

TEST(FrontendRows, EveryColumnIsAValueOfSomeRow) {
  FinishedRates rates;
  rates.Note(ListOf({Named("a", {Busy(0, "x", 7)})}), Instant(std::chrono::seconds(1)));
  v1::Frontend full = Named("a", {Busy(0, "x", 17)});
  full.set_store_age_ns(1'500'000'000);
  full.set_client_address("h:1");
  full.set_worker_address("h:2");
  full.set_store_trouble("slow");
  const List list = ListOf({full});
  rates.Note(list, Instant(std::chrono::seconds(3)));
  EXPECT_EQ(show::Print(show::Form::kText, FrontendColumns(), FrontendRows(list, rates)),
            "FRONTEND  STATE    QUEUES  WORKERS  WAITING  RUNNING  FINISHED /S  STORE S  PENDING "
            "BYTES  CLIENTS AT  WORKERS AT  TROUBLE\n"
            "a         serving       1        5        2        3            5      1.5            "
            "100  h:1         h:2         store: slow\n");
}

TEST(PartitionRows, ThoseThatNobodyServesComeFirst) {
  v1::Partition lost = Part(1, "b");
  lost.set_lost(true);
  v1::Frontend away = Named("z", {Part(0, "a")});
  away.set_away("why");
  const show::Json rows = PartitionRows(ListOf({Named("y", {lost}), away}, {Part(7, "c", 4)}));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["queue"], "c");
  EXPECT_EQ(rows[0]["state"], "unowned");
  EXPECT_EQ(rows[0]["epoch"], 4);
  EXPECT_EQ(rows[1]["state"], "away");
  EXPECT_EQ(rows[2]["state"], "lost");
  EXPECT_EQ(rows[2]["frontend"], "y");
}

TEST(FinishedRates, CountWhatEndsBetweenTwoLists) {
  FinishedRates rates;
  const Instant now(std::chrono::seconds(100));
  rates.Note(ListOf({Named("a", {Busy(0, "x", 10)})}), now);
  EXPECT_EQ(rates.Of(Part(0, "x")), std::nullopt);
  rates.Note(ListOf({Named("a", {Busy(0, "x", 30), Busy(1, "new", 5)})}),
             now + std::chrono::seconds(4));
  EXPECT_EQ(rates.Of(Part(0, "x")), 5.0);
  EXPECT_EQ(rates.Of(Part(1, "new")), std::nullopt);
}

TEST(FinishedRates, CountFromZeroWhereAQueueWasTakenOver) {
  FinishedRates rates;
  const Instant now(std::chrono::seconds(100));
  rates.Note(ListOf({Named("a", {Busy(0, "x", 1000)})}), now);
  rates.Note(ListOf({Named("b", {Busy(0, "x", 8, 2)})}), now + std::chrono::seconds(2));
  EXPECT_EQ(rates.Of(Part(0, "x")), 4.0);
  rates.Note(ListOf({}, {Busy(0, "x", 8, 2)}), now + std::chrono::seconds(3));
  EXPECT_EQ(rates.Of(Part(0, "x")), std::nullopt);
}

TEST(ListOfOne, HasTheQueuesOfAFrontendThatKnowsOfNoOthers) {
  v1::ListQueuesReply queues;
  v1::Queue& queue = *queues.add_queues();
  queue.set_name("sleep");
  queue.set_waiting(4);
  queue.set_workers_idle(1);
  queue.set_workers_busy(2);
  (*queue.mutable_finished())["succeeded"] = 5;
  (*queue.mutable_finished())["failed"] = 6;
  const List list = ListOfOne("h:1", queues);
  EXPECT_TRUE(IsAlone(list));
  const std::string text = show::Print(show::Form::kText, FrontendColumns(), FrontendRows(list));
  EXPECT_THAT(text, Not(HasSubstr("FRONTEND")));
  EXPECT_THAT(text, HasSubstr("h:1"));
  const show::Json rows = PartitionRows(list);
  EXPECT_EQ(rows[0]["worker_slots"], 3);
  EXPECT_EQ(rows[0]["finished"], 11);
}

}  // namespace
}  // namespace twofold::cli
