// Frontends that share a database: the one that serves the queue dies, ends, hangs or hands it over
// while it has work, and all that was acknowledged is held against the tables.

#include <algorithm>

#include "tests/integration/frontends_fixture.h"

namespace twofold::testing {
namespace {

class FrontendsOwnerTest : public FrontendsTest {
 protected:
  Status Move(const Member& to) { return FrontendsTest::Move(Running(), to); }

  using Change = grpc::Status (v1::Admin::Stub::*)(grpc::ClientContext*, const v1::QueueRequest&,
                                                   v1::Queue*);
  Status ChangeQueue(Change change) {
    v1::QueueRequest request;
    request.set_queue("sleep");
    v1::Queue reply;
    grpc::ClientContext context;
    const auto stub = v1::Admin::NewStub(cli::Connect(Running().client));
    return cli::FromGrpc(((*stub).*change)(&context, request, &reply));
  }

  /// Moves the queue there, and returns how long no job was acknowledged.
  Duration MoveUnderLoad(Member& to) {
    load_->ForgetPauses();
    // Right after a kill not all know who has the queue.
    Status moved;
    EXPECT_TRUE(Await([&] { return (moved = Move(to)).ok(); })) << moved;
    EXPECT_TRUE(Await([&] { return &Owner() == &to; })) << ListFrontends().DebugString();
    EXPECT_TRUE(load_->AwaitMore(10));
    return load_->tally().longest_pause;
  }

