#include <absl/container/flat_hash_map.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/workload/command.h"
#include "tests/backend/workload/recorder.h"

namespace twofold::backend {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Remembers what it was told, and says that nothing is left when the test does.
class FakePeers final : public PeerLink {
 public:
  void Announce(const GangSeat& seat, Member&, bool serves_exec, std::vector<std::string> variables,
                std::string) override {
    EXPECT_TRUE(serves_exec);
    announced[IdOf(seat)] = std::move(variables);
  }
  void Withdraw(const MemberId& id, std::function<void()> on_gone) override {
    if (announced.erase(id) == 0) return on_gone();
    gone = std::move(on_gone);
  }
  std::vector<std::string> Environment(const GangSeat&) override {
    ++gang_files;
    return {"TWOFOLD_GANG=/a/file"};
  }
  void Collect(const GangSeat&, std::uint32_t, bool, OnCollected) override {}
  void Forget(const MemberId& id) override { gang_files -= id.rank == 0 ? 1 : 0; }

  absl::flat_hash_map<MemberId, std::vector<std::string>> announced;
  std::function<void()> gone;
  int gang_files = 0;
};

class CommandPeersTest : public ::testing::Test {
 protected:
  CommandPeersTest() {
    roster_.set_job(17);
    roster_.set_attempt(2);
    roster_.add_peers();
    roster_.add_peers();
  }
  void Start(std::uint32_t rank, const char* text) {
    seat_ = {&roster_, rank};
    command_.emplace(io_, reaper_, process::Program{{"/bin/sh", "-c", text}, true}, &peers_);
    recorder_.emplace(io_, *command_);
    recorder_->Start(0, {}, &seat_);
  }

  boost::asio::io_context io_;
  process::Reaper reaper_{io_};
  v1::GangRoster roster_;
  GangSeat seat_{};
  FakePeers peers_;
  std::optional<Command> command_;
  std::optional<Recorder> recorder_;
};

TEST_F(CommandPeersTest, MemberCanBeCalledBeforeItIsReadyAndEndsWhenNothingIsLeft) {
  Start(1, "echo >&3; exec sleep 600");
  const MemberId id = IdOf(seat_);
  ASSERT_TRUE(peers_.announced.contains(id));
  const std::vector<std::string> variables = peers_.announced.at(id);
  EXPECT_THAT(variables, Contains("TWOFOLD_GANG_RANK=1"));
  EXPECT_THAT(variables, Contains("TWOFOLD_READY_FD"));  // not that of the member's own program
  recorder_->AwaitThat([&] { return recorder_->ready().contains(0); });
  command_->Go(0, Now());
  command_->Stop(0);
  recorder_->AwaitThat([&] { return peers_.gone != nullptr; });
  command_->Stop(0);  // again, as it takes its time
  EXPECT_THAT(recorder_->ends(), IsEmpty());
  peers_.gone();
  EXPECT_EQ(recorder_->ends().size(), 1U);
}

TEST_F(CommandPeersTest, RankZeroFindsTheGangFileAndIsForgottenAtItsEnd) {
  Start(0, "echo \"$TWOFOLD_GANG\"");
  EXPECT_EQ(peers_.gang_files, 1);
  command_->Go(0, Now());
  recorder_->Await(1);
  EXPECT_THAT(recorder_->ends().at(0).report.output(), HasSubstr("/a/file\n"));
  EXPECT_EQ(peers_.gang_files, 0);
}

TEST_F(CommandPeersTest, RankZeroThatIsStoppedBeforeTheStartIsForgotten) {
  Start(0, "exit 1");
  command_->Stop(0);
  EXPECT_EQ(recorder_->ends().size(), 1U);
  EXPECT_EQ(peers_.gang_files, 0);
}

}  // namespace
}  // namespace twofold::backend
