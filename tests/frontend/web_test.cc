// What the live pages are served from: streams of events, and what they change.

#include <fstream>
#include <nlohmann/json.hpp>

#include "lib/common/address.h"
#include "lib/security/client.h"
#include "tests/frontend/frontend_fixture.h"
#include "tests/lib/http/peer.h"
#include "tests/lib/results/temp_dir.h"
#include "tests/support/log_capture.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr auto kPatience = std::chrono::seconds(30);

/// A page that reads a stream.
class Page {
 public:
  Page(const std::string& address, const std::string& query) : peer_(ParseAddress(address)->port) {
    peer_.Send("GET /api/v1/stream?" + query + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    head_ = peer_.ReadHead();
  }

  const std::string& head() const { return head_; }

  /// The data of the next event of this type; null if the stream ends.
  Json Next(const std::string& type) {
    const std::string heading = "event: " + type + "\ndata: ";
    while (true) {
      const std::string event = peer_.ReadUntil("\n\n");
      if (event.empty()) return nullptr;
      if (event.starts_with(heading)) return Json::parse(event.substr(heading.size()));
    }
  }

 private:
  http::Peer peer_;
  std::string head_;
};

class WebTest : public FrontendTest {
 protected:
  Page Open(const std::string& query) { return {frontend_->http_address(), query}; }

  http::Response Post(const std::string& path, const security::Client& peer = {}) {
    auto response = http::Post("http://" + frontend_->http_address() + path, "{}", kPatience, peer);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? *response : http::Response{};
  }

  http::Response GetAs(const std::string& path, const security::Client& peer) {
    auto response = http::Get("http://" + frontend_->http_address() + path, kPatience, peer);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? *response : http::Response{};
  }

  /// The status of a POST with these headers.
  int PostRaw(const std::string& headers) {
    http::Peer peer(ParseAddress(frontend_->http_address())->port);
    peer.Send("POST /api/v1/queues/sleep/pause HTTP/1.1\r\nHost: localhost\r\n" + headers +
              "Content-Length: 0\r\n\r\n");
    return http::StatusOf(peer.ReadResponse());
  }

  std::uint64_t Submit(bool durable = false) {
    v1::SubmitJobRequest request;
    request.mutable_options()->set_queue("sleep");
    request.mutable_options()->set_durable(durable);
    return testing::Good(Call<v1::Job>("Clients/SubmitJob", request)).id();
  }

  void ServeWithTokens() {
    std::ofstream(dir_.Path("tokens")) << "admin root admin-admin-admin-admin\n"
                                          "read-only eye read-only-read-only\n";
    Serve([&](Options& options) { options.security.token_file = dir_.Path("tokens"); });
  }

