#include "lib/load/engine/session.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "tests/fakes/fake_frontend.h"

namespace twofold::load {
namespace {

using fakes::FakeEnd;
using fakes::FakeFrontend;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kPatience = seconds(10);

JobTemplate Job() {
  JobTemplate job;
  job.options.set_queue("sleep");
  job.spec = "0.1";
  return job;
}

/// Looks until `condition` holds; false: it did not within 20 seconds.
template <typename Condition>
bool Eventually(const Generator& generator, Condition condition) {
  const Instant deadline = Now() + seconds(20);
  while (Now() < deadline) {
    if (condition(generator.Look())) return true;
    std::this_thread::sleep_for(milliseconds(5));  // between looks
  }
  return false;
}

FakeEnd Rejection(const char* error, Duration retry_after) {
  FakeEnd end;
  end.outcome = v1::OUTCOME_REJECTED;
  end.error = error;
  end.retry_after = retry_after;
  return end;
}

std::uint64_t Succeeded(const Snapshot& seen) {
  return seen.totals.finished[v1::OUTCOME_SUCCEEDED];
}

class SessionTest : public testing::Test {
 protected:
  void Start(fakes::FakeBehaviour behaviour) {
    frontend = std::make_unique<FakeFrontend>(std::move(behaviour));
    Connect(frontend->address());
  }

  void Connect(const std::string& address) {
    session = std::make_unique<Session>(address, Job(), generator);
    session->Start();
  }

  void Restart(fakes::FakeBehaviour behaviour) {
    const int port = frontend->port();
    frontend.reset();
    frontend = std::make_unique<FakeFrontend>(std::move(behaviour), port);
  }

  bool AwaitHeld(std::size_t count) {
    return frontend->Await([count](std::uint64_t, std::size_t held) { return held == count; });
  }

