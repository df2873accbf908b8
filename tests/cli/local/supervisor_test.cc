#include "cli/local/supervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "lib/http/client.h"
#include "tests/cli/local/fake_programs.h"

namespace twofold::local {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr Duration kPlenty = std::chrono::seconds(60);

class SupervisorTest : public FakePrograms {
 protected:
  SupervisorTest() : supervisor_(folder_, Plan(), DeploymentPolicy()) {}

  void SetUp() override {
    FakePrograms::SetUp();
    run_ = std::thread([this] { status_ = supervisor_.Run(); });
    ASSERT_TRUE(Until([&] { return folder_.FindDoor().ok(); }));
    const StateFolder::Door door = folder_.FindDoor().value();
    url_ = "http://" + door.http;
    secret_ = security::Client::WithToken(door.secret);
  }

  void TearDown() override {
    static_cast<void>(http::Post(url_ + "/down", "", kPlenty, secret_));
    run_.join();
    EXPECT_TRUE(status_.ok()) << status_;
    FakePrograms::TearDown();
  }

  static bool Until(const std::function<bool()>& condition) {
    for (const Instant deadline = Now() + kPlenty; Now() < deadline;) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  }

  http::Response Get(const std::string& path) {
    return http::Get(url_ + path, kPlenty, secret_).value();
  }
  http::Response Put(const std::string& path) {
    return http::Put(url_ + path, "", kPlenty, secret_).value();
  }

  nlohmann::json Deployment(const std::string& name) {
    return nlohmann::json::parse(Get("/deployments/" + name).body);
  }

  Supervisor supervisor_;
  std::thread run_;
  Status status_;
  std::string url_;
  security::Client secret_;
};

TEST_F(SupervisorTest, ScalesByHttpAndTellsInLinesForTheShell) {
  ASSERT_TRUE(Until([&] { return Deployment("b")["running"] == 1; }));
  const http::Response reply = Put("/deployments/b/scale?replicas=3&type=plain");
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.body, HasSubstr("\nreplicas 3\n"));
  EXPECT_TRUE(Until([&] {
    return Get("/deployments/b?type=plain").body.find("\nrunning 3\n") != std::string::npos;
  }));
}

TEST_F(SupervisorTest, TellsWhereServicesAreOnceTheyServe) {
  ASSERT_TRUE(Until([&] { return Get("/services/c").status == 200; }));
  EXPECT_EQ(Get("/services/c?type=plain").body, "http://127.0.0.1:4711\n");
  EXPECT_EQ(Get("/services/b").status, 404);
}

TEST_F(SupervisorTest, KillsAndStartsAgainByHttp) {
  ASSERT_TRUE(Until([&] { return Deployment("c")["ready"] == 1; }));
  EXPECT_THAT(Put("/deployments/c/kill?signal=9&type=plain").body, HasSubstr("\nheld true\n"));
  EXPECT_TRUE(Until([&] { return Deployment("c")["ready"] == 0; }));
  EXPECT_THAT(Put("/deployments/c/start?type=plain").body, HasSubstr("\nheld false\n"));
  EXPECT_TRUE(Until([&] { return Deployment("c")["ready"] == 1; }));
}

TEST_F(SupervisorTest, RefusesWhatItCannotDo) {
  EXPECT_EQ(Get("/deployments/x").status, 404);
  EXPECT_EQ(Put("/deployments/x/scale?replicas=1").status, 404);
  for (const char* replicas : {"", "?replicas=", "?replicas=-1", "?replicas=x", "?replicas=1e9"}) {
    const http::Response reply = Put(std::string("/deployments/b/scale") + replicas);
    EXPECT_EQ(reply.status, 400) << replicas;
    EXPECT_THAT(reply.body, HasSubstr("replicas:"));
  }
  EXPECT_EQ(Put("/deployments/f/scale?replicas=2").status, 400);
  EXPECT_EQ(Put("/deployments/x/kill?signal=9").status, 404);
  EXPECT_EQ(Put("/deployments/x/start").status, 404);
  for (const char* signal : {"", "?signal=0", "?signal=65", "?signal=KILL"}) {
    const http::Response reply = Put(std::string("/deployments/b/kill") + signal);
    EXPECT_EQ(reply.status, 400) << signal;
    EXPECT_THAT(reply.body, HasSubstr("signal:"));
  }
}

TEST_F(SupervisorTest, DownByHttpEndsIt) {
  ASSERT_TRUE(Until([&] { return Deployment("c")["ready"] == 1; }));
  EXPECT_EQ(http::Post(url_ + "/down", "", kPlenty, secret_)->status, 202);
  EXPECT_TRUE(Until([&] { return !http::Get(url_ + "/deployments", kPlenty).ok(); }));
}

TEST_F(SupervisorTest, WithoutTheSecretOfItsFolderNothingIsDoneOrTold) {
  EXPECT_EQ(http::Post(url_ + "/down", "", kPlenty)->status, 401);
  EXPECT_EQ(http::Put(url_ + "/deployments/b/scale?replicas=3", "", kPlenty)->status, 401);
  EXPECT_EQ(http::Get(url_ + "/deployments", kPlenty)->status, 401);
  const auto guessed = security::Client::WithToken("0123456789abcdef0123456789abcdef");
  EXPECT_EQ(http::Post(url_ + "/down", "", kPlenty, guessed)->status, 401);
  EXPECT_EQ(Get("/deployments").status, 200);
  const auto mode = std::filesystem::status(folder_.SecretFile()).permissions();
  EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(ParseRegistrations, TakesTheOneMetricByQueue) {
  EXPECT_THAT(ParseRegistrations("# HELP twofold_worker_processes Connected.\n"
                                 "# TYPE twofold_worker_processes gauge\n"
                                 "twofold_worker_processes{queue=\"sleep\"} 16\n"
                                 "twofold_worker_processes{queue=\"a.b\"} 0\n"
                                 "twofold_worker_processes_total{queue=\"no\"} 3\n"
                                 "twofold_workers{queue=\"sleep\",state=\"idle\"} 5\n"),
              UnorderedElementsAre(Pair("sleep", 16), Pair("a.b", 0)));
}

TEST(ParseRegistrations, AddsUpTheShardsOfAQueue) {
  EXPECT_THAT(ParseRegistrations("twofold_worker_processes{queue=\"sleep\",shard=\"0\"} 2\n"
                                 "twofold_worker_processes{queue=\"sleep\",shard=\"1\"} 3\n"),
              UnorderedElementsAre(Pair("sleep", 5)));
}

TEST(ParseRegistrations, WhatIsNoMetricsPageHasNone) {
  EXPECT_THAT(ParseRegistrations(""), IsEmpty());
  EXPECT_THAT(ParseRegistrations("<html>502</html>"), IsEmpty());
  EXPECT_THAT(ParseRegistrations("twofold_worker_processes{queue=\"sleep"), IsEmpty());
  EXPECT_THAT(ParseRegistrations("twofold_worker_processes{queue=\"sleep\"} x\n"), IsEmpty());
}

}  // namespace
}  // namespace twofold::local
