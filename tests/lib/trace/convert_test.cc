// Each input and each effect as a message, and back.

#include "lib/trace/convert.h"

#include <gtest/gtest.h>

#include <boost/pfr.hpp>
#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/trace/text.h"

namespace twofold::queue::trace {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

const JobId kJob{0x0123'4567'89ab'cdef};
const std::string kLong(100, 'x');
const std::string kLongBrief = "100B#35e2573c44087e6d";
const std::string kOptionsDigest = "#c55764b89229c412";

class ConvertTest : public testing::Test {
 protected:
  proto::Input Written(const Input& input) {
    proto::Input message;
    Put(input, known, message);
    return message;
  }

  bool CanBeTaken(const proto::Input& message) {
    Input input;
    return Take(message, last, input);
  }

  template <typename Effect>
  std::string Text(const Effect& effect) {
    proto::Effect message;
    Put(effect, known, message);
    return trace::Text(message);
  }

  std::shared_ptr<const JobOptions> options = std::make_shared<const JobOptions>();
  KnownOptions known;
  LastOptions last;
};

input::WorkerJoined Joined() {
  return {.key = ProcessKey{~0ULL},
          .slots = 300,
          .held = {{JobId{1}, 2}, {kJob, 3}},
          .paused = true,
          .node = "n\n1",
          .labels = "a=b\n"};
}

Restored RestoredJob(const std::shared_ptr<const JobOptions>& options) {
  return {.job = kJob,
          .options = options,
          .spec = kLong,
          .accepted = Instant(seconds(-5)),
          .handed_out = Instant(seconds(6)),
          .attempts = 2,
          .lost_attempts = 1,
          .members = {{ProcessKey{9}, kJob}}};
}

TEST_F(ConvertTest, EveryInputComesBack) {
  const Completion completion{.job = kJob,
                              .attempt = 4,
                              .handed_back = true,
                              .outcome = Outcome::kTimedOut,
                              .run_time = nanoseconds(1'500),
                              .device = "gpu 0",
                              .report = "'\xff"};
  const std::vector<std::pair<Input, std::string>> inputs = {
      {input::Submit{SubmitterId{300}, 1ULL << 63, options, "spec"},
       "submit submitter=300 tag=9223372036854775808 options=" + kOptionsDigest + " spec='spec'"},
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
       "member_ready process=6 member={ job=81985529216486895 attempt=7 }"},
      {input::Completed{ProcessId{8}, completion},
       "completed process=8 completion={ job=81985529216486895 attempt=4 handed_back=yes "
       "outcome=timed_out run_time=0.000001500 device='gpu 0' report='\\'\\xff' }"},
      {input::EndTurn{}, "end_turn"},
      {input::Pause{}, "pause"},
      {input::Drain{}, "drain"},
      {input::Resume{}, "resume"},
      {input::Restore{RestoredJob(options)},
       "restore restored={ job=81985529216486895 options=" + kOptionsDigest + " spec='" + kLong +
           "' spec_elsewhere=0 accepted=-5.000000000 handed_out=6.000000000 attempts=2 "
           "lost_attempts=1 "
           "members=[{ process=9 job=81985529216486895 }] }"},
      {input::Tick{}, "tick"},
      {input::HoldDurable{true}, "hold_durable hold=yes"},
      {input::Sent{ProcessId{10}}, "sent process=10"},
  };
  ASSERT_EQ(inputs.size(), std::variant_size_v<Input>);
  for (std::size_t place = 0; place < inputs.size(); ++place) {
    const auto& [input, text] = inputs[place];
    EXPECT_EQ(input.index(), place) << "each input once, in order";
    const proto::Input message = Written(input);
    Input back;
    ASSERT_TRUE(Take(message, last, back)) << text;
    EXPECT_EQ(back.index(), place) << text;
    EXPECT_EQ(Written(back).SerializeAsString(), message.SerializeAsString()) << text;
    EXPECT_EQ(trace::Text(message), text);
  }
}

TEST_F(ConvertTest, ASpecThatIsElsewhereComesBackAsItsSize) {
  const proto::Input message = Written(input::Submit{SubmitterId{1}, 2, options, "", 5000});
  LastOptions last;
  Input back;
  ASSERT_TRUE(Take(message, last, back));
  EXPECT_EQ(std::get<input::Submit>(back).spec_elsewhere, 5000U);
  EXPECT_EQ(trace::Text(message),
            "submit submitter=1 tag=2 options=" + kOptionsDigest + " spec='' spec_elsewhere=5000");
}

/// Of a message, and of the messages in it that are structs as well.
template <typename T>
void ExpectSameFields(const google::protobuf::Descriptor* type) {
  EXPECT_EQ(static_cast<std::size_t>(type->field_count()), boost::pfr::tuple_size_v<T>)
      << type->full_name() << " and its struct have different fields";
}

template <typename... Inputs>
void ExpectSameFieldsOfAll(const std::variant<Inputs...>* /*tag*/) {
  int place = 0;
  (ExpectSameFields<Inputs>(proto::Input::descriptor()->field(place++)->message_type()), ...);
  EXPECT_EQ(place, proto::Input::descriptor()->field_count());
}

TEST(Trace, MessagesHaveTheFieldsOfTheirStructs) {
  ExpectSameFieldsOfAll(static_cast<const Input*>(nullptr));
  ExpectSameFields<QueueOptions>(proto::QueueOptions::descriptor());
  ExpectSameFields<JobOptions>(proto::JobOptions::descriptor());
  ExpectSameFields<GangOptions>(proto::GangOptions::descriptor());
  ExpectSameFields<Held>(proto::Held::descriptor());
  ExpectSameFields<Completion>(proto::Completion::descriptor());
  ExpectSameFields<Restored>(proto::Restored::descriptor());
  ExpectSameFields<Restored::Member>(proto::RestoredMember::descriptor());
}

TEST_F(ConvertTest, EveryEffect) {
  const std::vector<Member> members = {{ProcessId{1}, kJob}, {ProcessId{2}, JobId{8}}};
  const Seat seat{JobId{7}, 1, members};
  const std::string assigned =
      "assign process=1 job=81985529216486895 attempt=2 options=" + kOptionsDigest + " spec='" +
      kLongBrief + "' lost_attempts=1";
  EXPECT_EQ(Text(Assign{ProcessId{1}, kJob, 2, options, kLong, nullptr, 1}), assigned);
  EXPECT_EQ(Text(Assign{ProcessId{1}, kJob, 2, options, kLong, &seat, 1}),
            assigned + " seat={ gang=7 rank=1 size=2 members=#916ef176dde762a5 }");
  const Assign elsewhere{.process = ProcessId{1},
                         .job = kJob,
                         .attempt = 2,
                         .options = options,
                         .spec = {},
                         .lost_attempts = 1,
                         .spec_elsewhere = 5000};
  EXPECT_EQ(Text(elsewhere), "assign process=1 job=81985529216486895 attempt=2 options=" +
                                 kOptionsDigest + " spec='' lost_attempts=1 spec_elsewhere=5000");
  EXPECT_EQ(Text(Go{ProcessId{1}, JobId{2}, 3}), "go process=1 job=2 attempt=3");
  EXPECT_EQ(Text(CancelOnWorker{ProcessId{1}, JobId{2}, 3}),
            "cancel_on_worker process=1 job=2 attempt=3");
  EXPECT_EQ(Text(ProcessRemoved{ProcessId{3}}), "process_removed process=3");
  EXPECT_EQ(Text(Requeued{JobId{1}, options, 3, 4}),
            "requeued job=1 options=" + kOptionsDigest + " attempts=3 lost_attempts=4");
}

TEST_F(ConvertTest, AReplyHasAProcessIfOneRanTheJob) {
  const auto text = [this](bool has_process) {
    return Text(Reply{SubmitterId{1}, 2, JobId{3}, options, Outcome::kLost, 5, has_process,
                      ProcessId{6}, seconds(7), seconds(8), seconds(9), 10, "gpu",
                      "1234567890123456", "why"});
  };
  const std::string before =
      "reply submitter=1 tag=2 job=3 options=" + kOptionsDigest + " outcome=lost attempts=5";
  const std::string after =
      " wait=7.000000000 run_time=8.000000000 total=9.000000000 rank=10 "
      "device='gpu' report='1234567890123456' reason='why'";
  EXPECT_EQ(text(true), before + " process=6" + after);
  EXPECT_EQ(text(false), before + after);
}

TEST(Trace, EveryAnswer) {
  const auto text = [](auto answer) {
    proto::Returned message;
    Put(answer, message);
    return Text("returned", message);
  };
  EXPECT_EQ(text(Submitted{Admission::kFull, JobId{0}, true}),
            "returned admission=full job=0 duplicate=yes");
  EXPECT_EQ(text(Submitted{Admission::kHeld, JobId{1}, false}),
            "returned admission=held job=1 duplicate=no");
  EXPECT_EQ(text(ProcessId{0}), "returned process=0");
  EXPECT_EQ(text(false), "returned answer=no");
}

TEST_F(ConvertTest, AnInputThatCannotBeIsRefused) {
  EXPECT_FALSE(CanBeTaken({})) << "none";
  proto::Input two = Written(input::Pause{});
  two.mutable_drain();
  EXPECT_FALSE(CanBeTaken(two));

  proto::Input completed = Written(input::Completed{ProcessId{1}, {}});
  proto::Completion& completion = *completed.mutable_completed()->mutable_completion();
  EXPECT_TRUE(CanBeTaken(completed));
  completion.set_outcome(static_cast<v1::Outcome>(kOutcomes));
  EXPECT_TRUE(CanBeTaken(completed));
  completion.set_outcome(static_cast<v1::Outcome>(kOutcomes + 1));
  EXPECT_FALSE(CanBeTaken(completed));
  completion.set_outcome(v1::OUTCOME_UNSPECIFIED);
  EXPECT_FALSE(CanBeTaken(completed));

  proto::Input restore = Written(input::Restore{RestoredJob(options)});
  EXPECT_TRUE(CanBeTaken(restore));
  restore.mutable_restore()->mutable_restored()->set_accepted_ns(1LL << 62);
  EXPECT_FALSE(CanBeTaken(restore)) << "an uptime of centuries";
}

TEST_F(ConvertTest, OptionsThatTheFrontendRefusesAreRefused) {
  const auto taken = [this](const JobOptions& changed) {
    return CanBeTaken(
        Written(input::Submit{SubmitterId{1}, 2, std::make_shared<JobOptions>(changed), ""}));
  };
  EXPECT_TRUE(taken({.priority = kLowestPriority}));
  EXPECT_FALSE(taken({.priority = kLowestPriority - 1}));
  EXPECT_FALSE(taken({.priority = kHighestPriority + 1}));
  EXPECT_FALSE(taken({.gang = {.size = 0}}));
  EXPECT_FALSE(taken({.gang = {.size = kLargestGang + 1}}));
  EXPECT_FALSE(taken({.weight = 0}));
  proto::Input submit = Written(input::Submit{SubmitterId{1}, 2, options, ""});
  submit.mutable_submit()->set_options("\xff");
  EXPECT_FALSE(CanBeTaken(submit)) << "no options";
}

TEST(Trace, ANumberThatItsFieldCannotHoldIsRefused) {
  proto::QueueOptions message;
  Put(QueueOptions{.number = 255}, message);
  QueueOptions options;
  EXPECT_TRUE(Take(message, options));
  EXPECT_EQ(options.number, 255);
  message.set_number(256);
  EXPECT_FALSE(Take(message, options));
}

TEST_F(ConvertTest, OptionsKeepTheirDigestWhenTheirPlaceWasTaken) {
  std::vector<std::shared_ptr<const JobOptions>> all;
  std::vector<std::uint64_t> digests;
  for (int i = 0; i < 1'000; ++i) {
    all.push_back(std::make_shared<const JobOptions>(JobOptions{.suite = std::to_string(i)}));
    digests.push_back(known.Of(all.back()).digest);
  }
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(known.Of(all[i]).digest, digests[i]);
  EXPECT_EQ(std::set(digests.begin(), digests.end()).size(), digests.size());
}

TEST_F(ConvertTest, JobsWithTheSameOptionsShareThem) {
  const auto taken = [this](const std::shared_ptr<const JobOptions>& with) {
    Input input;
    EXPECT_TRUE(Take(Written(input::Submit{SubmitterId{1}, 2, with, ""}), last, input));
    return std::get<input::Submit>(input).options;
  };
  const auto first = taken(options);
  EXPECT_EQ(taken(std::make_shared<const JobOptions>(*options)), first);
  EXPECT_NE(taken(std::make_shared<const JobOptions>(JobOptions{.suite = "other"})), first);
}

}  // namespace
}  // namespace twofold::queue::trace