  Generator generator{"sleep", "fake", Now()};
  std::unique_ptr<FakeFrontend> frontend;
  std::unique_ptr<Session> session;  // goes first
};

TEST_F(SessionTest, JobsCarryOptionsAndSpec) {
  std::string queue;
  std::string spec;
  Start([&](const v1::JobOptions& options, std::string_view bytes) {
    queue = options.queue();
    spec = bytes;
    return std::nullopt;
  });
  generator.SetParallelism(1);
  ASSERT_TRUE(AwaitHeld(1));
  session->Stop(Duration(0));
  EXPECT_EQ(queue, "sleep");
  EXPECT_EQ(spec, "0.1");
}

TEST_F(SessionTest, KeepsParallelismJobsAtTheFrontend) {
  Start(fakes::Hold());
  generator.SetParallelism(7);
  ASSERT_TRUE(AwaitHeld(7));
  frontend->Release();
  ASSERT_TRUE(frontend->Await(
      [](std::uint64_t received, std::size_t held) { return received == 14 && held == 7; }));
  EXPECT_TRUE(Eventually(generator, [](const Snapshot& seen) { return Succeeded(seen) == 7; }));
}

TEST_F(SessionTest, LoweringLetsJobsEndWithoutReplacement) {
  Start(fakes::Hold());
  generator.SetParallelism(7);
  ASSERT_TRUE(AwaitHeld(7));
  generator.SetParallelism(2);
  frontend->Release();
  ASSERT_TRUE(AwaitHeld(2));
  EXPECT_EQ(frontend->received(), 9U);
}

TEST_F(SessionTest, ManyRoundTripsLoseAndDoubleNothing) {
  Start(fakes::Succeed());
  generator.SetParallelism(64);
  ASSERT_TRUE(Eventually(generator, [](const Snapshot& seen) { return Succeeded(seen) > 20'000; }));
  session->Stop(kPatience);
  const Snapshot seen = generator.Look();
  EXPECT_EQ(seen.pending, 0U);
  EXPECT_EQ(seen.totals.unknown_answers, 0U);
  EXPECT_EQ(Succeeded(seen), frontend->received());
}

TEST_F(SessionTest, AHundredThousandJobsOutstanding) {
  Start(fakes::Hold());
  generator.SetParallelism(100'000);
  ASSERT_TRUE(AwaitHeld(100'000));
  frontend->Release();
  ASSERT_TRUE(frontend->Await([](std::uint64_t received, std::size_t held) {
    return received == 200'000 && held == 100'000;
  }));
  EXPECT_TRUE(
      Eventually(generator, [](const Snapshot& seen) { return Succeeded(seen) == 100'000; }));
  EXPECT_EQ(generator.outstanding(), 100'000U);
}

TEST_F(SessionTest, ARestartedFrontendGetsWhatHadNoAnswerAgain) {
  Start(fakes::Hold());
  generator.SetParallelism(50);
  ASSERT_TRUE(AwaitHeld(50));
  const std::set<std::uint64_t> before = frontend->held();
  Restart(fakes::Hold());
  ASSERT_TRUE(AwaitHeld(50));
  EXPECT_EQ(frontend->held(), before);
  EXPECT_EQ(generator.outstanding(), 50U);
  const Snapshot seen = generator.Look();
  EXPECT_EQ(seen.interruptions, 1U);
  EXPECT_EQ(seen.link, Link::kConnected);
  EXPECT_EQ(Succeeded(seen), 0U);
}

TEST_F(SessionTest, RestartsUnderLoadCountNoJobTwice) {
  Start(fakes::Succeed());
  generator.SetParallelism(500);
  std::uint64_t done = 0;
  for (std::uint64_t restarts = 1; restarts <= 3; ++restarts) {
    ASSERT_TRUE(
        Eventually(generator, [&](const Snapshot& seen) { return Succeeded(seen) > done + 1000; }));
    Restart(fakes::Succeed());
    done = Succeeded(generator.Look());
    ASSERT_TRUE(Eventually(
        generator, [&](const Snapshot& seen) { return seen.totals.interruptions == restarts; }));
  }
  ASSERT_TRUE(Eventually(generator, [&](const Snapshot& seen) {
    return seen.link == Link::kConnected && Succeeded(seen) > done + 1000;
  }));
  EXPECT_EQ(generator.outstanding(), 500U);
  session->Stop(kPatience);
  const Snapshot seen = generator.Look();
  EXPECT_EQ(seen.pending, 0U);
  EXPECT_EQ(seen.totals.unknown_answers, 0U);
}

TEST_F(SessionTest, TheRoundTripHasTheWholeTimeAcrossARestart) {
  Start(fakes::Hold());
  generator.SetParallelism(1);
  ASSERT_TRUE(AwaitHeld(1));
  const Instant submitted_before = Now();
  Restart(fakes::Hold());
  ASSERT_TRUE(AwaitHeld(1));
  const Duration away = Now() - submitted_before;
  generator.SetParallelism(0);
  frontend->Release();
  ASSERT_TRUE(Eventually(generator, [](const Snapshot& seen) { return Succeeded(seen) == 1; }));
  EXPECT_GE(generator.Look().times.from_send.ended.Max(), away);
}

TEST_F(SessionTest, ComesBackAfterAStreamThatWasEnded) {
  Start(fakes::Hold());
  generator.SetParallelism(3);
  ASSERT_TRUE(AwaitHeld(3));
  frontend->EndStreams(absl::PermissionDeniedError("not you"));
  ASSERT_TRUE(frontend->Await(
      [](std::uint64_t received, std::size_t held) { return received == 6 && held == 3; }));
  EXPECT_EQ(generator.Look().interruptions, 1U);
}

TEST_F(SessionTest, WaitsForAFrontendThatIsNotThereYet) {
  int port = 0;
  {
    const FakeFrontend nobody(fakes::Succeed());
    port = nobody.port();
  }
  Connect("127.0.0.1:" + std::to_string(port));
  generator.SetParallelism(2);
  EXPECT_EQ(generator.Look().link, Link::kConnecting);
  frontend = std::make_unique<FakeFrontend>(fakes::Hold(), port);
  ASSERT_TRUE(AwaitHeld(2));
  EXPECT_EQ(generator.Look().totals.interruptions, 0U);
}

TEST_F(SessionTest, RejectedJobsAreTriedAgainAfterTheAdvice) {
  constexpr Duration kAdvice = milliseconds(200);
  Start([&](const v1::JobOptions&, std::string_view) { return Rejection("full", kAdvice); });
  const Instant start = Now();
  generator.SetParallelism(10);
  ASSERT_TRUE(Eventually(generator, [](const Snapshot& seen) { return seen.refused >= 30; }));
  EXPECT_GE(Now() - start, 2 * kAdvice);  // three rounds have two waits between them
  frontend->Behave(fakes::Hold());
  ASSERT_TRUE(AwaitHeld(10));
  const Snapshot seen = generator.Look();
  EXPECT_EQ(seen.pending, 10U);
  EXPECT_EQ(seen.estimate.failed, 0U);
  EXPECT_EQ(seen.errors.at("full"), seen.refused);
}

TEST_F(SessionTest, ManyRejectedJobsAreNotAHotLoop) {
  Start([](const v1::JobOptions&, std::string_view) {
    return Rejection("no such queue", Duration(0));
  });
  generator.SetParallelism(100'000);
  ASSERT_TRUE(Eventually(generator, [](const Snapshot& seen) {
    return seen.refused > 100'000;  // all once, then only the first of them
  }));
  session->Stop(kPatience);
  EXPECT_LT(frontend->received(), 101'000U);
}

TEST_F(SessionTest, AnswersToUnknownTagsAreIgnored) {
  Start(fakes::Hold());
  generator.SetParallelism(2);
  ASSERT_TRUE(AwaitHeld(2));
  frontend->Answer(424242);
  ASSERT_TRUE(
      Eventually(generator, [](const Snapshot& seen) { return seen.totals.unknown_answers == 1; }));
  EXPECT_EQ(generator.outstanding(), 2U);
}

TEST_F(SessionTest, StopWaitsForTheAnswersThatAreMissing) {
  Start(fakes::Hold());
  generator.SetParallelism(5);
  ASSERT_TRUE(AwaitHeld(5));
  frontend->Behave(fakes::Succeed());  // those that come before Stop is heard
  std::thread stopper([this] { session->Stop(kPatience); });
  frontend->Release();
  stopper.join();
  EXPECT_EQ(generator.outstanding(), 0U);
  EXPECT_EQ(Succeeded(generator.Look()), frontend->received());
}

TEST_F(SessionTest, StopEndsWhenNobodyAnswers) {
  Start(fakes::Hold());
  generator.SetParallelism(5);
  ASSERT_TRUE(AwaitHeld(5));
  session->Stop(milliseconds(50));
  EXPECT_EQ(generator.outstanding(), 5U);
}

TEST_F(SessionTest, StopEndsWithoutAFrontend) {
  Start(fakes::Hold());
  generator.SetParallelism(5);
  ASSERT_TRUE(AwaitHeld(5));
  frontend.reset();
  session->Stop(kPatience);
  EXPECT_EQ(generator.outstanding(), 5U);
}

}  // namespace
}  // namespace twofold::load
