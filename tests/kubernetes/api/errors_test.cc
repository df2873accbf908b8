#include "kubernetes/api/errors.h"

#include <gtest/gtest.h>

namespace twofold::kube {
namespace {

using absl::StatusCode;

std::string StatusObject(int code, const std::string& reason, const std::string& message) {
  return Json{{"kind", "Status"}, {"code", code}, {"reason", reason}, {"message", message}}.dump();
}

TEST(KubeErrors, NameVerbObjectAndReason) {
  const Status status = ErrorOf("create pod default/x", 403,
                                StatusObject(403, "Forbidden", R"(pods is forbidden: User "u")"));
  EXPECT_EQ(status.code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(std::string(status.message()),
            R"(create pod default/x: 403 Forbidden: pods is forbidden: User "u")");
  EXPECT_EQ(ReasonOf(status), "Forbidden");
  EXPECT_EQ(HttpStatusOf(status), 403);
}

TEST(KubeErrors, CodesAreForDecisions) {
  const std::pair<int, StatusCode> rows[] = {
      {400, StatusCode::kInvalidArgument},   {401, StatusCode::kUnauthenticated},
      {404, StatusCode::kNotFound},          {409, StatusCode::kAborted},
      {410, StatusCode::kOutOfRange},        {422, StatusCode::kInvalidArgument},
      {429, StatusCode::kResourceExhausted}, {500, StatusCode::kUnavailable},
      {504, StatusCode::kDeadlineExceeded},  {599, StatusCode::kUnavailable},
      {499, StatusCode::kInternal}};
  for (const auto& [http, code] : rows) EXPECT_EQ(ErrorOf("get", http, "").code(), code) << http;
  EXPECT_EQ(ErrorOf("create", 409, StatusObject(409, "AlreadyExists", "there")).code(),
            StatusCode::kAlreadyExists);
  EXPECT_EQ(ErrorOf("patch", 409, StatusObject(409, "Conflict", "changed")).code(),
            StatusCode::kAborted);
}

TEST(KubeErrors, PlainTextIsTold) {
  const Status status = ErrorOf("list pods", 429, "Too many requests, please try again later.\n");
  EXPECT_EQ(std::string(status.message()),
            "list pods: 429 Too Many Requests: Too many requests, please try again later. ");
  EXPECT_EQ(ReasonOf(status), "");
  EXPECT_EQ(RetryAfterOf(status), std::nullopt);
}

TEST(KubeErrors, LongAndStrangeTextsAreCut) {
  const Status status = ErrorOf("list pods", 500, std::string(100'000, '\x1b'));
  EXPECT_LT(status.message().size(), 2100U);
  EXPECT_EQ(std::string(status.message()).find('\x1b'), std::string::npos);
}

TEST(KubeErrors, TheServersWaitIsKept) {
  Json object = Json::parse(StatusObject(504, "Timeout", "Too large resource version"));
  object["details"] = {{"retryAfterSeconds", 1}};
  EXPECT_EQ(RetryAfterOf(ErrorOf("list pods", 504, object.dump())), std::chrono::seconds(1));
  object["details"] = {{"retryAfterSeconds", 99999999999}};
  EXPECT_EQ(RetryAfterOf(ErrorOf("list pods", 504, object.dump())), std::chrono::hours(24));
}

TEST(KubeErrors, ALineOfAWatchHasTheStatusInIt) {
  const Status status = ErrorOfStatusObject(
      "watch pods", Json::parse(StatusObject(410, "Expired", "too old resource version: 1 (2)")));
  EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
  EXPECT_EQ(ErrorOfStatusObject("watch pods", Json()).code(), StatusCode::kUnavailable);
}

TEST(KubeErrors, ARepeatedCallIsMarked) {
  Status status = ErrorOf("create pod a/b", 409, StatusObject(409, "AlreadyExists", ""));
  EXPECT_FALSE(WasRepeated(status));
  SetRepeated(status);
  EXPECT_TRUE(WasRepeated(status));
  EXPECT_EQ(HttpStatusOf(absl::OkStatus()), 0);
}

}  // namespace
}  // namespace twofold::kube
