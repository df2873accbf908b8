// Each input and each output, written and read back.

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "lib/trace/put.h"
#include "lib/trace/take.h"
#include "lib/trace/text.h"

namespace twofold::queue::trace {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

const JobId kJob{0x0123'4567'89ab'cdef};
const std::string kLong(100, 'x');

class RowTest : public testing::Test {
 protected:
  RowTest() { table.Add(options, table.DigestOf(*options)); }

  template <typename Any>
  std::string Bytes(const Any& any) const {
    std::string bytes;
    std::visit([&](const auto& row) { PutRow<Any>(bytes, row, &table); }, any);
    return bytes;
  }

  /// All rows come back, none is forgotten, and half a row is no row.
  template <typename Any>
  void ComeBack(const std::vector<std::pair<Any, std::string>>& rows) {
    std::size_t next = 0;
    for (const auto& [row, text] : rows) {
      EXPECT_EQ(row.index(), next++) << "each row of the list once, in order";
      const std::string bytes = Bytes(row);
      Decoder from(bytes);
      Any back;
      TakeRow(from, table, back);
      ASSERT_TRUE(from.ok()) << text;
      EXPECT_TRUE(from.left().empty()) << text;
      EXPECT_EQ(Bytes(back), bytes) << text;
      EXPECT_EQ(Text(back), text);
      for (std::size_t size = 0; size < bytes.size(); ++size) {
        Decoder half(std::string_view(bytes).substr(0, size));
        TakeRow(half, table, back);
        EXPECT_FALSE(half.ok()) << text << " of " << size << " bytes";
      }
    }
    EXPECT_EQ(next, std::variant_size_v<Any>);
  }

  std::shared_ptr<const JobOptions> options = std::make_shared<const JobOptions>();
  OptionsTable table;
};

input::WorkerJoined Joined() {
  return {.key = ProcessKey{~0ULL},
          .slots = 300,
          .held = {{JobId{1}, 2}, {kJob, 3}},
          .paused = true,
          .node = "n\n1",
          .labels = "a=b\n"};
}

TEST_F(RowTest, EveryInput) {
  const Restored restored{.job = kJob,
                          .options = options,
                          .spec = kLong,
                          .accepted = Instant(seconds(-5)),
                          .handed_out = Instant(seconds(6)),
                          .attempts = 2,
                          .lost_attempts = 1,
                          .members = {{ProcessKey{9}, kJob}}};
  const Completion completion{.job = kJob,
                              .attempt = 4,
                              .handed_back = true,
                              .outcome = Outcome::kTimedOut,
                              .run_time = nanoseconds(1'500),
                              .device = "gpu 0",
                              .report = "'\xff"};
  const std::string use = "#695bf19ee504c1b4";
  ComeBack<Input>({
      {input::Submit{SubmitterId{300}, 1ULL << 63, options, "spec"},
       "submit submitter=300 tag=9223372036854775808 options=#695bf19ee504c1b4 spec='spec'"},
      {input::Cancel{kJob}, "cancel job=81985529216486895"},
      {input::SubmitterGone{SubmitterId{2}}, "submitter_gone submitter=2"},
      {Joined(),
       "worker_joined key=18446744073709551615 slots=300 held=[{ job=1 attempt=2 }"
       "{ job=81985529216486895 attempt=3 }] draining=no paused=yes node='n\\n1' labels='a=b\\n'"},
      {input::WorkerGone{ProcessId{1}}, "worker_gone process=1"},
      {input::WorkerLeft{ProcessId{2}}, "worker_left process=2"},
      {input::Renewed{ProcessId{3}}, "renewed process=3"},
      {input::WorkerDraining{ProcessId{4}}, "worker_draining process=4"},
      {input::PauseWorker{ProcessId{5}, true}, "pause_worker process=5 paused=yes"},
      {input::MemberReady{ProcessId{6}, {kJob, 7}},
       "member_ready process=6 job=81985529216486895 attempt=7"},
      {input::Completed{ProcessId{8}, completion},
       "completed process=8 job=81985529216486895 attempt=4 handed_back=yes outcome=timed_out "
       "run_time=0.000001500 device='gpu 0' report='\\'\\xff'"},
      {input::EndTurn{}, "end_turn"},
      {input::Pause{}, "pause"},
      {input::Drain{}, "drain"},
      {input::Resume{}, "resume"},
      {input::Restore{restored},
       "restore options=" + use + " job=81985529216486895 spec='" + kLong +
           "' accepted=-5.000000000 handed_out=6.000000000 attempts=2 lost_attempts=1 "
           "members=[{ process=9 job=81985529216486895 }]"},
      {input::Tick{}, "tick"},
  });
}

TEST_F(RowTest, EveryOutput) {
  const output::Assign assign{ProcessId{1}, kJob, 2, {0xab}, Passed(kLong), 1};
  const std::string long_digest = "35e2573c44087e6d";
  const std::string assign_text =
      " process=1 job=81985529216486895 attempt=2 options=#00000000000000ab spec=100B#" +
      long_digest + " lost_attempts=1";
  ComeBack<AnyOutput>({
      {assign, "assign" + assign_text},
      {output::AssignMember{assign, JobId{7}, 3, 4, {0xcd}},
       "assign_member" + assign_text + " gang=7 rank=3 size=4 members=#00000000000000cd"},
      {output::Go{{ProcessId{1}, JobId{2}, 3}}, "go process=1 job=2 attempt=3"},
      {output::CancelOnWorker{{ProcessId{1}, JobId{2}, 3}},
       "cancel_on_worker process=1 job=2 attempt=3"},
      {output::Requeued{JobId{1}, {2}, 3, 4},
       "requeued job=1 options=#0000000000000002 attempts=3 lost_attempts=4"},
      {output::Reply{SubmitterId{1},
                     2,
                     JobId{3},
                     {4},
                     Outcome::kLost,
                     5,
                     true,
                     ProcessId{6},
                     seconds(7),
                     seconds(8),
                     seconds(9),
                     10,
                     Passed("gpu"),
                     Passed("1234567890123456"),
                     "why"},
       "reply submitter=1 tag=2 job=3 options=#0000000000000004 outcome=lost attempts=5 "
       "has_process=yes process=6 wait=7.000000000 run_time=8.000000000 total=9.000000000 rank=10 "
       "device='gpu' report='1234567890123456' reason='why'"},
      {output::ProcessRemoved{{ProcessId{1}}}, "process_removed process=1"},
      {output::ReturnedSubmitted{{Admission::kFull, JobId{0}, true}},
       "returned admission=full job=0 duplicate=yes"},
      {output::ReturnedProcess{ProcessId{1}}, "returned process=1"},
      {output::ReturnedBool{true}, "returned answer=yes"},
  });
}

TEST_F(RowTest, ValuesThatCannotBeAreRefused) {
  const auto refused = [this](const Input& input, std::size_t at, char byte) {
    std::string bytes = Bytes(input);
    bytes[at] = byte;
    Decoder from(bytes);
    Input back;
    TakeRow(from, table, back);
    return !from.ok();
  };
  const Input pause = input::PauseWorker{ProcessId{1}, true};
  EXPECT_FALSE(refused(pause, 2, 0));
  EXPECT_TRUE(refused(pause, 2, 2)) << "neither true nor false";
  EXPECT_TRUE(refused(pause, 0, 100)) << "no such input";
  const Input submit = input::Submit{SubmitterId{1}, 2, options, ""};
  EXPECT_FALSE(refused(submit, 3, 0));
  EXPECT_TRUE(refused(submit, 3, 1)) << "no such options";
  const Input completed = input::Completed{ProcessId{1}, {}};
  EXPECT_FALSE(refused(completed, 12, kOutcomes - 1));
  EXPECT_TRUE(refused(completed, 12, kOutcomes)) << "no such outcome";
}

TEST(Codec, NumbersComeBackAndBadOnesDoNot) {
  for (int shift = 0; shift < 64; ++shift) {
    for (const std::uint64_t value : {(1ULL << shift) - 1, 1ULL << shift, ~0ULL >> shift}) {
      std::string bytes;
      Encoder to(bytes);
      to.Number(value);
      to.Signed(static_cast<std::int64_t>(value));
      to.Fixed(value, 8);
      Decoder from(bytes);
      EXPECT_EQ(from.Number(), value);
      EXPECT_EQ(from.Signed(), static_cast<std::int64_t>(value));
      EXPECT_EQ(from.Fixed(8), value);
      EXPECT_TRUE(from.ok());
    }
  }
  Decoder too_large("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
  EXPECT_EQ(too_large.Number(), 0U);
  EXPECT_FALSE(too_large.ok());
}

TEST(OptionsTable, WritesTheOldestAgainWhenItIsFull) {
  OptionsTable table;
  std::vector<std::shared_ptr<const JobOptions>> all;
  for (std::uint64_t i = 0; i <= OptionsTable::kMost; ++i) {
    all.push_back(std::make_shared<const JobOptions>(JobOptions{.suite = std::to_string(i)}));
    EXPECT_EQ(table.Find(all.back().get()), std::nullopt);
    EXPECT_EQ(table.Add(all.back(), table.DigestOf(*all.back())), i % OptionsTable::kMost);
  }
  EXPECT_EQ(table.Find(all[0].get()), std::nullopt);
  EXPECT_EQ(table.Find(all[1].get()), 1U);
  EXPECT_EQ(table.Find(all[OptionsTable::kMost].get()), 0U);
  EXPECT_EQ(table.At(0)->options->suite, std::to_string(OptionsTable::kMost));
}

}  // namespace
}  // namespace twofold::queue::trace
