#include "backend/agent/agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <thread>

#include "lib/common/arguments.h"
#include "tests/backend/agent/agent_fixture.h"

namespace twofold::backend {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using WorkResult = fakes::FakeWorkStream::Result;

class SleepAgentTest : public AgentTest {
 protected:
  // The stream of an agent that has begun to run jobs 1 .. `jobs`.
  std::shared_ptr<fakes::FakeWorkStream> AcceptAndStart(std::uint64_t jobs) {
    const auto stream = frontend_.Accept();
    stream->Welcome();
    stream->SendAssigns(1, jobs);
    stream->SendAssigns(9, 1, {}, std::string("0\0", 2));  // ends at once: the others have begun
    stream->ReceiveResults(1);
    return stream;
  }
};

TEST_F(SleepAgentTest, HelloSaysWhoAndHowMany) {
  AgentOptions options = Options(3);
  options.address = "10.0.0.7";
  options.peers_port = 4711;
  options.labels = {{"zone", "a"}, {"gpu", ""}};
  RunningAgent agent(options, kForever);
  const v1::Hello hello = frontend_.Accept()->Welcome();
  EXPECT_EQ(hello.queue(), "sleep");
  EXPECT_EQ(hello.process_key(), 77u);
  EXPECT_EQ(hello.node(), "node-1");
  EXPECT_EQ(hello.pod(), "pod-1");
  EXPECT_EQ(hello.device(), "renderD128");
  EXPECT_EQ(hello.address(), "10.0.0.7");
  EXPECT_EQ(hello.peers_port(), 4711u);
  const std::map<std::string, std::string> labels(hello.labels().begin(), hello.labels().end());
  EXPECT_EQ(labels, options.labels);
  EXPECT_EQ(hello.slots(), 3u);
  EXPECT_EQ(hello.held_jobs_size(), 0);
  EXPECT_FALSE(hello.draining());
  EXPECT_FALSE(hello.leave_when_empty());
}

TEST_F(SleepAgentTest, RegisteredMeansWelcomedUntilTheStreamEnds) {
  RunningAgent agent(Options(), kForever);
  const auto hello_sent = frontend_.Accept();
  EXPECT_FALSE(agent.registered());
  hello_sent->Close(absl::UnavailableError("restart"));
  const auto stream = AcceptAndStart(1);
  EXPECT_TRUE(agent.registered());
  stream->Close(absl::UnavailableError("restart"));
  const auto again = frontend_.Accept();
  EXPECT_FALSE(agent.registered());
}

TEST_F(SleepAgentTest, EachJobIsAnsweredOnceWithItsRunTimeAndDevice) {
  constexpr Duration kSleep = std::chrono::milliseconds(2);
  RunningAgent agent(Options(100), kSleep);
  const auto stream = frontend_.Accept();
  stream->Welcome();
  stream->SendAssigns(1, 100);
  std::set<std::uint64_t> jobs;
  for (const WorkResult& result : stream->ReceiveResults(100)) {
    EXPECT_TRUE(jobs.insert(result.job).second);
    EXPECT_EQ(result.outcome, v1::OUTCOME_SUCCEEDED);
    EXPECT_GE(result.run_ns, static_cast<std::uint64_t>(kSleep.count()));
    EXPECT_EQ(result.device, "renderD128");
    EXPECT_EQ(result.report.ByteSizeLong(), 0u);
  }
  EXPECT_THAT(jobs, SizeIs(100));
}

TEST_F(SleepAgentTest, ResultsOfOneMomentTravelTogether) {
  RunningAgent agent(Options(1000), Duration::zero());
  const auto stream = frontend_.Accept();
  stream->Welcome();
  stream->SendAssigns(1, 1000);
  const auto message = stream->Receive();
  ASSERT_TRUE(message);
  EXPECT_EQ(message->results().jobs_size(), 1000);
}

TEST_F(SleepAgentTest, JobBeyondTheSlotsIsHandedBack) {
  RunningAgent agent(Options(2), kForever);
  const auto stream = frontend_.Accept();
  stream->Welcome();
  stream->SendAssigns(1, 3);
  const auto results = stream->ReceiveResults(1);
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results[0].job, 3u);
  EXPECT_TRUE(results[0].handed_back);
}

TEST_F(SleepAgentTest, ArgumentOfTheJobReplacesTheSeconds) {
  RunningAgent agent(Options(), kForever);
  const auto stream = frontend_.Accept();
  stream->Welcome();
  const std::vector<std::string> arguments = {"0.001"};
  stream->SendAssigns(1, 1, {}, EncodeArguments(arguments));
  EXPECT_THAT(stream->ReceiveResults(1),
              ElementsAre(Field(&WorkResult::outcome, v1::OUTCOME_SUCCEEDED)));
}

