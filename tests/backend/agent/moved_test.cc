#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <thread>

#include "tests/backend/agent/agent_fixture.h"

namespace twofold::backend {
namespace {

using fakes::FakeWorkersService;
using fakes::FakeWorkStream;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using WorkResult = FakeWorkStream::Result;

const std::string kEndsAtOnce("0\0", 2);  // arguments of a job

/// `frontend_` is the first contact, `owner_` another frontend.
class MovedTest : public AgentTest {
 protected:
  static void SendMoved(FakeWorkStream& stream, std::uint64_t epoch,
                        std::initializer_list<std::string> addresses) {
    v1::FrontendMessage message;
    message.mutable_moved()->set_queue("sleep");
    message.mutable_moved()->set_epoch(epoch);
    for (const std::string& address : addresses) {
      message.mutable_moved()->add_shards()->set_worker_address(address);
    }
    stream.Send(message);
  }

  /// The next stream to `frontend` is told this in answer to its Hello, which is returned.
  static v1::Hello AnswerMoved(FakeWorkersService& frontend, std::uint64_t epoch,
                               std::initializer_list<std::string> addresses) {
    const auto stream = frontend.Accept();
    const std::optional<v1::WorkerMessage> first = stream->Receive();
    EXPECT_TRUE(first && first->has_hello());
    SendMoved(*stream, epoch, addresses);
    EXPECT_EQ(stream->ReceiveEnd(), 0u);
    return first ? first->hello() : v1::Hello();
  }

