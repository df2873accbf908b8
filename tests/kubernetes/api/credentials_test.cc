#include "kubernetes/api/credentials.h"

#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "kubernetes/api/call.h"
#include "kubernetes/api/exec_plugin.h"
#include "tests/support/certificates.h"
#include "tests/support/program.h"

namespace twofold::kube {
namespace {

using absl::StatusCode;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kVersion = "client.authentication.k8s.io/v1";

class KubeCredentials : public ::testing::Test {
 protected:
  /// A program in the test's folder.
  ExecPlugin Plugin(const std::string& script) {
    ExecPlugin plugin;
    plugin.command = folder_ / "plugin";
    plugin.api_version = kVersion;
    plugin.install_hint = "see the handbook";
    testing::WriteFile(plugin.command, "#!/bin/sh\n" + script);
    ::chmod(plugin.command.c_str(), 0755);
    return plugin;
  }

  /// One that prints a token with the number of its runs.
  ExecPlugin Counting(const std::string& expires = "") {
    const std::string more = expires.empty() ? "" : R"(,"expirationTimestamp":")" + expires + "\"";
    const std::string file = folder_ / "runs";
    return Plugin("echo run >> " + file + "\n" + R"(n=$(wc -l < )" + file +
                  R"()
echo '{"apiVersion":")" +
                  kVersion + R"(","kind":"ExecCredential","status":{"token":"t'$n'")" + more +
                  "}}'\n");
  }

  static Status ErrorOf(const ExecPlugin& plugin, Duration timeout = seconds(30)) {
    return RunExecPlugin(plugin, {}, timeout).status();
  }

