#include "client/control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "lib/http/client.h"
#include "lib/http/server.h"
#include "lib/rpc/batches.h"
#include "tests/lib/http/peer.h"

namespace twofold::client {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::uint32_t kMost = 1000;
constexpr Duration kTimeout = std::chrono::seconds(10);

/// Answers each job at once, when told to.
class Jobs final : public load::JobSink {
 public:
  void Add(std::span<const load::LoadLoop::Tag> tags, const load::JobTemplate*) override {
    waiting.insert(waiting.end(), tags.begin(), tags.end());
  }
  void Flush() override {}

  std::vector<load::LoadLoop::Tag> waiting;
};

class ControlTest : public testing::Test {
 protected:
  void SetUp() override { generator.Connected(jobs); }

  http::Response Get(const std::string& target) const {
    auto response = http::Get(Url(target), kTimeout);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? *response : http::Response{.status = 0, .body = {}, .headers = {}};
  }

  std::string Plain(const std::string& target) const {
    const http::Response response = Get(target);
    EXPECT_EQ(response.status, 200) << target;
    EXPECT_EQ(response.content_type, "text/plain; charset=utf-8");
    return response.body;
  }

  nlohmann::json JsonOf(const std::string& target) const {
    const http::Response response = Get(target);
    EXPECT_EQ(response.status, 200) << target;
    EXPECT_EQ(response.content_type, "application/json");
    return nlohmann::json::parse(response.body);
  }

  std::string Url(const std::string& target) const {
    return "http://127.0.0.1:" + std::to_string(server->port()) + target;
  }

  /// The first job that waits ends.
  void End(v1::Outcome outcome, const std::string& error = {}) {
    v1::Report report;
    report.set_error(error);
    v1::SubmitReply reply;
    v1::ResultBatch& batch = *reply.mutable_results();
    const std::uint32_t worker = rpc::WorkerIndex(batch, "node-1", "pod-1", "gpu0");
    rpc::Append(batch, {.tag = jobs->waiting.front(),
                        .outcome = outcome,
                        .worker = worker,
                        .report = report.SerializeAsString()});
    jobs->waiting.erase(jobs->waiting.begin());
    generator.OnReply(reply);
  }

