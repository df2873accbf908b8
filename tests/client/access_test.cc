#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "client/control.h"
#include "lib/http/guard.h"

namespace twofold::client {
namespace {

using security::Role;

bool May(Role role, const std::string& path, const http::Params& query = {}) {
  http::Request request;
  request.method = "GET";
  request.path = path;
  request.query = query;
  return RolesOfPage(request).Has(role);
}

TEST(Access, ReadersSeePagesThatChangeNothing) {
  for (const char* path : {"/", "/stats", "/metrics", "/parallel", "/rate", "/profile", "/look",
                           "/verdict", "/why", "/plain", "/events"}) {
    EXPECT_TRUE(May(Role::kReadOnly, path)) << path;
    EXPECT_TRUE(May(Role::kClient, path)) << path;
    EXPECT_FALSE(May(Role::kWorker, path)) << path;
  }
}

TEST(Access, TheFilesOfTheLivePageAreForAll) {
  EXPECT_TRUE(May(Role::kWorker, "/app.js"));
  EXPECT_FALSE(May(Role::kWorker, "/"));  // without a wish for HTML
  EXPECT_FALSE(May(Role::kReadOnly, "/app.map"));
}

TEST(Access, ChangesAreForClientsAndAdmins) {
  EXPECT_FALSE(May(Role::kReadOnly, "/reset"));
  EXPECT_FALSE(May(Role::kReadOnly, "/parallel", {{"value", "4"}}));
  EXPECT_TRUE(May(Role::kClient, "/parallel", {{"value", "4"}}));
  EXPECT_TRUE(May(Role::kAdmin, "/reset"));
  EXPECT_FALSE(May(Role::kReadOnly, "/rate", {{"value", "4"}}));
  EXPECT_TRUE(May(Role::kClient, "/rate", {{"value", "4"}}));
  for (const char* method : {"PUT", "POST"}) {
    http::Request profile;
    profile.method = method;
    profile.path = "/profile";
    EXPECT_FALSE(RolesOfPage(profile).Has(Role::kReadOnly)) << method;
    EXPECT_TRUE(RolesOfPage(profile).Has(Role::kClient)) << method;
  }
}

TEST(Access, AnotherSpellingOpensNoDoor) {
  EXPECT_FALSE(May(Role::kReadOnly, "/%72eset"));
  EXPECT_FALSE(May(Role::kReadOnly, "/p%61rallel", {{"value", "4"}}));
  EXPECT_FALSE(May(Role::kReadOnly, "/not-there-yet"));
}

// A change as the program serves it: with what http::Guard makes of the roles.
TEST(Access, PagesOfOtherSitesCannotChangeTheLoad) {
  const auto gate = std::make_shared<security::Gate>("http", nullptr);
  const auto handler = http::Guard(gate, false, RolesOfPage,
                                   [](const http::Request&) { return http::PlainText(200, ""); });
  const auto status = [&](const std::string& path, http::Params query, http::Params headers) {
    http::Request request;
    request.method = "GET";
    request.path = path;
    request.query = std::move(query);
    request.headers = std::move(headers);
    return handler(request).status;
  };
  const http::Params foreign = {{"sec-fetch-site", "cross-site"}, {"host", "localhost:9996"}};
  const http::Params linked = {{"referer", "http://evil.example/"}, {"host", "tester:9996"}};
  for (const http::Params& headers : {foreign, linked}) {
    EXPECT_EQ(status("/reset", {}, headers), 403);
    EXPECT_EQ(status("/parallel", {{"value", "4"}}, headers), 403);
    EXPECT_EQ(status("/parallel", {}, headers), 200);
    EXPECT_EQ(status("/stats", {}, headers), 200);
  }
  const http::Params own = {{"sec-fetch-site", "same-origin"}, {"host", "localhost:9996"}};
  for (const http::Params& headers : {own, {{"host", "localhost:9996"}}}) {
    EXPECT_EQ(status("/reset", {}, headers), 200);
    EXPECT_EQ(status("/parallel", {{"value", "4"}}, headers), 200);
  }
}

TEST(Access, HealthIsOpen) { EXPECT_TRUE(May(Role::kWorker, "/healthz")); }

}  // namespace
}  // namespace twofold::client
