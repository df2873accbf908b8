#include "lib/http/client.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>

#include "lib/http/server.h"

namespace twofold::http {
namespace {

using std::chrono::seconds;

Response Show(const Request& request) {
  const std::string* type = Find(request.headers, "content-type");
  Response response = Json(200, request.method + " " + request.path + " " + request.body);
  response.headers["X-Type"] = type ? *type : "none";
  response.headers["X-Host"] = request.headers.at("host");
  return response;
}

class Client : public testing::Test {
 protected:
  const std::unique_ptr<Server> server_ = Server::Start({"127.0.0.1", 0}, Show).value();
  const std::string root_ = "http://127.0.0.1:" + std::to_string(server_->port());
};

TEST_F(Client, SendsMethodTargetBodyAndHost) {
  const auto got = Get(root_ + "/a/b?c=d", seconds(30));
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(got->content_type, "application/json");
  EXPECT_EQ(got->body, "GET /a/b ");
  EXPECT_EQ(got->headers.at("x-type"), "none");
  EXPECT_EQ("http://" + got->headers.at("x-host"), root_);

  const auto put = Put(root_ + "/x", "{}", seconds(30));
  ASSERT_TRUE(put.ok()) << put.status();
  EXPECT_EQ(put->body, "PUT /x {}");
  EXPECT_EQ(put->headers.at("x-type"), "application/json");
  EXPECT_EQ(Post(root_, "[1]", seconds(30))->body, "POST / [1]");
  EXPECT_EQ(Delete(root_ + "/x", seconds(30))->body, "DELETE /x ");
}

TEST_F(Client, AnErrorOfTheServerIsAResponse) {
  EXPECT_EQ(Get(root_ + "/%zz", seconds(30))->status, 400);
}

TEST_F(Client, TheProxyIsAskedToConnect) {
  security::ClientOptions options;
  options.proxy = root_;
  const auto security = security::Client::Open(options);
  ASSERT_TRUE(security.ok()) << security.status();
  const auto response = Get("http://server.test:1/", seconds(30), *security);
  EXPECT_NE(response.status().message().find("proxy"), std::string::npos) << response.status();
}

TEST_F(Client, NoAnswerInTimeIsDeadlineExceeded) {
  std::promise<void> answer;
  const auto wait = [&answer](const Request&) {
    answer.get_future().wait();
    return Response{};
  };
  const auto slow = Server::Start({"127.0.0.1", 0}, wait).value();
  const std::string url = "http://127.0.0.1:" + std::to_string(slow->port());
  const auto response = Get(url, std::chrono::milliseconds(50));
  EXPECT_EQ(response.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(std::string(response.status().message()), "no answer from " + url + " within 0.05 s");
  answer.set_value();
}

TEST_F(Client, NobodyThereIsUnavailable) {
  server_->Stop();
  const auto response = Get(root_ + "/", seconds(30));
  EXPECT_EQ(response.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(std::string(response.status().message()),
            "cannot reach " + root_ + "/: Connection refused");
}

TEST(ClientUrl, WhatIsNoUrlIsInvalid) {
  for (const char* url : {"", "localhost", "http://", "http:///x", "http://localhost:x/",
                          "http://localhost/a b", "http://localhost/a\r\nb",
                          "http://localhost/#top", "http://user@localhost/", "http://::1/"}) {
    EXPECT_EQ(Get(url, seconds(30)).status().code(), absl::StatusCode::kInvalidArgument) << url;
  }
}

}  // namespace
}  // namespace twofold::http