  std::shared_ptr<Jobs> jobs = std::make_shared<Jobs>();
  load::Generator generator{"sleep", "frontend:9997", Now()};
  std::unique_ptr<http::Server> server =
      *http::Server::Start({"127.0.0.1", 0}, MakeControl(generator, kMost));
};

TEST_F(ControlTest, ParallelSetsAndTells) {
  EXPECT_EQ(Plain("/parallel?type=plain"), "0\n");
  EXPECT_EQ(Plain("/parallel?value=8&type=plain"), "8\n");
  EXPECT_EQ(generator.outstanding(), 8U);
  EXPECT_EQ(Plain("/parallel?type=plain"), "8\n");
}

TEST_F(ControlTest, ParallelIsClamped) {
  EXPECT_EQ(Plain("/parallel?value=1001&type=plain"), "1000\n");
  EXPECT_EQ(Plain("/parallel?value=99999999999999999999999&type=plain"), "1000\n");
  EXPECT_EQ(Plain("/parallel?value=0&type=plain"), "0\n");
}

TEST_F(ControlTest, ParallelResetsNothing) {
  Get("/parallel?value=1");
  End(v1::OUTCOME_FAILED);
  Get("/parallel?value=2");
  EXPECT_EQ(Plain("/fails?type=plain"), "1\n");
}

TEST_F(ControlTest, ParallelRefusesWhatIsNoWholeNumber) {
  Get("/parallel?value=5");
  for (const char* value :
       {"-", "-1.5", "--1", "1.5", "nan", "NaN", "inf", "eight", "8x", "0x8", "", "%208", "+8"}) {
    const http::Response response = Get(std::string("/parallel?type=plain&value=") + value);
    EXPECT_EQ(response.status, 400) << value;
    EXPECT_THAT(response.body, HasSubstr("a whole number")) << value;
  }
  EXPECT_EQ(generator.parallelism(), 5U);
}

TEST_F(ControlTest, RateSetsAndTells) {
  EXPECT_EQ(Plain("/rate?type=plain"), "0.000000\n");
  EXPECT_EQ(Plain("/rate?value=12.5&arrivals=poisson&type=plain"), "12.500000\n");
  EXPECT_EQ(JsonOf("/profile")["arrivals"], "poisson");
  EXPECT_EQ(Plain("/rate?type=plain"), "12.500000\n");
}

TEST_F(ControlTest, AParallelismEndsARateAndTheOtherWayRound) {
  Get("/rate?value=0");
  EXPECT_EQ(Plain("/parallel?type=plain&value=3"), "3\n");
  EXPECT_EQ(Plain("/rate?type=plain"), "0.000000\n");
  EXPECT_EQ(JsonOf("/profile")["running"], false);
  Get("/rate?value=5");
  EXPECT_EQ(Plain("/parallel?type=plain"), "0\n");
}

TEST_F(ControlTest, RateNamesTheBadParameter) {
  for (const char* target : {"/rate?value=-1", "/rate?value=1e7", "/rate?value=x"}) {
    const http::Response response = Get(target);
    EXPECT_EQ(response.status, 400) << target;
    EXPECT_THAT(response.body, HasSubstr("value")) << target;
  }
  EXPECT_THAT(Get("/rate?value=1&arrivals=some").body, HasSubstr("constant or poisson"));
  EXPECT_EQ(JsonOf("/profile")["running"], false);
}

TEST_F(ControlTest, AProfileIsTakenAndTold) {
  const auto put = http::Put(Url("/profile"), "stages: [{parallel: 2, duration: 1h}]", kTimeout);
  ASSERT_TRUE(put.ok()) << put.status();
  EXPECT_EQ(put->status, 200) << put->body;
  const nlohmann::json told = JsonOf("/profile");
  EXPECT_EQ(told["running"], true);
  EXPECT_EQ(told["stage"], 1);
  EXPECT_EQ(told["of_seconds"], 3600.0);
  EXPECT_EQ(told["profile"], "stages: [{parallel: 2, duration: 1h}]");
  EXPECT_EQ(Plain("/parallel?type=plain"), "2\n");
}

TEST_F(ControlTest, ABadProfileChangesNothing) {
  Get("/parallel?value=3");
  for (const char* text : {"", "stages: []", "stages: [{trace: /etc/passwd}]",
                           "stages: [{parallel: 1001, duration: 1s}]"}) {
    const auto post = http::Post(Url("/profile"), text, kTimeout);
    ASSERT_TRUE(post.ok()) << post.status();
    EXPECT_EQ(post->status, 400) << text;
    EXPECT_THAT(post->body, HasSubstr(text == std::string() ? "profile" : "stages")) << text;
  }
  const auto large = http::Post(Url("/profile"), std::string(70'000, '#'), kTimeout);
  ASSERT_TRUE(large.ok()) << large.status();
  EXPECT_EQ(large->status, 413);
  EXPECT_EQ(Plain("/parallel?type=plain"), "3\n");
}

TEST_F(ControlTest, ResetStartsANewWindow) {
  Get("/parallel?value=2");
  End(v1::OUTCOME_FAILED);
  EXPECT_EQ(Plain("/reset?type=plain"), "Reseted\n");
  EXPECT_EQ(Plain("/fails?type=plain"), "0\n");
  EXPECT_EQ(JsonOf("/stats?type=json")["pending"], 2);
}

TEST_F(ControlTest, ThroughputIsAFixedPointNumber) {
  EXPECT_EQ(Plain("/reqs-per-sec?type=plain"), "0.000000\n");
}

TEST_F(ControlTest, FailsIsAnInteger) {
  Get("/parallel?value=3");
  End(v1::OUTCOME_FAILED);
  End(v1::OUTCOME_LOST);
  End(v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(Plain("/fails?type=plain"), "2\n");
}

TEST_F(ControlTest, StatsNodesAndPodsAreReadable) {
  Get("/parallel?value=1");
  End(v1::OUTCOME_FAILED, "exit code 7");
  EXPECT_THAT(Plain("/stats?type=plain"), HasSubstr("failed         1\n"));
  EXPECT_THAT(Plain("/nodes?type=plain"), HasSubstr("node-1  gpu0\n"));
  EXPECT_THAT(Plain("/nodes?type=plain"), HasSubstr("1  exit code 7\n"));
  EXPECT_THAT(Plain("/pods?type=plain"), HasSubstr("pod-1  gpu0\n"));
}

TEST_F(ControlTest, JsonOfSingleValues) {
  EXPECT_EQ(JsonOf("/parallel?value=8&type=json")["result"], 8);
  EXPECT_EQ(JsonOf("/reset?type=json")["result"], "Reseted");
  EXPECT_EQ(JsonOf("/reqs-per-sec?type=json")["result"], 0.0);
  const nlohmann::json fails = JsonOf("/fails?type=json");
  EXPECT_EQ(fails["result"], 0);
  EXPECT_TRUE(fails["info"].is_string());
}

TEST_F(ControlTest, JsonOfStructures) {
  Get("/parallel?value=1");
  End(v1::OUTCOME_FAILED, "exit code 7");
  EXPECT_EQ(JsonOf("/stats?type=json")["errors"]["exit code 7"], 1);
  EXPECT_EQ(JsonOf("/nodes?type=json")["places"][0]["node"], "node-1");
  EXPECT_EQ(JsonOf("/pods?type=json")["places"][0]["pod"], "pod-1");
  EXPECT_EQ(JsonOf("/window")["failed"], 1);
}

TEST_F(ControlTest, HtmlIsTheDefault) {
  for (const char* path : {"/parallel", "/reset", "/reqs-per-sec", "/fails", "/stats", "/nodes",
                           "/pods", "/", "/window?type=html"}) {
    const http::Response response = Get(path);
    EXPECT_EQ(response.status, 200) << path;
    EXPECT_EQ(response.content_type, "text/html; charset=utf-8") << path;
    EXPECT_THAT(response.body, StartsWith("<!doctype html>")) << path;
  }
}

TEST_F(ControlTest, WindowForScriptsHasAKeyAndAValueALine) {
  const std::string window = Plain("/window?type=plain");
  EXPECT_THAT(window, StartsWith("throughput 0\nlog_error inf\n"));
  EXPECT_THAT(window, HasSubstr("\nsteady false\nreason no job has ended yet\n"));
}

TEST_F(ControlTest, ComparesTheWindowWithAnEarlierOne) {
  Get("/parallel?value=1");
  End(v1::OUTCOME_SUCCEEDED);
  const std::string query = "/compare?throughput=1&log_error=0.01&df=15&seconds=10&limit=1.8";
  const nlohmann::json comparison = JsonOf(query);
  EXPECT_GT(comparison["ratio"], 0.0);
  EXPECT_EQ(comparison["verdict"], "undecided");  // one job says nothing about the error
  EXPECT_THAT(Plain(query + "&type=plain"), HasSubstr("\nverdict undecided\n"));
}

TEST_F(ControlTest, ComparingWithNothingKnownIsUndecided) {
  for (const char* error : {"inf", "null"}) {
    const std::string query =
        std::string("/compare?throughput=0&log_error=") + error + "&df=1&seconds=0&limit=1.8";
    EXPECT_EQ(JsonOf(query)["verdict"], "undecided");
  }
}

TEST_F(ControlTest, CompareNamesTheBadParameter) {
  const std::map<std::string, std::string> good = {
      {"throughput", "1"}, {"log_error", "0.1"}, {"df", "3"}, {"seconds", "1"}, {"limit", "1.8"}};
  for (const auto& [bad, unused] : good) {
    for (const char* value : {"", "-1", "nan", "many", "1e999"}) {
      std::string query;
      for (const auto& [name, fine] : good) {
        query += (query.empty() ? "?" : "&") + name + "=" + (name == bad ? value : fine);
      }
      const http::Response response = Get("/compare" + query);
      EXPECT_EQ(response.status, 400) << query;
      EXPECT_THAT(response.body, StartsWith(bad)) << query;
    }
  }
  EXPECT_EQ(Get("/compare").status, 400);
}

TEST_F(ControlTest, NumbersBeyondTheirLimitsAreRefusedAndTheLimitIsNamed) {
  const std::vector<std::pair<std::string, std::string>> numbers = {
      {"/compare?log_error=0&df=1&seconds=1&limit=1&throughput=", "0..1e+15"},
      {"/compare?throughput=1&df=1&seconds=1&limit=1&log_error=", "0..1e+06 or inf"},
      {"/compare?throughput=1&log_error=0&seconds=1&limit=1&df=", "0.1..1e+09"},
      {"/compare?throughput=1&log_error=0&df=1&limit=1&seconds=", "0..1e+12"},
      {"/compare?throughput=1&log_error=0&df=1&seconds=1&limit=", "1e-06..1e+06"},
      {"/look?scale=1.8&cap=60&workers=", "1..1000000"},
      {"/look?workers=1&scale=1.8&cap=60&repeats=", "0..1000000"},
      {"/look?workers=1&scale=1.8&cap=60&patience=", "1e-06..1e+09"},
      {"/verdict?scale=1.8&allow_failures=", "0..1"},
      {"/look?workers=1&cap=60&scale=", "1e-06..1e+06"},
      {"/look?workers=1&scale=1.8&cap=", "1e-06..1e+09"},
      {"/verdict?scale=", "1e-06..1e+06"},
      {"/rate?value=", "0..1e+06"}};
  for (const auto& [target, allowed] : numbers) {
    for (const char* value : {"1e308", "1e16", "-inf", "infinity", "nan"}) {
      const http::Response response = Get(target + value);
      EXPECT_EQ(response.status, 400) << target << value;
      EXPECT_THAT(response.body, HasSubstr(" number " + allowed)) << target << value;
    }
  }
}

constexpr const char* kRecord = "8:30:0.2:235.2:8:0.9988:1:0:0";

TEST_F(ControlTest, LooksAtTheWindowOfAStep) {
  const std::string first = Plain("/look?workers=1&scale=1.8&cap=60&type=plain");
  EXPECT_THAT(first, StartsWith("done false\nnext_seconds "));
  EXPECT_THAT(first, HasSubstr("\nverdict undecided\n"));
  EXPECT_THAT(first, HasSubstr("\nrecord 1:0:0:0:0:"));
  EXPECT_THAT(first, HasSubstr("\nthroughput 0\n"));  // all of /window is there, too
  const std::string query = "/look?workers=16&scale=1.8&cap=60&repeats=2&pods=these&records=";
  const nlohmann::json look = JsonOf(query + kRecord);
  EXPECT_EQ(look["step"]["least"], 1.8);
  EXPECT_EQ(look["window"]["failed"], 0);
}

TEST_F(ControlTest, ARecordOfALookIsTakenBack) {
  Get("/parallel?value=2");
  End(v1::OUTCOME_SUCCEEDED);
  End(v1::OUTCOME_SUCCEEDED);
  const std::string record = JsonOf("/look?workers=1&scale=1.8&cap=60")["record"];
  const std::string records = "&records=" + record + "," + kRecord;
  EXPECT_EQ(JsonOf("/verdict?scale=1.8" + records)["steps"].size(), 1U);
}

TEST_F(ControlTest, VerdictsNeedNoWindow) {
  const std::string records = std::string(kRecord) + ",16:30:0.2:470.4:16:0.9988:1:0:0";
  const std::string verdict = Plain("/verdict?scale=1.8&type=plain&records=" + records);
  EXPECT_THAT(verdict, StartsWith("verdict pass\nspread 0\nspread_df 22\nstep 16 15.68 2 "));
  EXPECT_THAT(verdict, HasSubstr("\nheadline Pass: at least 1.8 times the work for twice the "
                                 "workers, up to 16 workers.\n"));
  EXPECT_THAT(Plain("/verdict?scale=1.8&type=plain"), StartsWith("verdict undecided\n"));
}

TEST_F(ControlTest, AVerdictOnFailedJobsIsAFailThatNamesThem) {
  const std::string records = std::string(kRecord) + ",16:30:0.2:470.4:16:0.9988:1:854:2";
  const std::string verdict = Plain("/verdict?scale=1.8&type=plain&records=" + records);
  EXPECT_THAT(verdict, StartsWith("verdict fail\n"));
  EXPECT_THAT(verdict,
              HasSubstr("\nheadline Fail: jobs failed, though the throughput grew enough: 2 "
                        "of 854 jobs of 16 workers failed.\n"));
}

TEST_F(ControlTest, FailuresThatAreAllowedFailNothing) {
  const auto verdict = [&](const char* failures) {
    return Plain(std::string("/verdict?scale=1.8&allow_failures=0.01&type=plain&records=") +
                 kRecord + ",16:30:0.2:470.4:16:0.9988:1:" + failures);
  };
  EXPECT_THAT(verdict("854:2"), StartsWith("verdict pass\n"));
  EXPECT_THAT(verdict("100:2"), StartsWith("verdict undecided\n"));
  EXPECT_THAT(verdict("854:60"), StartsWith("verdict fail\n"));
}

TEST_F(ControlTest, AStepInWhichEveryJobFailedIsNamed) {
  const std::string records = std::string(kRecord) + ",16:0:0:0:0:0.9988:0:40:40";
  EXPECT_THAT(Plain("/verdict?scale=1.8&type=plain&records=" + records),
              HasSubstr("\nheadline Fail: jobs failed: all 40 jobs of 16 workers failed.\n"));
}

TEST_F(ControlTest, LookAndVerdictNameTheBadParameter) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"/look?scale=1.8&cap=60", "workers is missing"},
      {"/look?workers=0&scale=1.8&cap=60", "workers '0'"},
      {"/look?workers=1&cap=60", "scale is missing"},
      {"/look?workers=1&scale=1.8&cap=-1", "cap '-1'"},
      {"/look?workers=1&scale=1.8&cap=60&repeats=x", "repeats 'x'"},
      {"/look?workers=1&scale=1.8&cap=60&pods=mine", "pods 'mine'"},
      {"/look?workers=1&scale=1.8&cap=60&next=maybe", "next 'maybe'"},
      {"/verdict?records=", "scale is missing"},
      {"/verdict?scale=1.8&records=8:nan", "records: seconds 'nan'"},
  };
  for (const auto& [target, error] : bad) {
    const http::Response response = Get(target);
    EXPECT_EQ(response.status, 400) << target;
    EXPECT_THAT(response.body, StartsWith(error)) << target;
  }
}

TEST_F(ControlTest, UnknownParametersAreIgnoredAndUnknownTypesAreTheDefault) {
  EXPECT_EQ(Plain("/fails?type=plain&_=1700000000&pretty"), "0\n");
  EXPECT_EQ(Get("/fails?type=text").body, Get("/fails").body);
  EXPECT_EQ(Get("/window?type=text").content_type, "application/json");
  EXPECT_EQ(Plain("/parallel?valeu=8&type=plain"), "0\n");
}

TEST_F(ControlTest, ANegativeParallelismStopsTheLoad) {
  Get("/parallel?value=5");
  EXPECT_EQ(Plain("/parallel?value=-5&type=plain"), "0\n");
  EXPECT_EQ(Plain("/parallel?value=%2B7&type=plain"), "7\n");
  EXPECT_EQ(Plain("/parallel?value=-99999999999999999999999&type=plain"), "0\n");
}

// As `while read` of a shell and its like want it.
TEST_F(ControlTest, EveryPlainPageEndsItsLastLine) {
  for (const char* path :
       {"/parallel", "/reset", "/reqs-per-sec", "/fails", "/stats", "/nodes", "/pods", "/window"}) {
    EXPECT_THAT(Plain(std::string(path) + "?type=plain"), EndsWith("\n")) << path;
  }
}

TEST_F(ControlTest, StatsHasAFormForTheParallelismAndOneForTheReset) {
  Get("/parallel?value=8");
  const std::string page = Get("/stats").body;
  EXPECT_THAT(page, HasSubstr(R"(<form action="parallel" method="get">)"));
  EXPECT_THAT(page, HasSubstr(R"(name="value" type="number" min="0" value="8")"));
  EXPECT_THAT(page, HasSubstr(R"(<form action="reset" method="get">)"));
  EXPECT_THAT(Get("/parallel?value=3").body, HasSubstr(R"(<a href="stats">)"));
}

TEST_F(ControlTest, UnknownPathIs404) { EXPECT_EQ(Get("/nothing").status, 404); }

TEST_F(ControlTest, OtherMethodsAre405AndChangeNothing) {
  for (const char* path :
       {"/parallel?value=3", "/reset", "/reqs-per-sec", "/fails", "/stats", "/nodes", "/pods",
        "/window", "/metrics", "/healthz", "/plain", "/events", "/"}) {
    const auto post = http::Post(Url(path), "{}", kTimeout);
    ASSERT_TRUE(post.ok()) << post.status();
    EXPECT_EQ(post->status, 405) << path;
  }
  EXPECT_EQ(generator.parallelism(), 0U);
}

TEST_F(ControlTest, HeadIs405WhereGetMayChangeSomething) {
  const http::Handler handler = MakeControl(generator, kMost);
  http::Request head{.method = "HEAD",
                     .path = "/parallel",
                     .query = {{"value", "3"}},
                     .params = {},
                     .headers = {},
                     .body = {}};
  const http::Response response = handler(head);
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.headers.at("Allow"), "GET");
  EXPECT_EQ(generator.parallelism(), 0U);
}

