#include <gmock/gmock.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>

#include "backend/rsh/gang_file.h"
#include "lib/rpc/limits.h"
#include "tests/backend/peers/peers_fixture.h"

namespace twofold::backend {
namespace {

using ::testing::HasSubstr;

class CollectTest : public PeersTest {
 protected:
  using Collected = Result<v1::RankRecord>;

  std::future<Collected> Ask(std::uint32_t rank, bool stop = false) {
    const auto told = std::make_shared<std::promise<Collected>>();
    auto answer = told->get_future();
    OnLoop([&] {
      peers_->Collect(Seat(0), rank, stop,
                      [told](Collected result) { told->set_value(std::move(result)); });
    });
    return answer;
  }
  static std::string Why(const Collected& result) { return std::string(result.status().message()); }

  void Collect(bool stop, PeerLink::OnRecord on_record) override {
    stopped_ = stop;
    if (waits_) {
      held_ = std::move(on_record);
    } else {
      on_record(record_);
    }
  }

  /// As Ask, of a member that is not there: it has been tried, and waits to be tried again.
  std::future<Collected> AskNobody() {
    nobody_.open(boost::asio::ip::tcp::v4());
    nobody_.bind({boost::asio::ip::address_v4::loopback(), 0});
    roster_.mutable_peers(1)->set_port(nobody_.local_endpoint().port());
    auto answer = Ask(1);
    EXPECT_EQ(answer.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
    return answer;
  }

  boost::asio::ip::tcp::socket nobody_{io_};  // has a port, and does not listen
  v1::RankRecord record_;
  bool waits_ = false;
  std::optional<bool> stopped_;
  PeerLink::OnRecord held_;
};

TEST_F(CollectTest, MemberAnswersWithItsRecord) {
  record_.set_kernel("6.1");
  Announce(2, false);
  const Collected stopped = Ask(2, true).get();
  ASSERT_TRUE(stopped.ok()) << stopped.status();
  EXPECT_EQ(stopped->kernel(), "6.1");
  EXPECT_EQ(stopped_, true);
  EXPECT_TRUE(Ask(2, false).get().ok());
  EXPECT_EQ(stopped_, false);
}

TEST_F(CollectTest, MemberThatTakesItsTimeIsWaitedFor) {
  waits_ = true;
  Announce(1);
  auto answer = Ask(1);
  EXPECT_TRUE(testing::Await([&] { return OnLoop([&] { return held_ != nullptr; }); }));
  EXPECT_EQ(answer.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  OnLoop([&] { held_(record_); });
  EXPECT_TRUE(answer.get().ok());
}

TEST_F(CollectTest, MemberThatIsWithdrawnDoesNotKeepItsCallerWaiting) {
  waits_ = true;
  Announce(1);
  auto answer = Ask(1);
  EXPECT_TRUE(testing::Await([&] { return OnLoop([&] { return held_ != nullptr; }); }));
  Withdraw(1).get();
  EXPECT_THAT(Why(answer.get()), HasSubstr("does not run this attempt any more"));
}

TEST_F(CollectTest, WorkerThatServesNobodyIsSaid) {
  roster_.mutable_peers(1)->set_port(0);
  EXPECT_THAT(Why(Ask(1).get()), HasSubstr("--peers-address"));
}

TEST_F(CollectTest, StrangersAreTurnedAway) {
  Announce(1);
  v1::CollectRequest request;
  *request.mutable_member() = Key(1);
  request.mutable_member()->set_secret(std::string(kSecretBytes, 't'));
  v1::CollectReply reply;
  grpc::ClientContext context;
  const grpc::Status status = stub_->Collect(&context, request, &reply);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(status.error_message(), "");
  EXPECT_FALSE(stopped_.has_value());
}

TEST_F(CollectTest, RecordThatNoMessageHoldsIsSaid) {
  record_.set_cpu(std::string(rpc::kMaxMessageBytes, 'x'));
  Announce(1);
  EXPECT_THAT(Why(Ask(1).get()), HasSubstr("too many for one message"));
}

TEST_F(CollectTest, MemberThatIsNotReachedIsTriedAgain) {
  auto answer = AskNobody();
  const std::string address = "127.0.0.1:" + std::to_string(roster_.peers(1).port());
  nobody_.close();
  const auto late = OnLoop([&] {
    auto peers = StartPeers(address);
    peers->Announce(Seat(1), *this, false, {}, "");
    return peers;
  });
  EXPECT_TRUE(answer.get().ok());
  StopPeers();
}

TEST_F(CollectTest, MemberThatIsNotReachedMayBeForgotten) {
  auto answer = AskNobody();
  OnLoop([&] { peers_->Forget(IdOf(Seat(0))); });
  EXPECT_THROW(answer.get(), std::future_error);
}

TEST_F(CollectTest, ProcessEndsWhileAMemberIsTriedAgain) {
  auto answer = AskNobody();
  StopPeers();
  EXPECT_THROW(answer.get(), std::future_error);
}

TEST_F(CollectTest, WhoeverIsToldMayForgetAndAskAgain) {
  Announce(1);
  const auto told = std::make_shared<std::promise<Collected>>();
  auto answer = told->get_future();
  OnLoop([&] {
    peers_->Collect(Seat(0), 1, false, [this, told](const Collected&) {
      peers_->Forget(IdOf(Seat(0)));
      peers_->Collect(Seat(0), 1, true,
                      [told](Collected result) { told->set_value(std::move(result)); });
    });
  });
  EXPECT_TRUE(answer.get().ok());
  EXPECT_EQ(stopped_, true);
}

TEST_F(CollectTest, ForgottenCallsAreNotTold) {
  waits_ = true;
  Announce(1);
  auto answer = Ask(1);
  OnLoop([&] { peers_->Forget(IdOf(Seat(0))); });
  EXPECT_THROW(answer.get(), std::future_error);
}

TEST_F(CollectTest, ForgottenCallsGoWithALoopThatEndsAtOnce) {
  waits_ = true;
  Announce(1);
  auto answer = Ask(1);
  EXPECT_TRUE(testing::Await([&] { return OnLoop([&] { return held_ != nullptr; }); }));
  OnLoop([&] {
    peers_->Forget(IdOf(Seat(0)));
    io_.stop();
  });
  StopPeers();
  EXPECT_THROW(answer.get(), std::future_error);
}

TEST_F(CollectTest, ProcessEndsWhileCallsAreOpenAtBothEnds) {
  waits_ = true;
  Announce(1);
  const auto answer = Ask(1);
  EXPECT_TRUE(testing::Await([&] { return OnLoop([&] { return held_ != nullptr; }); }));
  StopPeers();
}

TEST_F(CollectTest, GangFileTellsRankZeroAllThatItNeeds) {
  const auto environment = OnLoop([&] { return peers_->Environment(Seat(0)); });
  ASSERT_EQ(environment.size(), 1U);
  const std::string path = environment[0].substr(environment[0].find('=') + 1);
  const auto file = gang::Read(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->gang.roster.job(), 17U);
  EXPECT_EQ(file->gang.roster.secret(), roster_.secret());
  EXPECT_EQ(file->gang.roster.peers(2).pod(), "pod-2");
  EXPECT_EQ(file->gang.roster.peers(2).port(), peers_->port());
  OnLoop([&] { peers_->Forget(IdOf(Seat(0))); });
  gang::AwaitRelease(file->descriptor);
  EXPECT_FALSE(gang::Read(path).ok());
  close(file->descriptor);
}

}  // namespace
}  // namespace twofold::backend