TEST_F(SleepAgentTest, IgnoredArgumentsDoNotReachTheWorkload) {
  AgentOptions options = Options();
  options.ignore_arguments = true;
  RunningAgent agent(options, Duration::zero());
  const auto stream = frontend_.Accept();
  stream->Welcome();
  stream->SendAssigns(1, 1, {}, "no number and no end");
  EXPECT_THAT(stream->ReceiveResults(1),
              ElementsAre(Field(&WorkResult::outcome, v1::OUTCOME_SUCCEEDED)));
}

TEST_F(SleepAgentTest, JobThatMakesNoSenseFailsInThePlan) {
  RunningAgent agent(Options(), kForever);
  const auto stream = frontend_.Accept();
  stream->Welcome();
  v1::JobOptions other_suite;
  other_suite.set_suite("fio");
  stream->SendAssigns(1, 1, other_suite);
  stream->SendAssigns(2, 1, {}, "no end");
  stream->SendAssigns(3, 1, {}, std::string("\xff\0", 2));
  const auto results = stream->ReceiveResults(3);
  ASSERT_THAT(results, SizeIs(3));
  EXPECT_THAT(results, Each(Field(&WorkResult::outcome, v1::OUTCOME_FAILED)));
  EXPECT_EQ(results[0].report.error(), "plan: this worker runs the suite 'sleep', not 'fio'");
  EXPECT_THAT(results[1].report.error(), HasSubstr("plan: spec: the last argument"));
  EXPECT_THAT(results[2].report.error(), HasSubstr("plan: sleep: '\\xff' is not a time"));
}

TEST_F(SleepAgentTest, SmallerLimitEndsTheJobAsTimedOut) {
  AgentOptions options = Options();
  options.limit = std::chrono::milliseconds(5);
  RunningAgent agent(options, kForever);
  const auto stream = frontend_.Accept();
  stream->Welcome();
  v1::JobOptions longer;
  longer.set_limit_ns(3'600'000'000'000);
  v1::JobOptions shorter;
  shorter.set_limit_ns(1'000'000);
  stream->SendAssigns(1, 1, longer);
  stream->SendAssigns(2, 1, shorter);
  const auto results = stream->ReceiveResults(2);
  EXPECT_THAT(results, SizeIs(2));
  for (const WorkResult& result : results) {
    EXPECT_EQ(result.outcome, v1::OUTCOME_TIMED_OUT);
    EXPECT_EQ(result.report.error(),
              result.job == 1 ? "ran past its limit of 0.005 s" : "ran past its limit of 0.001 s");
  }
}

TEST_F(SleepAgentTest, CancelledJobIsAnsweredAsCancelled) {
  RunningAgent agent(Options(), kForever);
  const auto stream = frontend_.Accept();
  stream->Welcome();
  stream->SendAssigns(1, 2);
  stream->SendCancel(2);
  const auto results = stream->ReceiveResults(1);
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results[0].job, 2u);
  EXPECT_EQ(results[0].outcome, v1::OUTCOME_CANCELLED);
  EXPECT_FALSE(results[0].handed_back);
}

TEST_F(SleepAgentTest, CancelOfWhatWasAnsweredIsNotAnsweredAgain) {
  RunningAgent agent(Options(), Duration::zero());
  const auto stream = frontend_.Accept();
  stream->Welcome();
  stream->SendAssigns(1, 1);
  EXPECT_THAT(stream->ReceiveResults(1), SizeIs(1));
  stream->SendCancel(1);
  stream->SendCancel(99);
  stream->SendAssigns(2, 1);
  EXPECT_THAT(stream->ReceiveResults(1), ElementsAre(Field(&WorkResult::job, 2u)));
  agent.Shutdown();
  EXPECT_EQ(stream->ReceiveEnd(), 0u);
}

TEST_F(SleepAgentTest, HeartbeatsOfAnIdleProcessComeWithinItsIdleLease) {
  RunningAgent agent(Options(), kForever);
  const auto stream = frontend_.Accept();
  const Instant start = Now();
  stream->Welcome(std::chrono::seconds(60), std::chrono::milliseconds(50));
  for (int i = 0; i < 3; ++i) {
    const auto message = stream->Receive();
    ASSERT_TRUE(message);
    EXPECT_EQ(message->ByteSizeLong(), 0U);
  }
  EXPECT_GE(Now() - start, 2 * std::chrono::milliseconds(40)) << "and no more often";
  agent.Shutdown();
}

