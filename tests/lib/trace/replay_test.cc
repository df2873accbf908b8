// Traces of random calls, replayed: whole, cut, damaged, changed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "tests/lib/trace/fixture.h"
#include "tests/lib/trace/random_calls.h"
#include "tests/support/sanitized.h"

namespace twofold::queue::trace {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

MemoryFile RandomTrace(std::uint64_t seed, int steps) {
  MemoryFile file;
  const QueueOptions options{.limit = 40, .lease = seconds(5), .grace = seconds(3)};
  QueueOptions other = options;
  other.number = 1;
  other.ageing = seconds(0);
  RecordedQueue first(options, file.Record("first", options));
  RecordedQueue second(other, file.Record("second", other));
  RandomCalls on_first(seed, first);
  RandomCalls on_second(seed + 1, second);
  for (int step = 0; step < steps; ++step) {
    on_first.Step();
    on_second.Step();
  }
  file.End();
  return file;
}

/// A queue that gets a worker and runs one job.
MemoryFile ShortTrace() {
  MemoryFile file;
  RecordedQueue queue({}, file.Record("sleep"));
  NoEffects effects;
  const auto options = std::make_shared<const JobOptions>();
  const Instant start{seconds(100)};
  const auto process = queue.Step(start, input::WorkerJoined{.key = ProcessKey{7}}, effects);
  const auto job =
      queue.Step(start + seconds(1), input::Submit{SubmitterId{1}, 5, options, "spec"}, effects);
  queue.Step(start + seconds(2), input::Completed{process, {.job = job.job, .attempt = 1}},
             effects);
  queue.Step(start + seconds(2), input::EndTurn{}, effects);
  return file;
}

TEST(Replay, ReproducesRandomCallsOfTwoQueues) {
  for (std::uint64_t seed = 1; seed <= Fewer(20); ++seed) {
    const auto report = ReplayBytes(RandomTrace(seed, 2'000).bytes());
    ASSERT_TRUE(report.ok()) << "seed " << seed << ": " << report.status();
    ASSERT_FALSE(report->difference) << "seed " << seed << "\n" << Text(*report);
    EXPECT_EQ(report->inputs, 4'000U);
    EXPECT_EQ(report->queues, 2U);
    EXPECT_EQ(report->end, TraceEnd::kStopped);
  }
}

TEST(Replay, RandomCallsHaveEveryEffect) {
  const std::string text = Printed(RandomTrace(1, 5'000).bytes());
  for (const char* effect :
       {"assign", "go", "cancel_on_worker", "requeued", "reply", "process_removed"}) {
    EXPECT_THAT(text, HasSubstr("\n    " + std::string(effect) + " "));
  }
  EXPECT_THAT(text, HasSubstr(" seat={ gang="));
}

TEST(Replay, RecordedQueueDoesWhatAQueueDoes) {
  MemoryFile file;
  RecordedQueue traced({}, file.Record("traced"));
  RecordedQueue plain({});
  RandomCalls on_traced(1, traced);
  RandomCalls on_plain(1, plain);
  for (int step = 0; step < 5'000; ++step) {
    on_traced.Step();
    on_plain.Step();
  }
  EXPECT_EQ(traced.core().Stats().finished, plain.core().Stats().finished);
  EXPECT_EQ(traced.core().waiting(), plain.core().waiting());
  EXPECT_GT(traced.core().Stats().finished[0], 20U);
}

TEST(Replay, SameTraceHasTheSameText) {
  const std::string bytes = RandomTrace(3, 500).bytes();
  const std::string text = Printed(bytes);
  EXPECT_EQ(text, Printed(bytes));
  EXPECT_GT(text.size(), 50'000U);
}

TEST(Replay, PrintsCallsAndWhatCameOfThem) {
  EXPECT_EQ(
      Printed(ShortTrace().bytes()),
      R"(queue 0 'sleep' limit=0 limit_bytes=0 unsent_limit=0 lease=15.000000000 grace=10.000000000 ageing=60.000000000)"
      R"( number=0 first_generation=1 first_sequence=1
1 0.000000000 sleep worker_joined key=7 slots=1 held=[] draining=no paused=no node='' labels=''
    returned process=0
options #c55764b89229c412 suite='' limit=0.000000000 priority=0 max_attempts=1 gang={ size=1)"
      R"( spread=any timeout=30.000000000 } durable=no run='' dedup_key='')"
      R"( delay=0.000000000 deadline=0.000000000 fair_key='' weight=1 limit_key='' key_limit=1 placement=''
2 1.000000000 sleep submit submitter=1 tag=5 options=#c55764b89229c412 spec='spec'
    assign process=0 job=4294967296 attempt=1 options=#c55764b89229c412 spec='spec' lost_attempts=0
    returned admission=accepted job=4294967296 duplicate=no
3 2.000000000 sleep completed process=0 completion={ job=4294967296 attempt=1 handed_back=no)"
      R"( outcome=succeeded run_time=0.000000000 device='' report='' }
    reply submitter=1 tag=5 job=4294967296 options=#c55764b89229c412 outcome=succeeded attempts=1)"
      R"( process=0 wait=0.000000000 run_time=0.000000000 total=1.000000000)"
      R"( rank=0 device='' report='' reason=''
    returned answer=yes
4 2.000000000 sleep end_turn
)");
}

/// The step that ends the job of a short trace, changed.
MemoryFile WithChangedEnd(const std::function<void(proto::Step&)>& change) {
  MemoryFile file = ShortTrace();
  std::string& completed = file.bodies()[3];
  proto::Record record;
  record.ParseFromString(completed);
  change(*record.mutable_step());
  completed = record.SerializeAsString();
  return file;
}

TEST(Replay, FindsAChangeInAnyByteOfTheEffects) {
  const MemoryFile original = ShortTrace();
  MemoryFile plain = WithChangedEnd([](proto::Step& step) { step.clear_returned(); });
  MemoryFile bare = WithChangedEnd([](proto::Step& step) {
    step.clear_effects();
    step.clear_returned();
  });
  const std::size_t effects = bare.bodies()[3].size();
  ASSERT_LT(effects, plain.bodies()[3].size());
  int differences = 0;
  for (std::size_t at = effects; at < plain.bodies()[3].size(); ++at) {
    MemoryFile changed = original;
    changed.bodies()[3][at] ^= 1;
    const auto report = ReplayBytes(changed.bytes());
    if (!report.ok()) continue;  // not even effects any more
    ASSERT_TRUE(report->difference) << "byte " << at;
    EXPECT_EQ(report->difference->input, 3U);
    EXPECT_EQ(report->inputs, 2U);
    ++differences;
  }
  EXPECT_GT(differences, 10);
}

TEST(Replay, SaysWhereAndHowTheEffectsDiffer) {
  const MemoryFile file =
      WithChangedEnd([](proto::Step& step) { step.mutable_returned()->set_answer(false); });
  const auto report = ReplayBytes(file.bytes());
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_TRUE(report->difference);
  EXPECT_EQ(report->difference->time, seconds(2));
  EXPECT_EQ(report->difference->queue, "sleep");
  EXPECT_THAT(Text(*report), HasSubstr("differs at input 3, 2.000000000 s, queue sleep:\n"
                                       "    completed process=0 completion={ job=4294967296"));
  EXPECT_THAT(Text(*report), HasSubstr("- expected returned answer=no\n"));
  EXPECT_THAT(Text(*report), HasSubstr("+ got      returned answer=yes\n"));
}

TEST(Replay, RefusesARecordThatNoFrontendWrites) {
  MemoryFile file = ShortTrace();
  file.bodies()[3] += std::string("\x7a\x00", 2);  // a field that nobody knows
  const auto report = ReplayBytes(file.bytes());
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("values that cannot be"));
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("the 2 inputs before"));
}

TEST(Replay, RefusesWhatNoQueueCanHaveSeen) {
  const auto refused = [](const std::function<void(proto::Step&)>& change) {
    return !ReplayBytes(WithChangedEnd(change).bytes()).ok();
  };
  EXPECT_FALSE(refused([](proto::Step&) {}));
  EXPECT_TRUE(refused([](proto::Step& step) { step.set_queue(1); })) << "no such queue";
  EXPECT_TRUE(refused([](proto::Step& step) { step.clear_input(); }));
  EXPECT_TRUE(refused([](proto::Step& step) { step.set_elapsed_ns(1LL << 62); }));
}

TEST(Replay, RefusesAFileWithAnyByteDamaged) {
  const std::string original = ShortTrace().bytes();
  for (std::size_t at = 0; at < original.size(); ++at) {
    std::string bytes = original;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    const auto report = ReplayBytes(bytes);
    // A size that reaches past the end looks like a file that was cut.
    const bool found = !report.ok() || report->end == TraceEnd::kCut;
    EXPECT_TRUE(found) << "byte " << at;
  }
}

TEST(Replay, SaysWhereAFileIsDamagedAndHowFarItWasGood) {
  const MemoryFile file = ShortTrace();
  std::string bytes = file.bytes();
  bytes[bytes.size() - 6] ^= 1;  // in the last record
  const auto report = ReplayBytes(bytes);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("damaged at byte "));
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("3 inputs before"));
}

TEST(Replay, GoesAsFarAsAFileThatWasCutAnywhereInItsLastRecord) {
  MemoryFile file = ShortTrace();
  const std::string whole = file.bytes();
  file.bodies().pop_back();
  const std::size_t last = file.bytes().size();
  for (std::size_t size = last; size < whole.size(); ++size) {
    const auto report = ReplayBytes(whole.substr(0, size));
    ASSERT_TRUE(report.ok()) << size << ": " << report.status();
    EXPECT_FALSE(report->difference);
    EXPECT_EQ(report->inputs, 3U);
    EXPECT_EQ(report->end, size == last ? TraceEnd::kKilled : TraceEnd::kCut);
    EXPECT_EQ(report->cut_at, last);
  }
}

TEST(Replay, StopsAfterTheInputThatWasAskedFor) {
  const auto report = ReplayBytes(ShortTrace().bytes(), {.until = 2});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->inputs, 2U);
  EXPECT_EQ(report->end, TraceEnd::kNotRead);
}

TEST(Replay, OneQueueOfSeveral) {
  const std::string bytes = RandomTrace(4, 300).bytes();
  const auto report = ReplayBytes(bytes, {.queue = "second"});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->inputs, 300U);
  EXPECT_EQ(report->queues, 1U);
  EXPECT_EQ(Printed(bytes, {.queue = "second"}).find(" first "), std::string::npos);

  const auto none = ReplayBytes(bytes, {.queue = "third"});
  EXPECT_EQ(none.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("only: first, second"));
}

TEST(Replay, SaysWhatIsNoTraceOrOneOfAnotherVersion) {
  const auto message = [](const std::string& bytes) {
    return std::string(ReplayBytes(bytes).status().message());
  };
  EXPECT_THAT(message(""), HasSubstr("no trace"));
  EXPECT_THAT(message("PNG and so on and on and on"), HasSubstr("no trace"));
  EXPECT_THAT(message("twofold trace"), HasSubstr("no trace"));
  EXPECT_THAT(message("twofold trace one\n"), HasSubstr("no version"));
  EXPECT_THAT(message("twofold trace 2\n"), HasSubstr("replay it with the program that wrote it"));
  EXPECT_THAT(message("twofold trace 1\n"), HasSubstr("version 1, this program reads version 5"));
}

}  // namespace
}  // namespace twofold::queue::trace