  testing::TempDir folder_;
};

std::string AuthorizationOf(Credentials& credentials, Instant now) {
  const auto proof = credentials.Get(now);
  EXPECT_TRUE(proof.ok()) << proof.status();
  if (!proof.ok() || (*proof)->headers.empty()) return "";
  return (*proof)->headers.front().second;
}

TEST_F(KubeCredentials, TokensAndPasswordsAreHeaders) {
  Config config;
  EXPECT_EQ(AuthorizationOf(*std::make_unique<Credentials>(config), Now()), "");
  config.identity.username = "u";
  config.identity.password = "p";
  EXPECT_EQ(AuthorizationOf(*std::make_unique<Credentials>(config), Now()), "Basic dTpw");
  config.identity.token = "t";
  EXPECT_EQ(AuthorizationOf(*std::make_unique<Credentials>(config), Now()), "Bearer t");
}

TEST_F(KubeCredentials, WhomToActForIsInTheHeaders) {
  Config config;
  config.identity.as = "you";
  config.identity.as_groups = {"g1", "g2"};
  config.identity.as_extra = {{"Example.com/Scope", {"s"}}};
  const auto proof = Credentials(config).Get(Now());
  ASSERT_TRUE(proof.ok()) << proof.status();
  EXPECT_THAT((*proof)->headers, Contains(Pair("Impersonate-User", "you")));
  EXPECT_THAT((*proof)->headers, Contains(Pair("Impersonate-Group", "g1")));
  EXPECT_THAT((*proof)->headers, Contains(Pair("Impersonate-Group", "g2")));
  EXPECT_THAT((*proof)->headers, Contains(Pair("Impersonate-Extra-example.com%2Fscope", "s")));
}

TEST_F(KubeCredentials, NothingCanAddAHeader) {
  Config config;
  config.identity.token = "t\r\nX: y";
  EXPECT_EQ(Credentials(config).Get(Now()).status().code(), StatusCode::kUnauthenticated);
}

TEST_F(KubeCredentials, ATokenFileIsReadEachMinute) {
  Config config;
  config.identity.token = "unused";
  config.identity.token_file = folder_ / "token";
  testing::WriteFile(config.identity.token_file, "one\n");
  Credentials credentials(config);
  const Instant begin = Now();
  EXPECT_EQ(AuthorizationOf(credentials, begin), "Bearer one");
  testing::WriteFile(config.identity.token_file, "two\n");
  EXPECT_EQ(AuthorizationOf(credentials, begin + seconds(40)), "Bearer one");
  EXPECT_EQ(AuthorizationOf(credentials, begin + seconds(60)), "Bearer two");
  // What was good a minute ago may still be: the kubelet may be replacing the file.
  testing::WriteFile(config.identity.token_file, "\n");
  EXPECT_EQ(AuthorizationOf(credentials, begin + seconds(180)), "Bearer two");
}

TEST_F(KubeCredentials, AnotherTokenIsNotAnotherCertificate) {
  Config config;
  config.identity.token_file = folder_ / "token";
  testing::WriteFile(config.identity.token_file, "one");
  Credentials credentials(config);
  const auto first = credentials.Get(Now()).value();
  testing::WriteFile(config.identity.token_file, "two");
  ASSERT_TRUE(credentials.Refuse(*first));
  const auto second = credentials.Get(Now()).value();
  EXPECT_NE(first->number, second->number);
  EXPECT_EQ(first->tls, second->tls);
}

TEST_F(KubeCredentials, AMissingTokenFileIsNamed) {
  Config config;
  config.identity.token_file = folder_ / "none";
  const Status status = Credentials(config).Get(Now()).status();
  EXPECT_EQ(status.code(), StatusCode::kUnauthenticated);
  EXPECT_THAT(std::string(status.message()), HasSubstr(config.identity.token_file));
}

TEST_F(KubeCredentials, WhatCannotChangeIsRefusedForGood) {
  Config config;
  config.identity.token = "t";
  Credentials credentials(config);
  const auto proof = credentials.Get(Now()).value();
  EXPECT_FALSE(credentials.Refuse(*proof));
}

TEST_F(KubeCredentials, APluginRunsAgainWhenRefusedAndNotBefore) {
  Config config;
  config.identity.exec = Counting();
  Credentials credentials(config);
  EXPECT_EQ(AuthorizationOf(credentials, Now()), "Bearer t1");
  EXPECT_EQ(AuthorizationOf(credentials, Now() + std::chrono::hours(1000)), "Bearer t1");
  const auto proof = credentials.Get(Now()).value();
  EXPECT_TRUE(credentials.Refuse(*proof));
  EXPECT_EQ(AuthorizationOf(credentials, Now()), "Bearer t2");
  EXPECT_TRUE(credentials.Refuse(*proof));  // an older one: there is a newer
  EXPECT_EQ(AuthorizationOf(credentials, Now()), "Bearer t2");
}

TEST_F(KubeCredentials, APluginRunsAgainBeforeItsCredentialsExpire) {
  Config config;
  config.identity.exec = Counting(
      absl::FormatTime(absl::RFC3339_sec, absl::Now() + absl::Minutes(10), absl::UTCTimeZone()));
  Credentials credentials(config);
  const Instant begin = Now();
  EXPECT_EQ(AuthorizationOf(credentials, begin), "Bearer t1");
  EXPECT_EQ(AuthorizationOf(credentials, begin + seconds(500)), "Bearer t1");
  EXPECT_EQ(AuthorizationOf(credentials, begin + seconds(599)), "Bearer t2");
}

TEST_F(KubeCredentials, APluginIsToldWhatItAsksFor) {
  ExecPlugin plugin = Plugin("echo \"$KUBERNETES_EXEC_INFO\" > " + std::string(folder_ / "info") +
                             "\necho \"$1 $MINE\" > " + std::string(folder_ / "args") + "\n" +
                             R"(echo '{"apiVersion":"client.authentication.k8s.io/v1",
  "kind":"ExecCredential","status":{"clientCertificateData":"c","clientKeyData":"k"}}')");
  plugin.args = {"a b"};
  plugin.environment = {"MINE=m"};
  plugin.wants_cluster = true;
  Cluster cluster;
  cluster.server = "https://k8s";
  cluster.ca = "ca";
  cluster.exec_config = R"({"audience":"x"})";
  const auto credential = RunExecPlugin(plugin, cluster, seconds(30));
  ASSERT_TRUE(credential.ok()) << credential.status();
  EXPECT_EQ(credential->cert, "c");
  EXPECT_EQ(credential->key, "k");
  const auto text = [&](const char* name) {
    std::ostringstream all;
    all << std::ifstream(folder_ / name).rdbuf();
    return all.str();
  };
  EXPECT_EQ(text("args"), "a b m\n");
  EXPECT_EQ(Json::parse(text("info")),
            Json::parse(R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",
      "spec":{"interactive":false,"cluster":{"server":"https://k8s",
      "certificate-authority-data":"Y2E=","config":{"audience":"x"}}}})"));
}

/// Asks for a proof on a thread of its own.
class Waiter {
 public:
  explicit Waiter(Credentials& credentials)
      : thread_([this, &credentials] {
          status_ = credentials
                        .Get(Now(),
                             [this] {
                               waits_ = true;
                               return given_up_.load();
                             })
                        .status();
        }) {}
  ~Waiter() {
    if (thread_.joinable()) thread_.join();
  }

  [[nodiscard]] bool waits() const { return waits_; }
  void GiveUp() { given_up_ = true; }
  Status Await() {
    thread_.join();
    return status_;
  }

