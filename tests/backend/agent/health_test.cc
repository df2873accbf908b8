#include "backend/agent/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lib/http/client.h"

namespace twofold::backend {
namespace {

using ::testing::HasSubstr;

TEST(Health, LoopThatTurnsIsHealthyAndOneThatHangsIsNot) {
  EXPECT_EQ(Healthz(Duration(0)).status, 200);
  EXPECT_EQ(Healthz(Health::kHung - Duration(1)).status, 200);
  const http::Response hung = Healthz(std::chrono::seconds(31));
  EXPECT_EQ(hung.status, 503);
  EXPECT_THAT(hung.body, HasSubstr("not turned for 31 s"));
}

TEST(Health, ReadyMeansRegisteredAtTheFrontend) {
  boost::asio::io_context io;
  std::atomic<bool> registered = false;
  const auto health = Health::Start(io, {"127.0.0.1", 0}, [&] { return registered.load(); });
  ASSERT_TRUE(health.ok()) << health.status();
  const std::string url = "http://127.0.0.1:" + std::to_string((*health)->port());
  const auto status = [&](const std::string& path) {
    const auto response = http::Get(url + path, std::chrono::seconds(10));
    return response.ok() ? response->status : 0;
  };
  EXPECT_EQ(status("/readyz"), 503);
  EXPECT_EQ(status("/healthz"), 200);
  registered = true;
  EXPECT_EQ(status("/readyz"), 200);
  EXPECT_EQ(status("/nonsense"), 404);
}

TEST(Health, AddressInUseIsAnError) {
  boost::asio::io_context io;
  const auto first = Health::Start(io, {"127.0.0.1", 0}, [] { return true; });
  ASSERT_TRUE(first.ok());
  const auto second = Health::Start(io, {"127.0.0.1", (*first)->port()}, [] { return true; });
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace twofold::backend
