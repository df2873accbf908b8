#include "lib/rpc/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "lib/rpc/limits.h"
#include "lib/rpc/status_details.h"
#include "tests/fakes/retry_after.h"

namespace twofold::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(SubmitRequestBatch, RowsComeBackAsTheyWereAppended) {
  v1::SubmitRequest batch;
  batch.add_options();
  batch.add_options();
  Append(batch, {.tag = 1, .option = 0, .spec = {}});
  Append(batch, {.tag = 2, .option = 1, .spec = "two"});
  Append(batch, {.tag = 3, .option = 0, .spec = "three"});
  ASSERT_TRUE(Check(batch).ok()) << Check(batch);
  std::vector<std::string> rows;
  ForEach(batch, [&](const JobRow& row) {
    rows.push_back(std::to_string(row.tag) + " " + std::to_string(row.option) + " " +
                   std::string(row.spec));
  });
  EXPECT_THAT(rows, ElementsAre("1 0 ", "2 1 two", "3 0 three"));
}

TEST(SubmitRequestBatch, ColumnsOfDefaultsStayEmpty) {
  v1::SubmitRequest batch;
  batch.add_options();
  for (std::uint64_t tag = 0; tag < 3; ++tag) Append(batch, {.tag = tag, .option = 0, .spec = {}});
  EXPECT_TRUE(batch.option_index().empty());
  EXPECT_TRUE(batch.spec_sizes().empty());
  EXPECT_TRUE(Check(batch).ok());
}

TEST(SubmitRequestBatch, EmptyOneIsFine) { EXPECT_TRUE(Check(v1::SubmitRequest()).ok()); }

TEST(SubmitRequestBatch, SizesThatOverflowWhenAddedUpAreSeen) {
  v1::SubmitRequest batch;
  batch.add_options();
  for (int i = 0; i < 2; ++i) {
    batch.add_tags(1);
    batch.add_spec_sizes(0x8000'0000U);
  }
  EXPECT_THAT(std::string(Check(batch).message()), HasSubstr("specs has an entry of 2147483648"));
}

TEST(ResultBatch, RowsComeBackAsTheyWereAppended) {
  v1::ResultBatch batch;
  const std::uint32_t first = WorkerIndex(batch, "n1", "p1", "");
  Append(batch, {.tag = 1, .wait_ns = 10, .run_ns = 20, .worker = first, .report = {}});
  const std::uint32_t second = WorkerIndex(batch, "n1", "p1", "gpu");
  Append(batch, {.tag = 2,
                 .outcome = v1::OUTCOME_LOST,
                 .wait_ns = 0,
                 .run_ns = 5,
                 .attempts = 3,
                 .worker = second,
                 .report = "why"});
  EXPECT_EQ(WorkerIndex(batch, "n1", "p1", ""), first);
  ASSERT_TRUE(Check(batch).ok()) << Check(batch);
  std::vector<ResultRow> rows;
  ForEach(batch, [&](const ResultRow& row) { rows.push_back(row); });
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].outcome, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(rows[0].wait_ns, 10U);
  EXPECT_EQ(rows[0].attempts, 1U);
  EXPECT_EQ(rows[1].outcome, v1::OUTCOME_LOST);
  EXPECT_EQ(rows[1].wait_ns, 0U);
  EXPECT_EQ(rows[1].attempts, 3U);
  EXPECT_EQ(rows[1].report, "why");
  EXPECT_EQ(batch.workers(static_cast<int>(rows[1].worker)).device(), "gpu");
}

TEST(ResultBatch, UnknownOutcomeIsNamed) {
  v1::ResultBatch batch;
  batch.add_tags(1);
  batch.mutable_outcomes()->Add(99);
  EXPECT_THAT(std::string(Check(batch).message()), HasSubstr("unknown value 99"));
}

TEST(WorkerResultsBatch, DevicesAreToldApartFromNoDevice) {
  v1::WorkerResults batch;
  Append(batch, {.job = 1, .device = "", .report = {}});
  Append(batch, {.job = 2, .device = "gpu0", .report = {}});
  Append(batch, {.job = 3, .device = "", .report = {}});
  Append(batch, {.job = 4, .device = "gpu0", .handed_back = true, .report = {}});
  ASSERT_TRUE(Check(batch).ok()) << Check(batch);
  std::vector<std::string> devices;
  std::vector<bool> handed_back;
  ForEach(batch, [&](const WorkerResultRow& row) {
    devices.emplace_back(row.device);
    handed_back.push_back(row.handed_back);
  });
  EXPECT_THAT(devices, ElementsAre("", "gpu0", "", "gpu0"));
  EXPECT_THAT(handed_back, ElementsAre(false, false, false, true));
}

TEST(WorkerResultsBatch, EveryJobNeedsItsAttempt) {
  v1::WorkerResults batch;
  batch.add_jobs(1);
  EXPECT_THAT(std::string(Check(batch).message()), HasSubstr("attempts has 0 entries for 1 jobs"));
}

TEST(AssignBatch, RowsComeBackAsTheyWereAppended) {
  v1::AssignBatch batch;
  batch.add_options();
  Append(batch, {.job = 1, .attempt = 1, .option = 0, .spec = "a"});
  Append(batch, {.job = 2, .attempt = 4, .option = 0, .spec = ""});
  ASSERT_TRUE(Check(batch).ok()) << Check(batch);
  std::vector<std::uint32_t> attempts;
  ForEach(batch, [&](const AssignRow& row) { attempts.push_back(row.attempt); });
  EXPECT_THAT(attempts, ElementsAre(1U, 4U));
}

TEST(Attempts, WhatOneColumnHasMoreIsLeftOut) {
  v1::Attempts attempts;
  attempts.add_jobs(1);
  attempts.add_jobs(2);
  attempts.add_attempts(4);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> seen;
  ForEach(attempts, [&](const AttemptRow& row) { seen.emplace_back(row.job, row.attempt); });
  EXPECT_THAT(seen, ElementsAre(Pair(1U, 4U)));
}

TEST(RetryInfo, TravelsInTheStatus) {
  const Status status = FullStatus("full", std::chrono::milliseconds(1500));
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_EQ(RetryAfter(status), std::chrono::milliseconds(1500));
  EXPECT_EQ(RetryAfter(absl::OkStatus()), std::nullopt);
}

// protobuf frees submessages that Clear empties, unless their fields are marked `optional`.
TEST(StreamMessages, BatchesKeepTheirMemoryForTheNextMessage) {
  v1::SubmitReply reply;
  v1::FrontendMessage assignment;
  v1::WorkerMessage answer;
  const v1::ResultBatch* const results = reply.mutable_results();
  const v1::AssignBatch* const assigns = assignment.mutable_assigns();
  const v1::WorkerResults* const answers = answer.mutable_results();
  reply.Clear();
  assignment.Clear();
  answer.Clear();
  EXPECT_FALSE(reply.has_results());
  EXPECT_FALSE(assignment.has_assigns());
  EXPECT_FALSE(answer.has_results());
  EXPECT_EQ(reply.mutable_results(), results);
  EXPECT_EQ(assignment.mutable_assigns(), assigns);
  EXPECT_EQ(answer.mutable_results(), answers);
}

}  // namespace
}  // namespace twofold::rpc