  FakeWorkersService owner_;
};

TEST_F(MovedTest, InAnswerToHelloTheOwnerGetsTheSameHello) {
  RunningAgent agent(Options(), kForever);
  EXPECT_EQ(AnswerMoved(frontend_, 5, {owner_.address()}).moved_epoch(), 0u);
  const auto stream = owner_.Accept();
  const v1::Hello hello = stream->Welcome();
  EXPECT_EQ(hello.moved_epoch(), 5u);
  EXPECT_EQ(hello.queue(), "sleep");
  EXPECT_EQ(hello.process_key(), 77u);
  stream->SendAssigns(1, 1, {}, kEndsAtOnce);
  EXPECT_THAT(stream->ReceiveResults(1), SizeIs(1));
  EXPECT_TRUE(agent.registered());
}

TEST_F(MovedTest, WhatRunsMovesAlongAndIsAnsweredOnce) {
  RunningAgent agent(Options(), kForever);
  const auto first = frontend_.Accept();
  first->Welcome();
  first->SendAssigns(1, 2);
  first->SendAssigns(3, 1, {}, kEndsAtOnce);
  EXPECT_THAT(first->ReceiveResults(1), ElementsAre(Field(&WorkResult::job, 3u)));
  SendMoved(*first, 5, {owner_.address()});
  EXPECT_EQ(first->ReceiveEnd(), 0u);
  const auto second = owner_.Accept();
  const v1::Hello hello = second->Welcome();
  EXPECT_THAT(hello.held_jobs(), UnorderedElementsAre(1, 2));
  EXPECT_THAT(hello.held_attempts(), ElementsAre(1, 1));
  second->SendCancel(1);
  second->SendCancel(2);
  EXPECT_THAT(second->ReceiveResults(2),
              UnorderedElementsAre(Field(&WorkResult::job, 1u), Field(&WorkResult::job, 2u)));
  agent.Shutdown();
  EXPECT_EQ(second->ReceiveEnd(), 0u);
  EXPECT_EQ(agent.ExitCode(), 0);
}

// Whenever a job ends beside the move, its result goes to one of the two frontends.
TEST_F(MovedTest, ResultsAroundTheMoveArriveOnce) {
  RunningAgent agent(Options(100), std::chrono::milliseconds(1));
  auto stream = frontend_.Accept();
  stream->Welcome();
  std::size_t results = 0;
  constexpr std::uint64_t kMoves = 20;
  for (std::uint64_t move = 1; move <= kMoves; ++move) {
    stream->SendAssigns(move * 100, 100);
    SendMoved(*stream, move, {(move % 2 == 1 ? owner_ : frontend_).address()});
    results += stream->ReceiveEnd();
    stream = (move % 2 == 1 ? owner_ : frontend_).Accept();
    // Those that ended with no stream up are held, too. Next come the results of all that is held.
    const auto held = static_cast<std::size_t>(stream->Welcome().held_jobs_size());
    results += stream->ReceiveResults(held).size();
    EXPECT_EQ(results, move * 100);
  }
}

TEST_F(MovedTest, KeepsADurableResultUntilTheOwnerHasKeptIt) {
  RunningAgent agent(Options(), kForever);
  const auto first = frontend_.Accept();
  first->Welcome();
  v1::JobOptions durable;
  durable.set_durable(true);
  first->SendAssigns(1, 1, durable, kEndsAtOnce);
  EXPECT_THAT(first->ReceiveResults(1), SizeIs(1));
  SendMoved(*first, 5, {owner_.address()});
  const auto second = owner_.Accept();
  EXPECT_THAT(second->Welcome().held_jobs(), ElementsAre(1));
  EXPECT_THAT(second->ReceiveResults(1), ElementsAre(Field(&WorkResult::job, 1u)));
  second->SendKept(1);
  agent.Shutdown();
  EXPECT_EQ(second->ReceiveEnd(), 0u);
  EXPECT_EQ(agent.ExitCode(), 0);
}

TEST_F(MovedTest, FrontendsThatNameEachOtherAreLeftAfterThreeHops) {
  RunningAgent agent(Options(), kForever);
  for (std::uint64_t epoch = 10; epoch < 30; epoch += 10) {
    EXPECT_EQ(AnswerMoved(frontend_, epoch, {owner_.address()}).moved_epoch(), 0u);
    EXPECT_EQ(AnswerMoved(owner_, epoch + 1, {frontend_.address()}).moved_epoch(), epoch);
    EXPECT_EQ(AnswerMoved(frontend_, epoch + 2, {owner_.address()}).moved_epoch(), epoch + 1);
    EXPECT_EQ(AnswerMoved(owner_, epoch + 3, {frontend_.address()}).moved_epoch(), epoch + 2);
  }
}

TEST_F(MovedTest, WhileNobodyServesTheFirstContactIsAskedAgain) {
  RunningAgent agent(Options(), kForever);
  AnswerMoved(frontend_, 5, {owner_.address()});
  const auto stream = owner_.Accept();
  stream->Welcome();
  SendMoved(*stream, 6, {});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(AnswerMoved(frontend_, 6, {}).moved_epoch(), 0u);
  EXPECT_EQ(frontend_.Accept()->Welcome().queue(), "sleep");
}

TEST_F(MovedTest, AfterTheOwnersDeathTheFirstContactKnowsTheNextOne) {
  RunningAgent agent(Options(), kForever);
  FakeWorkersService heir;
  AnswerMoved(frontend_, 5, {owner_.address()});
  const auto stream = owner_.Accept();
  stream->Welcome();
  stream->SendAssigns(1, 1);
  stream->SendAssigns(2, 1, {}, kEndsAtOnce);
  stream->ReceiveResults(1);
  Break(*stream);
  EXPECT_THAT(AnswerMoved(frontend_, 6, {heir.address()}).held_jobs(), ElementsAre(1));
  const v1::Hello hello = heir.Accept()->Welcome();
  EXPECT_EQ(hello.moved_epoch(), 6u);
  EXPECT_THAT(hello.held_jobs(), ElementsAre(1));
}

TEST_F(MovedTest, AnOlderEpochDoesNotLeadAway) {
  RunningAgent agent(Options(), kForever);
  AnswerMoved(frontend_, 9, {owner_.address()});
  EXPECT_EQ(AnswerMoved(owner_, 3, {frontend_.address()}).moved_epoch(), 9u);
  EXPECT_EQ(owner_.Accept()->Welcome().moved_epoch(), 9u);
}

TEST_F(MovedTest, AStreamThatIsNeverEndedIsBrokenOff) {
  AgentOptions options = Options();
  options.link.close_patience = std::chrono::milliseconds(20);
  RunningAgent agent(options, kForever);
  const auto stream = frontend_.Accept();
  stream->Welcome();
  stream->PauseAtHalfClose();
  SendMoved(*stream, 5, {owner_.address()});
  EXPECT_EQ(owner_.Accept()->Welcome().moved_epoch(), 5u);
  stream->Resume();
}

TEST_F(MovedTest, WhatAnOwnerRefusesIsNotFinal) {
  AgentOptions options = Options();
  options.link.give_up = std::chrono::seconds(60);
  RunningAgent agent(options, kForever);
  AnswerMoved(frontend_, 5, {owner_.address()});
  owner_.Accept()->Close(absl::NotFoundError("no queue 'sleep'"));
  EXPECT_EQ(frontend_.Accept()->Welcome().moved_epoch(), 0u);
}

TEST_F(MovedTest, NobodyWelcomingForTooLongIsTheEnd) {
  AgentOptions options = Options();
  options.link.give_up = std::chrono::milliseconds(50);
  RunningAgent agent(options, kForever);
  const auto stream = frontend_.Accept();
  stream->Welcome();
  SendMoved(*stream, 5, {owner_.address()});
  const auto silent = owner_.Accept();
  EXPECT_EQ(agent.ExitCode(), 1);
}

TEST_F(MovedTest, LeavingMeanwhileLosesNoResult) {
  RunningAgent agent(Options(), kForever);
  const auto stream = frontend_.Accept();
  stream->Welcome();
  stream->SendAssigns(9, 1, {}, kEndsAtOnce);
  EXPECT_THAT(stream->ReceiveResults(1), SizeIs(1));
  stream->PauseAtHalfClose();
  stream->SendAssigns(1, 4, {}, kEndsAtOnce);
  SendMoved(*stream, 5, {owner_.address()});
  const Instant deadline = Now() + std::chrono::seconds(20);
  while (agent.registered() && Now() < deadline) std::this_thread::yield();
  EXPECT_FALSE(agent.registered());
  agent.Shutdown();
  agent.Shutdown();  // it would leave without waiting for anything
  stream->Resume();
  EXPECT_EQ(stream->ReceiveEnd(), 4u);
  EXPECT_EQ(agent.ExitCode(), 0);
}

}  // namespace
}  // namespace twofold::backend
