#include "lib/queue/job_table.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <map>
#include <random>
#include <string>

namespace twofold::queue {
namespace {

const auto kOptions = std::make_shared<const JobOptions>();

TEST(JobTable, StaleIdIsKnownAsSuch) {
  JobTable table(1, 0);
  const Slot slot = table.Add(kOptions, "a");
  const JobId first = table.IdOf(slot);
  EXPECT_EQ(table.Find(first), slot);
  table.Free(slot);
  EXPECT_EQ(table.Find(first), kNoSlot);
  EXPECT_EQ(table.Add(kOptions, "b"), slot);
  EXPECT_EQ(table.Find(first), kNoSlot);
}

TEST(JobTable, IdThatTheNextJobOfASlotWillHaveIsNotThereYet) {
  JobTable table(1, 0);
  const Slot slot = table.Add(kOptions, "");
  table.Free(slot);
  EXPECT_EQ(table.Find(JobId{std::uint64_t{2} << 32 | slot}), kNoSlot);
}

TEST(JobTable, GenerationsLeaveOutZeroWhenTheyStartOver) {
  JobTable table(0x7f'ffff, 0);
  const Slot slot = table.Add(kOptions, "");
  table.Free(slot);
  table.Add(kOptions, "");
  EXPECT_EQ(table.IdOf(slot), JobId{std::uint64_t{1} << 32});
}

TEST(JobTable, TablesOfDifferentFirstGenerationsShareNoIds) {
  JobTable before(7, 0);
  JobTable after(8, 0);
  EXPECT_EQ(after.Find(before.IdOf(before.Add(kOptions, ""))), kNoSlot);
  after.Add(kOptions, "");
  EXPECT_EQ(after.Find(before.IdOf(0)), kNoSlot);
}

TEST(JobTable, TablesOfDifferentQueuesShareNoIds) {
  JobTable first(1, 0);
  JobTable second(1, 255);
  const JobId id = second.IdOf(second.Add(kOptions, ""));
  first.Add(kOptions, "");
  EXPECT_EQ(first.Find(id), kNoSlot);
  EXPECT_EQ(QueueNumber(id), 255);
}

TEST(JobTable, JobsStayWhereTheyAreWhenTheTableGrows) {
  JobTable table(1, 0);
  const Job* first = &table[table.Add(kOptions, "first")];
  for (int i = 0; i < 20'000; ++i) table.Add(kOptions, "more");
  EXPECT_EQ(first, &table[0]);
  EXPECT_EQ(first->spec(), "first");
  EXPECT_EQ(table[20'000].spec(), "more");
}

TEST(JobTable, FreedSlotsAreUsedBeforeNewOnes) {
  JobTable table(1, 0);
  for (int i = 0; i < 10; ++i) table.Add(kOptions, "");
  for (const Slot slot : {3U, 7U}) table.Free(slot);
  EXPECT_EQ(table.Add(kOptions, ""), 7U);
  EXPECT_EQ(table.Add(kOptions, ""), 3U);
  EXPECT_EQ(table.Add(kOptions, ""), 10U);
}

TEST(JobTable, SpecsOfAnySizeComeAndGoInAnyOrder) {
  JobTable table(1, 0);
  std::mt19937 random(7);
  std::map<Slot, std::string> specs;
  for (int i = 0; i < 50'000; ++i) {
    const std::string spec(random() % 700, static_cast<char>('a' + i % 26));
    const Slot slot = table.Add(kOptions, spec);
    ASSERT_TRUE(specs.emplace(slot, spec).second);
    if (random() % 100 < 49) continue;
    const auto any =
        std::next(specs.begin(), static_cast<std::ptrdiff_t>(random() % specs.size()) / 50);
    ASSERT_EQ(table[any->first].spec(), any->second);
    table.Free(any->first);
    specs.erase(any);
  }
  for (const auto& [slot, spec] : specs) ASSERT_EQ(table[slot].spec(), spec);
}

TEST(JobTable, JobKeepsTheIdOfAnotherTable) {
  JobTable before(5, 3);
  for (int i = 0; i < 4; ++i) before.Add(kOptions, "");
  const JobId id = before.IdOf(2);
  JobTable table(9, 3);
  const Slot slot = table.Add(kOptions, "");
  const JobId own = table.IdOf(slot);
  table.KeepId(slot, id);
  EXPECT_EQ(table.IdOf(slot), id);
  EXPECT_EQ(table.Find(id), slot);
  EXPECT_EQ(table.Find(own), kNoSlot);
  table.Free(slot);
  EXPECT_EQ(table.Find(id), kNoSlot);
  EXPECT_EQ(table.IdOf(table.Add(kOptions, "")),
            JobId{static_cast<std::uint64_t>(own) + (1ULL << 32)});
}

TEST(JobTable, NoJobGetsAnIdThatAnotherOneKeeps) {
  JobTable before(7, 3);
  before.Add(kOptions, "");
  const JobId id = before.IdOf(before.Add(kOptions, ""));
  JobTable table(7, 3);
  const Slot first = table.Add(kOptions, "");
  table.KeepId(first, id);
  const Slot second = table.Add(kOptions, "");
  EXPECT_NE(table.IdOf(second), id);
  EXPECT_EQ(table.Find(id), first);
  EXPECT_EQ(table.Find(table.IdOf(second)), second);
}

TEST(JobTable, FreedJobGivesBackItsOptions) {
  JobTable table(1, 0);
  auto options = std::make_shared<const JobOptions>();
  const Slot slot = table.Add(options, "");
  EXPECT_EQ(options.use_count(), 2);
  table.Free(slot);
  EXPECT_EQ(options.use_count(), 1);
}

}  // namespace
}  // namespace twofold::queue