  /// Ends it as Kubernetes does, while callers go to others, and starts it again.
  void RestartInOrder(Member& member) {
    load_->SubmitTo(ClientAddresses(&member));
    member.program->Signal(SIGTERM);
    EXPECT_EQ(member.program->Wait(), 0) << member.program->output();
    EXPECT_TRUE(load_->AwaitMore(20));
    Start(member);
    AwaitOwners();
    load_->SubmitTo(ClientAddresses());
    EXPECT_TRUE(load_->AwaitMore(20));
  }
};

TEST_F(FrontendsOwnerTest, AnotherOneServesTheQueueOfAKilledFrontend) {
  Member& owner = Owner();
  StartLoad(OtherThan(owner));
  load_->ForgetPauses();
  EXPECT_EQ(owner.program->Kill(), -SIGKILL);
  EXPECT_NE(&AwaitOwnerOtherThan(owner), &owner);
  ExpectLoadGoesOn();
  std::cout << "pause after a kill: " << ToSeconds(load_->tally().longest_pause) << " s\n";
  ExpectLedgerHolds();
}

TEST_F(FrontendsOwnerTest, FrontendThatIsStartedAgainUnderItsNameServesItsQueueAtOnce) {
  Member& owner = Owner();
  StartLoad(OtherThan(owner));
  load_->ForgetPauses();
  EXPECT_EQ(owner.program->Kill(), -SIGKILL);
  Start(owner);
  EXPECT_EQ(&Owner(), &owner);
  ExpectLoadGoesOn();
  std::cout << "pause after a restart: " << ToSeconds(load_->tally().longest_pause) << " s\n";
  ExpectLedgerHolds();
}

TEST_F(FrontendsOwnerTest, RollingRestartFailsNoCallAndTriesNoJobTwice) {
  StartLoad(OtherThan(Owner()));
  for (Member& member : members_) RestartInOrder(member);
  ExpectLoadGoesOn();
  EXPECT_THAT(load_->tally().unavailable, ::testing::IsEmpty());
  EXPECT_EQ(ClientFinished(client_, "lost"), 0);
  ExpectLedgerHolds(1);
}

TEST_F(FrontendsOwnerTest, MovedQueueTriesNoJobTwice) {
  Member& home = Owner();
  Member& away = OtherThan(home);
  StartLoad(home);
  Duration longest{0};
  for (Member* const to : {&away, &home, &away, &home}) {
    const Duration pause = MoveUnderLoad(*to);
    std::cout << "pause of a move to " << to->name << ": " << ToSeconds(pause) << " s\n";
    longest = std::max(longest, pause);
  }
  EXPECT_LT(longest, std::chrono::seconds(10));
  ExpectLoadGoesOn();
  EXPECT_THAT(load_->tally().unavailable, ::testing::IsEmpty());
  EXPECT_EQ(ClientFinished(client_, "lost"), 0);
  ExpectLedgerHolds(1);
}

TEST_F(FrontendsOwnerTest, VolatileJobThatNoStreamOwnsKeepsItsIdWhereverItsQueueGoes) {
  Member& home = Owner();
  Member& away = OtherThan(home);
  const auto twofold = [](const Member& asked, Arguments arguments) {
    arguments.insert(arguments.end(), {"--frontend", asked.client, "--output", "json"});
    return std::make_unique<Program>("twofold", arguments);
  };
  const auto submit = twofold(home, {"job", "submit", "sleep"});
  ASSERT_EQ(submit->Wait(), 0) << submit->output();
  const std::string id = nlohmann::json::parse(submit->output()).at("id");
  // The one that neither ends nor drains.
  Member& asked = *std::find_if(members_.begin(), members_.end(), [&](const Member& member) {
    return &member != &home && &member != &away;
  });
  const auto waits = twofold(asked, {"job", "submit", "sleep", "--wait"});
  const auto waiting = [&] {
    return ListFrontends(asked).DebugString().find("waiting: 2") != std::string::npos;
  };
  const auto expect_waiting = [&] {
    EXPECT_TRUE(Await(waiting)) << ListFrontends(asked).DebugString();
    for (const Member& member : members_) {
      if (!member.program->running()) continue;
      const auto get = twofold(member, {"job", "get", id});
      EXPECT_EQ(get->Wait(), 0) << get->output();
      EXPECT_THAT(get->output(), ::testing::HasSubstr("\"waiting\""));
    }
  };
  expect_waiting();
  ASSERT_TRUE(Move(away).ok());
  AwaitOwnerOtherThan(home);
  expect_waiting();

  v1::DrainFrontendRequest drain;
  drain.set_frontend(away.name);
  v1::ListFrontendsReply reply;
  ASSERT_TRUE(CallFrontend(asked, &v1::Frontends::Stub::DrainFrontend, drain, reply).ok());
  AwaitOwnerOtherThan(away);
  expect_waiting();

  EXPECT_TRUE(Await([&] { return Move(home).ok(); }));
  EXPECT_TRUE(Await([&] { return &Owner() == &home; }));
  home.program->Signal(SIGTERM);
  EXPECT_EQ(home.program->Wait(), 0) << home.program->output();
  EXPECT_EQ(&Owner(), &asked);
  expect_waiting();

  worker_address_ = asked.worker;
  backends_.push_back(StartBackend({"sleep", "0"}));
  EXPECT_EQ(waits->Wait(), 0) << waits->output();
  const auto ended = twofold(asked, {"job", "watch", id});
  EXPECT_EQ(ended->Wait(), 0) << ended->output();
}

TEST_F(FrontendsOwnerTest, PausedQueueStaysPausedWhenItsOwnerIsKilled) {
  Member& owner = Owner();
  StartLoad(OtherThan(owner));
  ASSERT_TRUE(ChangeQueue(&v1::Admin::Stub::PauseQueue).ok());
  EXPECT_TRUE(Await([this] { return Number("SELECT count(*) FROM partition WHERE paused") == 1; }));
  EXPECT_EQ(owner.program->Kill(), -SIGKILL);
  AwaitOwnerOtherThan(owner);
  EXPECT_TRUE(Await([this] {
    return Number("SELECT count(*) FROM live WHERE started_unix_ns IS NOT NULL") == 0;
  })) << "what ran ends";
  const std::int64_t ended = Number("SELECT count(*) FROM ended");
  EXPECT_TRUE(load_->AwaitMore(50)) << "jobs are accepted";
  EXPECT_EQ(Number("SELECT count(*) FROM ended"), ended);
  EXPECT_TRUE(Await([this] { return ChangeQueue(&v1::Admin::Stub::ResumeQueue).ok(); }));
  ExpectLoadGoesOn();
  ExpectLedgerHolds();
}

TEST_F(FrontendsOwnerTest, FrozenOwnerIsTakenOverAndCommitsNothingWhenItThaws) {
  Member& owner = Owner();
  StartLoad(OtherThan(owner));
  owner.program->Signal(SIGSTOP);
  stopped_ = &owner;
  load_->SubmitTo(ClientAddresses(&owner));
  Member& next = AwaitOwnerOtherThan(owner);
  const std::string tenure = AwaitOwners()["sleep"];
  EXPECT_TRUE(load_->AwaitMore(50));
  owner.program->Signal(SIGCONT);
  stopped_ = nullptr;
  // It learns who serves the queue now, and sends callers on.
  EXPECT_TRUE(Await([&] { return Tenures(owner)["sleep"] == tenure; }))
      << ListFrontends(owner).DebugString();
  load_->SubmitTo({owner.client});
  ExpectLoadGoesOn();
  EXPECT_EQ(&Owner(), &next);
  ExpectLedgerHolds();
}

class FrontendsDurableLoadTest : public FrontendsOwnerTest {
 protected:
  Arguments Queues() const override { return {"--durable", "sleep", "sleep", "idle", "spare"}; }
};

TEST_F(FrontendsDurableLoadTest, StreamOfDurableJobsHearsOfAllThatEndWhereTheQueueHasMoved) {
  Member& home = Owner();
  Member& away = OtherThan(home);
  worker_address_ = home.worker;
  client_address_ = home.client;
  backends_.push_back(StartBackend({"sleep", "0"}, {"--slots", "4"}));
  client_ = StartClient({"--parallel", "8", "--", "0.01"});
  ExpectVolatileGoesOn();
  for (Member* const to : {&away, &home, &away}) {
    EXPECT_TRUE(Await([&] { return Move(*to).ok(); }));
    EXPECT_TRUE(Await([&] { return &Owner() == to; })) << ListFrontends().DebugString();
    ExpectVolatileGoesOn();
  }
  SetParallel(client_, 0);
  EXPECT_TRUE(Await([this] { return Number("SELECT count(*) FROM live") == 0; }));
  const auto jobs = static_cast<double>(Number("SELECT count(*) FROM ended"));
  EXPECT_TRUE(Await([&] { return VolatileJobs() == jobs; }))
      << VolatileJobs() << " ends of " << jobs;
  EXPECT_EQ(Number("SELECT count(*) FROM ended WHERE outcome <> 0 OR attempts <> 1"), 0);
}

class FrontendsDoorTest : public FrontendsOwnerTest {
 protected:
  Arguments MoreOptions() const override { return {"--relay"}; }
};

TEST_F(FrontendsDoorTest, CallersOfOneFrontendWorkOnWhateverBecomesOfTheOwner) {
  Member& owner = Owner();
  Member& door = OtherThan(owner);
  StartLoad(door);
  EXPECT_EQ(owner.program->Kill(), -SIGKILL);
  EXPECT_NE(&AwaitOwnerOtherThan(owner), &owner);
  ExpectLoadGoesOn();
  Start(owner);
  EXPECT_TRUE(Await([&] { return Move(owner).ok(); })) << "the others do not see it";
  for (Member* const to : {&owner, &door, &owner}) {
    MoveUnderLoad(*to);
    ExpectVolatileGoesOn();
  }
  for (const auto& program : backends_) {
    EXPECT_THAT(program->output(), ::testing::Not(::testing::HasSubstr("is served by")))
        << "a worker was told an address";
  }
  ExpectLedgerHolds();
}

}  // namespace
}  // namespace twofold::testing
