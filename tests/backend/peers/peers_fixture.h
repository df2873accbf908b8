#pragma once

#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "backend/peers/peers.h"
#include "backend/workload/loop_on_asio.h"
#include "cli/channel/channel.h"
#include "tests/support/program.h"
#include "twofold/v1/peers.grpc.pb.h"

namespace twofold::backend {

/// A process that serves the members of a gang of three, on loopback, with its loop on a thread of
/// its own.
class PeersTest : public ::testing::Test, protected PeerLink::Member {
 protected:
  using Stream = grpc::ClientReaderWriter<v1::ExecInput, v1::ExecOutput>;

  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    peers_ = StartPeers("127.0.0.1:0");
    ASSERT_NE(peers_, nullptr);
    roster_.set_job(17);
    roster_.set_attempt(2);
    roster_.set_secret(std::string(kSecretBytes, 's'));
    for (int rank = 0; rank < 3; ++rank) {
      v1::Peer& peer = *roster_.add_peers();
      peer.set_node("node-" + std::to_string(rank));
      peer.set_pod("pod-" + std::to_string(rank));
      peer.set_address("127.0.0.1");
      peer.set_port(peers_->port());
    }
    loop_ = std::thread([this] { io_.run(); });
    stub_ = v1::Peers::NewStub(cli::Connect("127.0.0.1:" + std::to_string(peers_->port())));
  }
  void TearDown() override { StopPeers(); }

  std::unique_ptr<Peers> StartPeers(const std::string& address) {
    auto peers = Peers::Start(io_, turns_,
                              {.address = address,
                               .security = Security(),
                               .programs = TWOFOLD_BIN,
                               .folder = folder_ / ""});
    EXPECT_TRUE(peers.ok()) << peers.status();
    return peers.ok() ? *std::move(peers) : nullptr;
  }
  void StopPeers() {
    if (!loop_.joinable()) return;
    io_.stop();
    loop_.join();
    peers_.reset();
  }

  virtual PeersSecurity Security() { return {}; }

  /// On the thread of the loop, and waited for.
  template <typename Function>
  auto OnLoop(Function function) {
    const auto task =
        std::make_shared<std::packaged_task<decltype(function())()>>(std::move(function));
    auto result = task->get_future();
    boost::asio::post(io_, [task] { (*task)(); });
    return result.get();
  }

  GangSeat Seat(std::uint32_t rank) const { return {&roster_, rank}; }
  void Announce(std::uint32_t rank, bool serves_exec = true,
                const std::vector<std::string>& environment = {}) {
    OnLoop([&] { peers_->Announce(Seat(rank), *this, serves_exec, environment, folder_ / ""); });
  }
  /// Told when nothing is left.
  std::future<void> Withdraw(std::uint32_t rank) {
    const auto gone = std::make_shared<std::promise<void>>();
    auto told = gone->get_future();
    OnLoop([&] { peers_->Withdraw(IdOf(Seat(rank)), [gone] { gone->set_value(); }); });
    return told;
  }

  v1::MemberKey Key(std::uint32_t rank) const { return gang::KeyOf(roster_, rank); }

  void Collect(bool, PeerLink::OnRecord on_record) override { on_record({}); }

  testing::TempDir folder_;
  boost::asio::io_context io_{1};
  LoopOnAsio turns_{io_};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  v1::GangRoster roster_;
  std::unique_ptr<Peers> peers_;
  std::unique_ptr<v1::Peers::Stub> stub_;
  std::thread loop_;
};

}  // namespace twofold::backend
