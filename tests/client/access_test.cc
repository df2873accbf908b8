#include "client/access.h"

#include <gtest/gtest.h>

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
  for (const char* path : {"/", "/stats", "/metrics", "/parallel"}) {
    EXPECT_TRUE(May(Role::kReadOnly, path)) << path;
    EXPECT_TRUE(May(Role::kClient, path)) << path;
    EXPECT_FALSE(May(Role::kWorker, path)) << path;
  }
}

TEST(Access, ChangesAreForClientsAndAdmins) {
  EXPECT_FALSE(May(Role::kReadOnly, "/reset"));
  EXPECT_FALSE(May(Role::kReadOnly, "/parallel", {{"value", "4"}}));
  EXPECT_TRUE(May(Role::kClient, "/parallel", {{"value", "4"}}));
  EXPECT_TRUE(May(Role::kAdmin, "/reset"));
}

TEST(Access, AnotherSpellingOpensNoDoor) {
  EXPECT_FALSE(May(Role::kReadOnly, "/%72eset"));
  EXPECT_FALSE(May(Role::kReadOnly, "/p%61rallel", {{"value", "4"}}));
  EXPECT_FALSE(May(Role::kReadOnly, "/not-there-yet"));
}

TEST(Access, HealthIsOpen) { EXPECT_TRUE(May(Role::kWorker, "/healthz")); }

}  // namespace
}  // namespace twofold::client