 private:
  std::atomic<bool> waits_ = false;
  std::atomic<bool> given_up_ = false;
  Status status_;
  std::thread thread_;
};

std::string TextIn(const std::string& path) {
  std::ostringstream all;
  all << std::ifstream(path).rdbuf();
  return all.str();
}

TEST_F(KubeCredentials, AllWhoWaitShareOneRunAndItsFailure) {
  const std::string runs = folder_ / "runs";
  const std::string go = folder_ / "go";
  Config config;
  config.identity.exec = Plugin("echo run >> " + runs + "\nwhile [ ! -e " + go +
                                " ]; do sleep 0.01; done\necho no >&2; exit 1\n");
  Credentials credentials(config);
  std::vector<std::unique_ptr<Waiter>> waiters;
  for (int i = 0; i < 4; ++i) waiters.push_back(std::make_unique<Waiter>(credentials));
  ASSERT_TRUE(testing::Await([&] {
    return std::all_of(waiters.begin(), waiters.end(),
                       [](const auto& each) { return each->waits(); });
  }));
  testing::WriteFile(go, "");
  for (const auto& each : waiters) {
    const Status status = each->Await();
    EXPECT_EQ(status.code(), StatusCode::kUnauthenticated);
    EXPECT_THAT(std::string(status.message()), HasSubstr("exit code 1: no"));
  }
  EXPECT_EQ(TextIn(runs), "run\n");
  EXPECT_FALSE(credentials.Get(Now()).ok());
  EXPECT_EQ(TextIn(runs), "run\nrun\n") << "who asks later gets a run of their own";
}

TEST_F(KubeCredentials, APluginEndsWithTheLastWhoWaitsForIt) {
  const std::string pid = folder_ / "pid";
  Config config;
  config.identity.exec = Plugin("echo $$ > " + pid + "\nexec sleep 1000\n");
  auto credentials = std::make_unique<Credentials>(config);
  Waiter first(*credentials);
  Waiter last(*credentials);
  ASSERT_TRUE(
      testing::Await([&] { return first.waits() && last.waits() && !TextIn(pid).empty(); }));
  const pid_t plugin = std::stoi(TextIn(pid));
  first.GiveUp();
  EXPECT_EQ(first.Await().code(), StatusCode::kCancelled);
  EXPECT_EQ(::kill(plugin, 0), 0);
  last.GiveUp();
  EXPECT_EQ(last.Await().code(), StatusCode::kCancelled);
  EXPECT_TRUE(testing::Await([&] { return ::kill(plugin, 0) != 0; }));
}

TEST_F(KubeCredentials, WhoComesAfterAllHaveGivenUpGetsARunOfItsOwn) {
  const std::string runs = folder_ / "runs";
  Config config;
  config.identity.exec = Plugin("echo run >> " + runs + R"(
[ $(wc -l < )" + runs + R"() -gt 1 ] || exec sleep 1000
echo '{"apiVersion":")" + kVersion +
                                R"(","kind":"ExecCredential","status":{"token":"t"}}')");
  Credentials credentials(config);
  Waiter first(credentials);
  ASSERT_TRUE(testing::Await([&] { return first.waits() && !TextIn(runs).empty(); }));
  first.GiveUp();
  EXPECT_EQ(first.Await().code(), StatusCode::kCancelled);
  EXPECT_EQ(AuthorizationOf(credentials, Now()), "Bearer t");
}

TEST_F(KubeCredentials, PluginsThatFailAreNamedWithTheirWords) {
  ExecPlugin plugin = Plugin("echo 'please log in' >&2; exit 3");
  Status status = ErrorOf(plugin);
  EXPECT_EQ(status.code(), StatusCode::kUnauthenticated);
  EXPECT_EQ(std::string(status.message()),
            "exec plugin " + plugin.command + ": exit code 3: please log in ; see the handbook");
  plugin.command = "no-such-plugin-anywhere";
  EXPECT_THAT(std::string(ErrorOf(plugin).message()), HasSubstr("is not installed"));
}

TEST_F(KubeCredentials, PluginsThatHangAreKilledWithAllTheyStarted) {
  const Instant begin = Now();
  EXPECT_THAT(
      std::string(
          ErrorOf(Plugin("sleep 1000 & sleep 1000"), std::chrono::milliseconds(100)).message()),
      HasSubstr("did not end in time"));
  // One that has ended, but whose child keeps the pipe.
  EXPECT_THAT(std::string(ErrorOf(Plugin("sleep 1000 &")).message()),
              HasSubstr("printed no ExecCredential"));
  EXPECT_LT(Now() - begin, seconds(20));
}

TEST_F(KubeCredentials, PluginsThatPrintWithoutEndAreStopped) {
  EXPECT_THAT(std::string(ErrorOf(Plugin("yes")).message()), HasSubstr("more than 1 MiB"));
}

TEST_F(KubeCredentials, WhatPluginsPrintIsChecked) {
  ExecPlugin plugin;
  plugin.command = "p";
  plugin.api_version = kVersion;
  const auto error = [&](const std::string& version, const std::string& status) {
    const std::string text =
        R"({"apiVersion":")" + version + R"(","kind":"ExecCredential","status":)" + status + "}";
    const auto parsed = ParseExecCredential(text, plugin);
    return parsed.ok() ? "" : std::string(parsed.status().message());
  };
  EXPECT_THAT(error(kVersion, R"({"token":"t"})"), IsEmpty());
  EXPECT_THAT(error("client.authentication.k8s.io/v1beta1", R"({"token":"t"})"),
              HasSubstr("correct apiVersion in the kubeconfig"));
  EXPECT_THAT(error(kVersion, "{}"), HasSubstr("neither a token nor a certificate"));
  EXPECT_THAT(error(kVersion, R"({"clientKeyData":"k"})"), HasSubstr("alone"));
  EXPECT_THAT(error(kVersion, R"({"token":"t","expirationTimestamp":"soon"})"),
              HasSubstr("no time"));
  EXPECT_FALSE(ParseExecCredential("", plugin).ok());
  EXPECT_FALSE(ParseExecCredential("[]", plugin).ok());
}

}  // namespace
}  // namespace twofold::kube