TEST_F(ControlTest, HealthAndMetrics) {
  EXPECT_EQ(Plain("/healthz"), "ok\n");
  const http::Response metrics = Get("/metrics");
  EXPECT_EQ(metrics.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(metrics.body, HasSubstr("twofold_client_pending_jobs{queue=\"sleep\"} 0\n"));
}

/// The data of the next event.
nlohmann::json NextEvent(http::Peer& peer) {
  constexpr std::string_view kHeading = "event: window\ndata: ";
  const std::string event = peer.ReadUntil("\n\n");
  EXPECT_THAT(event, StartsWith(std::string(kHeading)));
  return nlohmann::json::parse(event.substr(std::min(kHeading.size(), event.size())), nullptr,
                               false);
}

TEST_F(ControlTest, EventsHaveTheStatisticsAndTheNodes) {
  http::Peer peer(server->port());
  peer.Send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(peer.ReadHead(), HasSubstr("text/event-stream"));
  nlohmann::json event = NextEvent(peer);
  const auto stats = nlohmann::json::parse(Get("/stats?type=json").body);
  for (const auto& [name, value] : stats.items()) EXPECT_TRUE(event.contains(name)) << name;
  EXPECT_EQ(event["parallelism"], 0);
  EXPECT_EQ(event["nodes"], nlohmann::json::array());
  const double first = event["clock_seconds"];
  Get("/parallel?value=1");
  End(v1::OUTCOME_FAILED, "oops");
  while (event["failed"] != 1) event = NextEvent(peer);
  EXPECT_EQ(event["nodes"][0]["node"], "node-1");
  EXPECT_EQ(event["nodes"][0]["failed"], 1);
  EXPECT_EQ(event["nodes_left_out"], 0);
  EXPECT_EQ(event["errors"]["oops"], 1);
  EXPECT_GT(event["clock_seconds"], first);
}

TEST_F(ControlTest, PagesOfOtherSitesGetNoStream) {
  http::Peer peer(server->port());
  peer.Send("GET /events HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n\r\n");
  EXPECT_EQ(http::StatusOf(peer.ReadResponse()), 403);
}

TEST_F(ControlTest, OnlyBrowsersGetTheLivePage) {
  http::Peer peer(server->port());
  peer.Send("GET / HTTP/1.1\r\nHost: localhost\r\nAccept: text/html,*/*;q=0.8\r\n\r\n");
  EXPECT_THAT(peer.ReadResponse(), HasSubstr("app.js"));
  EXPECT_EQ(Get("/app.js").content_type, "text/javascript; charset=utf-8");
  EXPECT_THAT(Get("/").body, HasSubstr("Load for queue sleep"));
  EXPECT_THAT(Get("/plain").body, HasSubstr("Load for queue sleep"));
}

TEST_F(ControlTest, WhatCameFromOutsideIsEscapedInHtml) {
  Get("/parallel?value=1");
  End(v1::OUTCOME_FAILED, "<script>");
  EXPECT_THAT(Get("/nodes").body, HasSubstr("&lt;script&gt;"));
}

}  // namespace
}  // namespace twofold::client