TEST_F(SleepAgentTest, HeartbeatsComeWhileAJobRunsAndNotOtherwise) {
  RunningAgent agent(Options(), kForever);
  const auto stream = frontend_.Accept();
  stream->Welcome(std::chrono::milliseconds(30));
  stream->SendAssigns(1, 1);
  for (int i = 0; i < 3; ++i) {
    const auto message = stream->Receive();
    ASSERT_TRUE(message);
    EXPECT_EQ(message->ByteSizeLong(), 0U);
  }
  stream->SendCancel(1);
  bool answered = false;
  while (!answered) {
    const auto message = stream->Receive();
    ASSERT_TRUE(message);
    answered = message->has_results();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // for five that must not come
  agent.Shutdown();
  const auto next = stream->Receive();
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->draining()) << next->DebugString();
}

// ---- Leaving

TEST_F(SleepAgentTest, ShutdownOfAnIdleWorkerHalfClosesAndExitsWithZero) {
  RunningAgent agent(Options(), kForever);
  const auto stream = frontend_.Accept();
  stream->Welcome();
  stream->SendAssigns(1, 1, {}, std::string("0\0", 2));
  stream->ReceiveResults(1);
  agent.Shutdown();
  EXPECT_TRUE(stream->ReceiveDraining());
  EXPECT_EQ(stream->ReceiveEnd(), 0u);
  EXPECT_EQ(agent.ExitCode(), 0);
}

// The frontend may have given it jobs, which would be lost with a worker that is only gone.
TEST_F(SleepAgentTest, ShutdownBeforeTheWelcomeSaysThatTheWorkerLeaves) {
  RunningAgent agent(Options(), kForever);
  const auto stream = frontend_.Accept();
  const auto hello = stream->Receive();
  ASSERT_TRUE(hello && hello->has_hello());
  agent.Shutdown();
  const auto last = stream->Receive();
  ASSERT_TRUE(last);
  EXPECT_TRUE(last->leaving());
  EXPECT_EQ(stream->ReceiveEnd(), 0u);
  EXPECT_EQ(agent.ExitCode(), 0);
}

TEST_F(SleepAgentTest, ShutdownFinishesTheJobAtHandAndHandsBackWhatCrosses) {
  RunningAgent agent(Options(), kForever);
  const auto stream = AcceptAndStart(1);
  agent.Shutdown();
  EXPECT_TRUE(stream->ReceiveDraining());
  stream->SendAssigns(2, 1);
  const auto crossed = stream->ReceiveResults(1);
  ASSERT_THAT(crossed, SizeIs(1));
  EXPECT_EQ(crossed[0].job, 2u);
  EXPECT_TRUE(crossed[0].handed_back);
  stream->SendCancel(1);  // the job at hand ends
  EXPECT_THAT(stream->ReceiveResults(1), ElementsAre(Field(&WorkResult::job, 1u)));
  EXPECT_EQ(stream->ReceiveEnd(), 0u);
  EXPECT_EQ(agent.ExitCode(), 0);
}

TEST_F(SleepAgentTest, SecondShutdownHandsBackTheJobsAtHand) {
  RunningAgent agent(Options(), kForever);
  const auto stream = AcceptAndStart(2);
  agent.Shutdown();
  EXPECT_TRUE(stream->ReceiveDraining());
  agent.Shutdown();
  const auto results = stream->ReceiveResults(2);
  EXPECT_THAT(results, SizeIs(2));
  EXPECT_THAT(results, Each(Field(&WorkResult::handed_back, true)));
  EXPECT_EQ(stream->ReceiveEnd(), 0u);
  EXPECT_EQ(agent.ExitCode(), 0);
}

TEST_F(SleepAgentTest, DrainLimitHandsBackTheJobsAtHand) {
  AgentOptions options = Options();
  options.drain_limit = std::chrono::milliseconds(10);
  RunningAgent agent(options, kForever);
  const auto stream = AcceptAndStart(1);
  agent.Shutdown();
  EXPECT_THAT(stream->ReceiveResults(1), ElementsAre(Field(&WorkResult::handed_back, true)));
  stream->ReceiveEnd();
  EXPECT_EQ(agent.ExitCode(), 0);
}