  results::TempDir dir_;
  const security::Client admin_token_ = security::Client::WithToken("admin-admin-admin-admin");
  const security::Client eye_token_ = security::Client::WithToken("read-only-read-only");
};

// ---- streams

TEST_F(WebTest, QueuesComeWithAMomentThatOnlyGrows) {
  Serve();
  Page page = Open("topics=queues");
  const Json first = page.Next("queues");
  EXPECT_EQ(first["queues"][0]["name"], "sleep");
  EXPECT_EQ(first["queues"][0]["waiting"], 0);
  Submit();
  Json next = page.Next("queues");
  for (int i = 0; i < 20 && next["queues"][0]["waiting"] != 1; ++i) next = page.Next("queues");
  EXPECT_EQ(next["queues"][0]["waiting"], 1);
  EXPECT_GT(next["seconds"].get<double>(), first["seconds"].get<double>());
}

TEST_F(WebTest, WorkersAreColumnsAndTheirStatesLetters) {
  Serve();
  auto worker = NewWorker();
  worker->Join("sleep", 7, 2);
  Page page = Open("topics=workers");
  const Json names = page.Next("workers");
  EXPECT_EQ(names["queue"], Json({"sleep"}));
  EXPECT_EQ(names["node"], Json({"node-7"}));
  EXPECT_EQ(names["pod"], Json({"pod-7"}));
  EXPECT_EQ(names["slots"], Json({2}));
  EXPECT_EQ(names["left_out"], 0);
  Json states = page.Next("worker-states");
  EXPECT_EQ(states["version"], names["version"]);
  EXPECT_EQ(states["state"], "i");
  EXPECT_EQ(states["busy"], Json::array({0}));
  Submit();
  worker->assigned.Take();
  states = page.Next("worker-states");
  EXPECT_EQ(states["state"], "b");
  EXPECT_EQ(states["busy"], Json::array({1}));
}

TEST_F(WebTest, AWorkerThatComesIsInNewNamesAndItsStatesInTheSameVersion) {
  Serve();
  auto first = NewWorker();
  first->Join("sleep", 1, 1);
  Page page = Open("topics=workers");
  const Json before = page.Next("workers");
  auto second = NewWorker();
  second->Join("media", 2, 1);
  Json names = page.Next("workers");
  EXPECT_EQ(names["queue"], Json({"sleep", "media"}));
  EXPECT_GT(names["version"], before["version"]);
  Json states = page.Next("worker-states");
  while (states["version"] != names["version"]) states = page.Next("worker-states");
  EXPECT_EQ(states["state"], "ii");
}

TEST_F(WebTest, AStreamMayHaveSeveralTopics) {
  Serve();
  Page page = Open("topics=queues,workers");
  EXPECT_EQ(page.Next("queues")["queues"].size(), 2U);
  EXPECT_EQ(page.Next("workers")["queue"], Json::array());
}

TEST_F(WebTest, WhatIsNoTopicIsNamed) {
  Serve();
  const http::Response unknown = Get("/api/v1/stream?topics=queues,nope");
  EXPECT_EQ(unknown.status, 400);
  EXPECT_THAT(unknown.body, HasSubstr("'nope' is not one of queues, runs, workers"));
  EXPECT_EQ(Get("/api/v1/stream").status, 400);
  EXPECT_EQ(Get("/api/v1/stream?topics=queues,queues,queues,queues,queues,queues,queues").status,
            400);
  EXPECT_EQ(Get("/api/v1/stream?run=x").status, 409);
}

TEST_F(WebTest, PagesOfOtherSitesGetNoStream) {
  Serve();
  http::Peer peer(ParseAddress(frontend_->http_address())->port);
  peer.Send(
      "GET /api/v1/stream?topics=queues HTTP/1.1\r\nHost: localhost\r\n"
      "Sec-Fetch-Site: cross-site\r\n\r\n");
  EXPECT_EQ(http::StatusOf(peer.ReadResponse()), 403);
}

TEST_F(WebTest, RunsComeWhenTheyChange) {
  Serve([&](Options& options) { options.storage.url = "sqlite:" + dir_.Path("jobs.db"); });
  Page page = Open("topics=runs&run=sweep");
  EXPECT_EQ(page.Next("runs")["runs"], Json::array());
  v1::CreateRunRequest request;
  request.mutable_run()->set_id("sweep");
  request.mutable_run()->set_kind("IPerf");
  request.mutable_run()->set_definition("kind: BenchmarkSet\n");
  request.mutable_run()->set_jobs(1);
  request.add_permutations()->set_number(1);
  request.mutable_permutations(0)->set_varied(R"({"streams":8})");
  request.set_last(true);
  ASSERT_TRUE(Call<v1::CreateRunReply>("Results/CreateRun", request).ok());
  Json run = page.Next("run");
  while (run.contains("error")) run = page.Next("run");
  EXPECT_EQ(run["run"]["id"], "sweep");
  EXPECT_EQ(run["permutations"], Json::array());  // they come with their first job
  EXPECT_EQ(Open("topics=runs").Next("runs")["runs"][0]["id"], "sweep");
  const Json cancelled = Json::parse(Post("/api/v1/runs/sweep/cancel").body);
  EXPECT_EQ(cancelled["run"]["id"], "sweep");
  while (run["run"]["state"] != "cancelled") {
    run = page.Next("run");
    ASSERT_FALSE(run.is_null());
  }
}

// ---- changes

TEST_F(WebTest, QueuesArePausedResumedAndDrained) {
  Serve();
  EXPECT_EQ(Json::parse(Post("/api/v1/queues/sleep/pause").body)["state"], "paused");
  EXPECT_TRUE(Queue("sleep").paused());
  EXPECT_FALSE(Queue("media").paused());
  EXPECT_EQ(Post("/api/v1/queues/sleep/resume").status, 200);
  EXPECT_FALSE(Queue("sleep").paused());
  EXPECT_EQ(Json::parse(Post("/api/v1/queues/sleep/drain").body)["state"], "draining");
  EXPECT_EQ(Post("/api/v1/queues/nope/pause").status, 404);
  EXPECT_EQ(Get("/api/v1/queues/sleep/pause").status, 405);
}

TEST_F(WebTest, JobsAreExplainedAndCancelledOnce) {
  Serve();
  const std::string job = "/api/v1/jobs/" + std::to_string(Submit());
  EXPECT_THAT(Get(job + "/explain").body, HasSubstr("no worker is connected"));
  const http::Response cancelled = Post(job + "/cancel");
  EXPECT_EQ(cancelled.status, 200);
  EXPECT_EQ(Json::parse(cancelled.body)["outcome"], "cancelled");
  EXPECT_EQ(Post(job + "/cancel").status, 409);
  EXPECT_EQ(Post("/api/v1/jobs/1/cancel").status, 404);
  EXPECT_EQ(Post("/api/v1/jobs/x/cancel").status, 400);
  EXPECT_EQ(Get("/api/v1/jobs/x/explain").status, 400);
}

TEST_F(WebTest, JobsAreChosenByStateAndComeInPages) {
  Serve([&](Options& options) { options.storage.url = "sqlite:" + dir_.Path("jobs.db"); });
  const std::string ended = std::to_string(Submit(true));
  Post("/api/v1/jobs/" + ended + "/cancel");
  const std::string first = std::to_string(Submit());
  const std::string second = std::to_string(Submit());
  const auto ids = [](const Json& page) {
    std::vector<std::string> found;
    for (const Json& job : page["jobs"]) found.push_back(job["id"]);
    return found;
  };
  const auto page = [&](const std::string& query) {
    const http::Response response = Get("/api/v1/jobs?queue=sleep&" + query);
    EXPECT_EQ(response.status, 200) << response.body;
    return Json::parse(response.body);
  };
  EXPECT_THAT(ids(page("state=cancelled,lost")), ElementsAre(ended));
  EXPECT_THAT(ids(page("state=waiting,finished")), ElementsAre(ended, first, second));
  EXPECT_THAT(ids(page("state=running")), ElementsAre());
  const Json half = page("state=waiting&page_size=1");
  EXPECT_THAT(ids(half), ElementsAre(first));
  EXPECT_THAT(ids(page("state=waiting&page_token=" + half["next_page_token"].get<std::string>())),
              ElementsAre(second));
}

TEST_F(WebTest, AListOfJobsNamesTheParameterThatItCannotUse) {
  Serve();
  for (const char* size : {"0", "1001", "-1", "x"}) {
    const http::Response response = Get(std::string("/api/v1/jobs?page_size=") + size);
    EXPECT_EQ(response.status, 400) << size;
    EXPECT_THAT(response.body, HasSubstr("page_size has to be a whole number from 1 to 1000"));
  }
  const http::Response response = Get("/api/v1/jobs?state=waiting,dead");
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("state: 'dead' is not one of waiting, running"));
}

