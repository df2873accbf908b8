#include "lib/http/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twofold::http {
namespace {

using testing::HasSubstr;

Handler Says(std::string text) {
  return [text](const Request&) { return PlainText(200, text); };
}

Router MakeRouter() {
  return Router({
      {"GET", "/", Says("root")},
      {"GET", "/jobs", Says("list")},
      {"POST", "/jobs", Says("add")},
      {"GET", "/jobs/latest", Says("latest")},
      {"GET", "/jobs/{id}",
       [](const Request& request) { return PlainText(200, "job " + request.params.at("id")); }},
      {"DELETE", "/queues/{queue}/jobs/{id}",
       [](const Request& request) {
         return PlainText(200, request.params.at("queue") + " " + request.params.at("id"));
       }},
  });
}

Response AnswerTo(std::string method, std::string path) {
  Request request;
  request.method = std::move(method);
  request.path = std::move(path);
  return MakeRouter()(std::move(request));
}

TEST(Router, FindsTheHandlerOfMethodAndPath) {
  EXPECT_EQ(AnswerTo("GET", "/").body, "root");
  EXPECT_EQ(AnswerTo("GET", "/jobs").body, "list");
  EXPECT_EQ(AnswerTo("POST", "/jobs").body, "add");
}

TEST(Router, FillsTheNamedParts) {
  EXPECT_EQ(AnswerTo("GET", "/jobs/17").body, "job 17");
  EXPECT_EQ(AnswerTo("DELETE", "/queues/sleep/jobs/17").body, "sleep 17");
}

TEST(Router, TheFirstRowThatFitsWins) { EXPECT_EQ(AnswerTo("GET", "/jobs/latest").body, "latest"); }

TEST(Router, ComparesDecodedPartsAndKeepsAnEscapedSlashInside) {
  EXPECT_EQ(AnswerTo("GET", "/job%73").body, "list");
  EXPECT_EQ(AnswerTo("GET", "/jobs/a%2Fb").body, "job a/b");
}

TEST(Router, GetAlsoServesHead) { EXPECT_EQ(AnswerTo("HEAD", "/jobs").body, "list"); }

TEST(Router, UnknownPathIs404ThatNamesIt) {
  for (const char* path :
       {"/job", "/jobs/", "/jobs/17/", "/jobs//17", "//", "/queues/sleep/jobs", "/%7Bid%7D"}) {
    const Response response = AnswerTo("GET", path);
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_THAT(response.body, HasSubstr(path));
  }
}

TEST(Router, KnownPathWithAnotherMethodIs405WithAllow) {
  const Response response = AnswerTo("PUT", "/jobs");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.headers.at("Allow"), "GET, HEAD, POST");
  EXPECT_EQ(AnswerTo("GET", "/queues/sleep/jobs/17").headers.at("Allow"), "DELETE");
}

}  // namespace
}  // namespace twofold::http