TEST_F(SleepAgentTest, DrainOfTheFrontendFinishesTheJobAtHandAndLeaves) {
  AgentOptions options = Options();
  options.drain_limit = Duration::zero();  // is for SIGTERM only
  RunningAgent agent(options, kForever);
  const auto stream = frontend_.Accept();
  stream->Welcome();
  stream->SendAssigns(1, 1, {}, std::string("0.05\0", 5));
  stream->SendDrain();
  const auto results = stream->ReceiveResults(1);
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results[0].outcome, v1::OUTCOME_SUCCEEDED);
  EXPECT_FALSE(results[0].handed_back);
  EXPECT_EQ(stream->ReceiveEnd(), 0u);
  EXPECT_EQ(agent.ExitCode(), 0);
}

TEST_F(SleepAgentTest, StreamThatBreaksWhileLeavingExitsWithOne) {
  RunningAgent agent(Options(), kForever);
  const auto stream = frontend_.Accept();
  stream->Welcome();
  stream->AnswerHalfCloseWith(absl::UnavailableError("gone"));
  stream->SendDrain();
  EXPECT_EQ(agent.ExitCode(), 1);
}

// ---- Reconnecting

TEST_F(SleepAgentTest, ReconnectKeepsTheJobsAtHandAndDeliversWhatEndedMeanwhile) {
  RunningAgent agent(Options(), kForever);
  const auto first = frontend_.Accept();
  first->Welcome();
  first->SendAssigns(1, 2);
  first->SendAssigns(3, 1, {}, std::string("1\0", 2));
  first->SendAssigns(9, 1, {}, std::string("0\0", 2));
  EXPECT_THAT(first->ReceiveResults(1), ElementsAre(Field(&WorkResult::job, 9u)));
  first->Close(absl::UnavailableError("restart"));

  const auto second = frontend_.Accept();
  const auto hello_message = second->Receive();
  ASSERT_TRUE(hello_message && hello_message->has_hello());
  const v1::Hello& hello = hello_message->hello();
  EXPECT_EQ(hello.process_key(), 77u);
  EXPECT_THAT(hello.held_jobs(), UnorderedElementsAre(1, 2, 3));
  EXPECT_THAT(hello.held_attempts(), ElementsAre(1, 1, 1));
  // Not welcome yet: the result of job 3 has to wait for it, however long that takes.
  second->Close(absl::UnavailableError("restart again"));

  const auto third = frontend_.Accept();
  EXPECT_EQ(third->Welcome().held_jobs_size(), 3);
  EXPECT_THAT(third->ReceiveResults(1), ElementsAre(Field(&WorkResult::job, 3u)));
  third->SendCancel(1);
  third->SendCancel(2);
  EXPECT_THAT(third->ReceiveResults(2),
              UnorderedElementsAre(Field(&WorkResult::job, 1u), Field(&WorkResult::job, 2u)));
}

TEST_F(SleepAgentTest, RefusedHelloIsTriedAgainIfItMayWait) {
  RunningAgent agent(Options(), kForever);
  frontend_.Accept()->Close(absl::NotFoundError("no queue 'sleep'"));
  EXPECT_EQ(frontend_.Accept()->Welcome().queue(), "sleep");
}

TEST_F(SleepAgentTest, RefusedHelloExitsWithOneIfItMayNotWait) {
  AgentOptions options = Options();
  options.link.give_up = std::chrono::seconds(60);
  RunningAgent agent(options, kForever);
  frontend_.Accept()->Close(absl::NotFoundError("no queue 'sleep'"));
  EXPECT_EQ(agent.ExitCode(), 1);
}

TEST_F(SleepAgentTest, AbsentFrontendExitsWithOneIfItMayNotWait) {
  AgentOptions options = Options();
  options.link.address = "127.0.0.1:1";
  options.link.give_up = std::chrono::milliseconds(50);
  RunningAgent agent(options, kForever);
  EXPECT_EQ(agent.ExitCode(), 1);
}

TEST_F(SleepAgentTest, ShutdownWithoutFrontendAndJobsExitsWithZero) {
  AgentOptions options = Options();
  options.link.address = "127.0.0.1:1";
  RunningAgent agent(options, kForever);
  agent.Shutdown();
  EXPECT_EQ(agent.ExitCode(), 0);
}

TEST_F(SleepAgentTest, ShutdownWithJobsAndWithoutFrontendIsBoundedAndSaysSo) {
  AgentOptions options = Options();
  options.drain_limit = std::chrono::milliseconds(20);
  RunningAgent agent(options, kForever);
  const auto stream = AcceptAndStart(1);
  stream->Close(absl::UnavailableError("gone"));
  const auto silent = frontend_.Accept();  // never welcomes
  agent.Shutdown();
  EXPECT_EQ(agent.ExitCode(), 1);
}

}  // namespace
}  // namespace twofold::backend
