
#include <gtest/gtest.h>

#include "lib/http/guard.h"

namespace twofold::http {
namespace {

Request With(Params headers) {
  Request request;
  request.method = "GET";
  request.path = "/reset";
  request.headers = std::move(headers);
  return request;
}

TEST(Origin, WhatABrowserSaysOfTheSiteDecides) {
  EXPECT_TRUE(IsFromOtherSite(With({{"sec-fetch-site", "cross-site"}})));
  EXPECT_TRUE(IsFromOtherSite(With({{"sec-fetch-site", "same-site"}}))) << "another port of ours";
  EXPECT_TRUE(IsFromOtherSite(With({{"sec-fetch-site", "none, cross-site"}})));
  EXPECT_FALSE(
      IsFromOtherSite(With({{"sec-fetch-site", "same-origin"}, {"referer", "http://a/"}})));
  EXPECT_FALSE(IsFromOtherSite(With({{"sec-fetch-site", "none"}})));
}

TEST(Origin, OlderBrowsersAreKnownByOriginAndReferer) {
  for (const char* name : {"origin", "referer"}) {
    const auto from = [name](const char* page) {
      return IsFromOtherSite(With({{"host", "tester:9996"}, {name, page}}));
    };
    for (const char* ours : {"http://tester:9996", "http://TESTER:9996/stats?type=html"}) {
      EXPECT_FALSE(from(ours)) << name << ours;
    }
    for (const char* theirs : {"http://evil.example", "http://tester", "http://tester:9998/",
                               "null", "", "http://evil.example/http://tester:9996"}) {
      EXPECT_TRUE(from(theirs)) << name << theirs;
    }
  }
}

TEST(Origin, ScriptsAreNotConcerned) {
  EXPECT_FALSE(IsFromOtherSite(With({{"host", "tester:9996"}, {"user-agent", "curl/7.88.1"}})));
  EXPECT_FALSE(IsFromOtherSite(With({})));
}

TEST(Origin, AServerOfThisMachineHasNoNameThatOthersCouldGiveIt) {
  for (const char* ours : {"localhost", "localhost:9996", "LOCALHOST:1", "127.0.0.1:9996",
                           "[::1]:9", "127.1", "tester", "a.localhost:80", "my.host:9996", ""}) {
    EXPECT_TRUE(IsLocalHost(ours, "my.host")) << ours;
  }
  for (const char* theirs : {"evil.example", "evil.example:9996", "127.0.0.1.evil.example",
                             "localhost.", "localhost.evil.example:80", "1.2.3.4a"}) {
    EXPECT_FALSE(IsLocalHost(theirs, "my.host")) << theirs;
  }
}

TEST(Origin, AnotherHostIsToldSo) {
  const Handler handler = ForLocalHosts("", [](const Request&) { return PlainText(200, "hi"); });
  EXPECT_EQ(handler(With({})).status, 200);
  EXPECT_EQ(handler(With({{"host", "localhost:1"}})).status, 200);
  EXPECT_EQ(handler(With({{"host", "evil.example"}})).status, 421);
}

TEST(Guard, PagesOfOtherSitesChangeNothing) {
  const auto gate = std::make_shared<security::Gate>("http", nullptr);
  const auto roles = [](const Request& request) {
    if (request.path == "/healthz") return security::Roles::Open();
    if (request.path == "/reset") return security::Roles{security::Role::kClient};
    return security::Roles{security::Role::kClient, security::Role::kReadOnly};
  };
  const Handler handler =
      Guard(gate, false, roles, [](const Request&) { return PlainText(200, "done"); });
  Request request = With({{"sec-fetch-site", "cross-site"}});
  EXPECT_EQ(handler(request).status, 403);
  EXPECT_EQ(gate->denied(security::Reason::kOtherSite), 1U);
  for (const char* path : {"/stats", "/healthz"}) {
    request.path = path;
    EXPECT_EQ(handler(request).status, 200) << "a link to it is harmless: " << path;
  }
  EXPECT_EQ(handler(With({})).status, 200);
}

}  // namespace
}  // namespace twofold::http
