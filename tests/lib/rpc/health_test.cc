#include "lib/rpc/health.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "grpc/health/v1/health.pb.h"
#include "tests/fuzz/fake_call.h"

namespace twofold::rpc {
namespace {

using grpc::health::v1::HealthCheckResponse;

/// Somebody who watches the server as a whole, and what it has been told last.
class Watcher {
 public:
  explicit Watcher(const HealthService& health)
      : call_(Open(health), [this](const auto& bytes) {
          HealthCheckResponse word;
          EXPECT_TRUE(word.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
          last_ = word.status();
        }) {}

  void Ask() { call_.Receive(""); }

  HealthCheckResponse::ServingStatus LastWord() {
    call_.Settle();
    return last_;
  }

 private:
  static std::shared_ptr<ByteStream> Open(const HealthService& health) {
    return *health.Open({.path = "/grpc.health.v1.Health/Watch",
                         .metadata = {},
                         .host = "host",
                         .deadline = std::chrono::system_clock::time_point::max()});
  }

  HealthCheckResponse::ServingStatus last_ = HealthCheckResponse::UNKNOWN;
  fuzz::FakeCall call_;
};

TEST(HealthServiceTest, WatcherIsToldThatTheServerServesAndThatItStops) {
  HealthService health;
  Watcher watcher(health);
  watcher.Ask();
  EXPECT_EQ(watcher.LastWord(), HealthCheckResponse::SERVING);
  health.Stop();
  EXPECT_EQ(watcher.LastWord(), HealthCheckResponse::NOT_SERVING);
}

TEST(HealthServiceTest, WatcherThatComesAfterTheStopIsToldThatNothingIsServed) {
  HealthService health;
  health.Stop();
  Watcher watcher(health);
  watcher.Ask();
  EXPECT_EQ(watcher.LastWord(), HealthCheckResponse::NOT_SERVING);
}

}  // namespace
}  // namespace twofold::rpc
