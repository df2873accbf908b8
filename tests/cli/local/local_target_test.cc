#include "cli/local/local_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "lib/http/server.h"

namespace twofold::targets {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

constexpr const char* kWorkers = "scalability-tester-backend-sleep";
constexpr const char* kSecret = "0123456789abcdef";

/// A state folder whose supervisor is a table of answers. It wants the secret.
class LocalTargetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    lock_ = local::StateFolder(folder_).Lock().value();
    Write("secret", std::string(kSecret) + "\n");
    Write("supervisor.json",
          "{\"pid\": 1, \"http\": \"127.0.0.1:" + std::to_string(server_->port()) + "\"}\n");
    answers_["/services/scalability-tester-client-sleep"] = {"url", url()};
    answers_["/services/scalability-tester-frontend"] = {"url", url()};
    Deployment(2, 0, 0);
  }
  void TearDown() override {
    close(lock_);
    fs::remove_all(folder_);
  }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(server_->port());
  }

  void Deployment(int ready, int waiting, int restarts) {
    deployment_ = "{\"name\": \"" + std::string(kWorkers) +
                  "\", \"replicas\": 2, \"running\": " + std::to_string(ready) +
                  ", \"ready\": " + std::to_string(ready) +
                  ", \"terminating\": 0, \"waiting\": " + std::to_string(waiting) +
                  ", \"restarts\": " + std::to_string(restarts) +
                  ", \"last_exit\": \"exit code 9\", \"pids\": [" + std::to_string(restarts) + "]}";
  }

  http::Response Answer(const http::Request& request) {
    const std::string* token = http::Find(request.headers, "authorization");
    const bool is_page = request.path == "/metrics" || request.path == "/window";
    if (is_page) {
      return token == nullptr ? http::PlainText(200, request.path) : http::PlainText(401, "why?");
    }
    if (token == nullptr || *token != std::string("Bearer ") + kSecret) {
      return http::PlainText(401, "no secret");
    }
    if (request.method == "PUT" && !refusal_.empty()) return http::PlainText(400, refusal_);
    if (request.path.starts_with("/deployments/" + std::string(kWorkers))) {
      return http::Json(200, deployment_);
    }
    const auto answer = answers_.find(request.path);
    if (answer == answers_.end()) return http::PlainText(404, "nothing at " + request.path);
    return http::Json(200, "{\"" + answer->second.first + "\": \"" + answer->second.second + "\"}");
  }

  std::unique_ptr<Target> Make() {
    return MakeLocalTarget(local::StateFolder(folder_),
                           {kWorkers, "localhost", "scalability-tester-client-sleep", "localhost"},
                           {}, {});
  }

  const std::string folder_ = ::testing::TempDir() + "local-target-" + std::to_string(getpid());
  std::map<std::string, std::pair<std::string, std::string>> answers_;  ///< set before anybody asks
  std::string deployment_;
  std::string refusal_;
  int lock_ = -1;
  std::unique_ptr<http::Server> server_ = *http::Server::Start(
      {"127.0.0.1", 0}, [this](const http::Request& request) { return Answer(request); });
};

TEST_F(LocalTargetTest, DrivesTheClusterThroughItsSupervisorAndShowsPagesNoSecret) {
  const auto target = Make();
  ASSERT_TRUE(target->Check().ok());
  EXPECT_TRUE(target->Scale(2).ok());
  EXPECT_EQ(target->Look().value(), (Workers{2, 0, false}));
  EXPECT_EQ(target->AskClient("/window?type=plain").value(), "/window");
  EXPECT_EQ(target->Metrics().value(), "/metrics");
}

TEST_F(LocalTargetTest, WorkersThatWereRestartedThreeTimesSinceTheyWereScaledKeepCrashing) {
  Deployment(2, 0, 5);
  const auto target = Make();
  ASSERT_TRUE(target->Check().ok());
  ASSERT_TRUE(target->Scale(2).ok());
  Deployment(1, 1, 7);
  EXPECT_EQ(target->Look().value(), (Workers{1, 1, false}));
  Deployment(1, 1, 8);
  EXPECT_EQ(target->Look().value(), (Workers{1, 1, true}));
}

TEST_F(LocalTargetTest, ProblemsAreTheLastExitAndTheEndOfTheLog) {
  Deployment(0, 2, 3);
  Write("logs/" + std::string(kWorkers) + "-0.log", "1\n2\n3\n4\n5\nno such device\n");
  const auto target = Make();
  ASSERT_TRUE(target->Check().ok());
  EXPECT_THAT(
      target->Problems(),
      ElementsAre("ready 0", "terminating 0", "waiting 2", "restarts 3", "last_exit exit code 9",
                  "end of the log of scalability-tester-backend-sleep-0:", "2", "3", "4", "5",
                  "no such device"));
}

TEST_F(LocalTargetTest, TheTeamDiffersOnceAWorkerWasRestarted) {
  const auto target = Make();
  ASSERT_TRUE(target->Check().ok());
  const std::string before = target->Team().value();
  EXPECT_EQ(target->Team().value(), before);
  Deployment(2, 0, 1);
  EXPECT_NE(target->Team().value(), before);
}

TEST_F(LocalTargetTest, WhatTheSupervisorHasAgainstItIsSaid) {
  refusal_ = "replicas: 4 are more than there is room for";
  const auto target = Make();
  ASSERT_TRUE(target->Check().ok());
  EXPECT_EQ(target->Scale(4).message(), refusal_);
}

TEST_F(LocalTargetTest, APartThatIsMissingIsNamed) {
  answers_.erase("/services/scalability-tester-client-sleep");
  EXPECT_THAT(std::string(Make()->Check().message()),
              HasSubstr("the local cluster has no services/scalability-tester-client-sleep"));
}

TEST_F(LocalTargetTest, AFolderThatOthersCanWriteToIsNotUsed) {
  fs::permissions(folder_, fs::perms::others_write, fs::perm_options::add);
  EXPECT_THAT(std::string(Make()->Check().message()), HasSubstr(folder_ + " is not trusted"));
  fs::permissions(folder_, fs::perms::others_write, fs::perm_options::remove);
  EXPECT_TRUE(Make()->Check().ok());
  fs::permissions(folder_ + "/supervisor.json", fs::perms::group_write, fs::perm_options::add);
  EXPECT_TRUE(absl::IsPermissionDenied(Make()->Check()));
}

TEST_F(LocalTargetTest, WithoutAClusterItSaysHowToStartOne) {
  fs::remove(folder_ + "/supervisor.json");
  EXPECT_THAT(std::string(Make()->Check().message()), HasSubstr("no local cluster runs in"));
}

}  // namespace
}  // namespace twofold::targets