TEST_F(WebTest, ADurableJobIsCancelledOnDisk) {
  Serve([&](Options& options) { options.storage.url = "sqlite:" + dir_.Path("jobs.db"); });
  const std::string job = "/api/v1/jobs/" + std::to_string(Submit(true));
  EXPECT_EQ(Post(job + "/cancel").status, 200);
  EXPECT_EQ(Json::parse(Get(job).body)["outcome"], "cancelled");
}

TEST_F(WebTest, RunsAreCancelled) {
  Serve([&](Options& options) { options.storage.url = "sqlite:" + dir_.Path("jobs.db"); });
  EXPECT_EQ(Post("/api/v1/runs/nope/cancel").status, 404);
  Serve();
  EXPECT_EQ(Post("/api/v1/runs/nope/cancel").status, 404);
}

TEST_F(WebTest, FormsAndPagesOfOtherSitesChangeNothing) {
  Serve();
  const std::string json = "Content-Type: application/json\r\n";
  EXPECT_EQ(PostRaw(""), 415);
  EXPECT_EQ(PostRaw("Content-Type: text/plain\r\n"), 415);
  EXPECT_EQ(PostRaw("Content-Type: application/x-www-form-urlencoded\r\n"), 415);
  EXPECT_EQ(PostRaw(json + "Sec-Fetch-Site: cross-site\r\n"), 403);
  EXPECT_EQ(PostRaw(json + "Origin: https://elsewhere.example\r\n"), 403);
  EXPECT_FALSE(Queue("sleep").paused());
  EXPECT_EQ(PostRaw("Content-Type: application/json; charset=utf-8\r\n"), 200);
  EXPECT_TRUE(Queue("sleep").paused());
}

