// A store that fails its Nth operation, for every N: what was acknowledged is there, once, in
// order.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "lib/results/journal.h"
#include "lib/results/sqlite_store.h"
#include "tests/fakes/failing_store.h"
#include "tests/fakes/memory_store.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/temp_dir.h"

namespace twofold::results {
namespace {

/// All kinds of records, in groups as a frontend would append them; some without records.
std::vector<std::vector<Record>> Script() {
  std::vector<std::vector<Record>> script;
  for (JobId id = 1; id <= 12; ++id) {
    script.push_back({Accepted(id), SequenceUsed{"sleep", id}});
    if (id % 4 == 0) script.emplace_back();
    if (id > 2) script.push_back({Started(id - 2)});
    if (id > 3 && id % 3 == 0) {
      script.push_back({AttemptGivenUp{.job = id - 2, .attempt = 1, .lost_attempts = 1}});
    }
    if (id > 4 && id % 2 == 0) script.push_back({Ended(id - 4), Accepted(id + 100)});
    if (id == 10) script.push_back({JobRequeued{.from = 2, .to = 110}});
    if (id == 6) script.push_back({SweepCreated(), RunCancelled{"sweep", 6}});
    if (id == 7) script.push_back({Placed(200, 1, 1), EndedWith(200, FullResult())});
  }
  return script;
}

/// What the store must hold when all of it was taken in.
Loaded Expected() {
  MemoryStore model;
  for (const std::vector<Record>& records : Script()) {
    EXPECT_TRUE(model.Commit(records).ok());
  }
  return {.jobs = *model.List({}), .sequences = LoadAll(model)->sequences};
}

Loaded Contents(Store& store) {
  return {.jobs = *store.List({}), .sequences = LoadAll(store)->sequences};
}

JournalOptions CommitEach() {
  return {.commit_bytes = 1,  // a commit an entry, so that there are many operations to fail
          .first_pause = std::chrono::microseconds(10),
          .longest_pause = std::chrono::microseconds(10)};
}

/// Runs the script, until the end or a failure, then stops within `limit`. Returns the numbers of
/// the entries that were acknowledged, as they came.
std::vector<std::size_t> Acknowledged(Store& store, Duration limit) {
  std::vector<std::size_t> acknowledged;
  Journal journal(store, CommitEach());
  std::size_t number = 0;
  std::vector<std::vector<Record>> script = Script();
  for (std::vector<Record>& records : script) {
    journal.Append(std::move(records), [&, number] { acknowledged.push_back(number); });
    ++number;
  }
  while (journal.pending_bytes() > 0 && journal.writable()) std::this_thread::yield();
  journal.Stop(limit);
  return acknowledged;
}

std::vector<std::size_t> FirstNumbers(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = i;
  return numbers;
}

class JournalFaults : public ::testing::TestWithParam<FailingStore::How> {};

TEST_P(JournalFaults, RecoversFromAFailureOfAnyOperation) {
  const Loaded expected = Expected();
  bool failed_all = false;
  for (std::uint64_t n = 1; !failed_all; ++n) {
    MemoryStore memory;
    FailingStore store(memory, n, 3, GetParam());
    const auto acknowledged = Acknowledged(store, std::chrono::seconds(30));
    ASSERT_EQ(acknowledged, FirstNumbers(Script().size())) << "operation " << n;
    const Loaded contents = Contents(memory);
    ASSERT_EQ(contents.jobs, expected.jobs) << "operation " << n;
    ASSERT_EQ(contents.sequences, expected.sequences) << "operation " << n;
    failed_all = store.operations() < n;
  }
}

// The frontend ends while the disk is away; another one opens the file.
TEST_P(JournalFaults, WhatWasAcknowledgedIsThereAfterReopening) {
  const std::vector<std::vector<Record>> script = Script();
  const TempDir dir;
  bool failed_all = false;
  for (std::uint64_t n = 1; !failed_all; ++n) {
    const std::string path = dir.Path(std::to_string(n));
    std::vector<std::size_t> acknowledged;
    {
      const auto sqlite = SqliteStore::Open(path).value();
      FailingStore store(*sqlite, n, UINT64_MAX, GetParam());
      acknowledged = Acknowledged(store, Duration::zero());
      failed_all = store.operations() < n;
    }
    ASSERT_EQ(acknowledged, FirstNumbers(acknowledged.size())) << "operation " << n;

    // Beyond what was acknowledged the store may hold the one group that failed, whole.
    MemoryStore least;
    std::size_t next = 0;
    while (next < acknowledged.size()) ASSERT_TRUE(least.Commit(script[next++]).ok());
    const auto reopened = SqliteStore::Open(path).value();
    const Loaded contents = Contents(*reopened);
    if (GetParam() == FailingStore::How::kAfter && !failed_all) {
      while (next < script.size() && script[next].empty()) ++next;
      if (next < script.size()) {
        ASSERT_TRUE(least.Commit(script[next++]).ok());
      }
    }
    ASSERT_EQ(contents.jobs, Contents(least).jobs) << "operation " << n;

    // The script again, from the first entry that was not acknowledged, as its clients would.
    for (std::size_t i = acknowledged.size(); i < script.size(); ++i) {
      ASSERT_TRUE(reopened->Commit(script[i]).ok());
    }
    ASSERT_EQ(Contents(*reopened).jobs, Expected().jobs) << "operation " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, JournalFaults,
                         ::testing::Values(FailingStore::How::kBefore, FailingStore::How::kAfter),
                         [](const auto& each) {
                           return each.param == FailingStore::How::kBefore ? "NotDone" : "Done";
                         });

}  // namespace
}  // namespace twofold::results