TEST_F(WebTest, EachPostIsLoggedWhoeverRefusesIt) {
  const testing::LogCapture log;
  Serve();
  const std::string json = "Content-Type: application/json\r\n";
  EXPECT_EQ(PostRaw(json), 200);
  EXPECT_EQ(PostRaw(json + "Sec-Fetch-Site: cross-site\r\n"), 403);
  EXPECT_EQ(PostRaw(""), 415);
  EXPECT_EQ(PostRaw(json + "Transfer-Encoding: zip\r\n"), 400);
  EXPECT_EQ(Post("/api/v1/nothing").status, 404);
  ServeWithTokens();
  EXPECT_EQ(Post("/api/v1/queues/sleep/pause").status, 401);
  for (const char* status : {"200", "403", "415", "400", "401"}) {
    EXPECT_THAT(
        log.text(),
        HasSubstr(std::string("asked by HTTP to POST /api/v1/queues/sleep/pause: ") + status));
  }
  EXPECT_THAT(log.text(), HasSubstr("asked by HTTP to POST /api/v1/nothing: 404"));
}

TEST_F(WebTest, WithTokensOnlyAdminsChangeSomething) {
  ServeWithTokens();
  EXPECT_EQ(Post("/api/v1/queues/sleep/pause").status, 401);
  EXPECT_EQ(Post("/api/v1/queues/sleep/pause", eye_token_).status, 403);
  EXPECT_EQ(Post("/api/v1/queues/sleep/pause", admin_token_).status, 200);
  EXPECT_EQ(Get("/api/v1/stream?topics=queues").status, 401);
}

TEST_F(WebTest, APageLearnsWhatItMayDo) {
  Serve();
  EXPECT_EQ(Json::parse(Get("/api/v1/me").body), Json({{"roles", {"admin"}}, {"tokens", false}}));
  ServeWithTokens();
  EXPECT_EQ(Get("/api/v1/me").status, 401);
  EXPECT_EQ(Json::parse(GetAs("/api/v1/me", eye_token_).body),
            Json({{"roles", {"read-only"}}, {"tokens", true}}));
  EXPECT_EQ(Json::parse(GetAs("/api/v1/me", admin_token_).body),
            Json({{"roles", {"admin"}}, {"tokens", true}}));
}

TEST_F(WebTest, WithoutTokensOnlyThisMachineChangesSomething) {
  Serve([](Options& options) { options.http_address = "0.0.0.0:0"; });
  const http::Response refused = Post("/api/v1/queues/sleep/pause");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr("--token-file"));
  EXPECT_EQ(Json::parse(Get("/api/v1/me").body),
            Json({{"roles", {"read-only"}}, {"tokens", false}}));
}

// ---- the page

TEST_F(WebTest, BrowsersGetThePageAndItsFilesWithoutAToken) {
  ServeWithTokens();
  const int port = ParseAddress(frontend_->http_address())->port;
  const auto ask = [&](const std::string& path, const std::string& headers) {
    http::Peer peer(static_cast<std::uint16_t>(port));
    peer.Send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
    return peer.ReadResponse();
  };
  const std::string page = ask("/", "Accept: text/html,*/*;q=0.8\r\n");
  EXPECT_EQ(http::StatusOf(page), 200);
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy: default-src 'none'; script-src 'self'"));
  EXPECT_THAT(page, HasSubstr("app.js"));
  const std::string packed = ask("/app.js", "Accept-Encoding: gzip, br\r\n");
  EXPECT_THAT(packed, HasSubstr("Content-Encoding: gzip\r\n"));
  const std::size_t etag = packed.find("ETag: ") + 6;
  const std::string known = packed.substr(etag, packed.find("\r\n", etag) - etag);
  EXPECT_EQ(http::StatusOf(ask("/app.js", "If-None-Match: " + known + "\r\n")), 304);
  EXPECT_EQ(http::StatusOf(ask("/", "Accept: */*\r\n")), 401);
  EXPECT_EQ(http::StatusOf(ask("/plain", "Accept: text/html\r\n")), 401);
}

TEST_F(WebTest, ThePlainPageStays) {
  Serve();
  EXPECT_EQ(Get("/").body, Get("/plain").body);
  EXPECT_THAT(Get("/plain").body, HasSubstr("<td>media<td>open<td>0"));
}

}  // namespace
}  // namespace twofold::frontend
