#include "lib/http/client_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <thread>

#include "tests/lib/http/test_server.h"

namespace twofold::http {
namespace {

using absl::StatusCode;
using boost::asio::ip::tcp;
using std::chrono::seconds;

Instant Soon() { return Now() + seconds(30); }

Outgoing Asking(const std::string& target, const std::string& method = "GET") {
  return {method, target, {{"Host", "localhost"}}, {}};
}

/// A server that says what it is told to, once it has been asked something.
class Script {
 public:
  using Say = std::function<void(std::string_view)>;

  explicit Script(std::function<void(const Say& say)> play) : play_(std::move(play)) {
    acceptor_.open(tcp::v4());
    acceptor_.bind({boost::asio::ip::address_v4::loopback(), 0});
    acceptor_.listen();
    port_ = acceptor_.local_endpoint().port();
    thread_ = std::thread([this] { Serve(); });
  }
  ~Script() {
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
    thread_.join();
  }

  [[nodiscard]] Upstream upstream() const { return {{"127.0.0.1", port_}, nullptr}; }

 private:
  void Serve() {
    boost::system::error_code error;
    tcp::socket socket(io_);
    acceptor_.accept(socket, error);
    if (error) return;
    std::string request;
    boost::asio::read_until(socket, boost::asio::dynamic_buffer(request), "\r\n\r\n", error);
    play_([&](std::string_view text) {
      boost::asio::write(socket, boost::asio::buffer(text.data(), text.size()), error);
    });
  }

  const std::function<void(const Say&)> play_;
  boost::asio::io_context io_;
  tcp::acceptor acceptor_{io_};
  std::uint16_t port_ = 0;
  std::thread thread_;
};

class HttpClientConnection : public ::testing::Test {
 protected:
  Status Open(const Upstream& upstream) { return connection_.Open(upstream, Soon()); }

  /// A whole answer's body; "STATUS: " before it.
  std::string Ask(const Outgoing& request) {
    if (!connection_.Send(request, Soon()).ok()) return "not sent";
    const Result<Head> head = connection_.ReceiveHead(Soon());
    if (!head.ok()) return std::string(head.status().message());
    std::string body = std::to_string(head->status) + ": ";
    for (bool last = false; !last;) {
      const Result<Piece> piece = connection_.ReceiveBody(body, Soon());
      if (!piece.ok()) return std::string(piece.status().message());
      last = piece->last;
    }
    return body;
  }

  ClientConnection connection_;
};

TEST_F(HttpClientConnection, AsksAgainAndAgain) {
  const auto server = StartTestServer();
  ASSERT_TRUE(Open({{"127.0.0.1", server->port()}, nullptr}).ok());
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(connection_.is_idle());
    EXPECT_EQ(Ask(Asking("/")), "200: hello");
  }
  EXPECT_EQ(Ask(Asking("/nothing", "DELETE")), "204: ");
  Outgoing echo = Asking("/echo", "POST");
  echo.body = "text";
  EXPECT_EQ(Ask(echo), "200: text");
  EXPECT_EQ(Ask(Asking("/big")).size(), kBig + 5);
}

TEST_F(HttpClientConnection, AClosedServerIsSeenBeforeTheNextRequest) {
  auto server = StartTestServer();
  ASSERT_TRUE(Open({{"127.0.0.1", server->port()}, nullptr}).ok());
  EXPECT_EQ(Ask(Asking("/")), "200: hello");
  server.reset();
  EXPECT_FALSE(connection_.is_idle());
  EXPECT_TRUE(connection_.is_open());
}

TEST_F(HttpClientConnection, ClosesWhenTheServerWantsSo) {
  const Script script([](const Script::Say& say) {
    say("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi");
  });
  ASSERT_TRUE(Open(script.upstream()).ok());
  EXPECT_EQ(Ask(Asking("/")), "200: hi");
  EXPECT_FALSE(connection_.is_open());
  EXPECT_EQ(connection_.Send(Asking("/"), Soon()).code(), StatusCode::kUnavailable);
}

TEST_F(HttpClientConnection, EachChunkIsToldWhenItComes) {
  std::promise<void> got_first;
  const Script script([&](const Script::Say& say) {
    say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
    got_first.get_future().wait();
    say("3\r\nt");
    say("wo\r\n");
    say("0\r\n\r\n");
  });
  ASSERT_TRUE(Open(script.upstream()).ok());
  ASSERT_TRUE(connection_.Send(Asking("/"), Soon()).ok());
  ASSERT_TRUE(connection_.ReceiveHead(Soon()).ok());
  std::string body;
  Result<Piece> piece = connection_.ReceiveBody(body, Soon());
  ASSERT_TRUE(piece.ok()) << piece.status();
  EXPECT_EQ(body, "one");
  EXPECT_FALSE(piece->last);
  const Instant first = piece->arrived;
  got_first.set_value();
  while (piece.ok() && !piece->last) {
    piece = connection_.ReceiveBody(body, Soon());
    if (piece.ok()) {
      EXPECT_LT(first, piece->arrived);
    }
  }
  EXPECT_EQ(body, "onetwo");
}

TEST_F(HttpClientConnection, WhatBreaksOffIsNoAnswer) {
  for (const char* text : {"", "HTTP/1.1 200 OK\r\nConte", "nonsense\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfull\r\n"}) {
    const Script script([&](const Script::Say& say) { say(text); });
    ASSERT_TRUE(Open(script.upstream()).ok());
    EXPECT_THAT(Ask(Asking("/")), ::testing::Not(::testing::StartsWith("200"))) << text;
    EXPECT_FALSE(connection_.is_open());
  }
}

TEST_F(HttpClientConnection, AnAnswerMayEndWithTheConnection) {
  const Script script([](const Script::Say& say) { say("HTTP/1.1 200 OK\r\n\r\nall"); });
  ASSERT_TRUE(Open(script.upstream()).ok());
  EXPECT_EQ(Ask(Asking("/")), "200: all");
}

TEST_F(HttpClientConnection, InterruptEndsAWait) {
  std::promise<void> asked;
  std::promise<void> end;
  const Script script([&](const Script::Say&) {
    asked.set_value();
    end.get_future().wait();
  });
  ASSERT_TRUE(Open(script.upstream()).ok());
  ASSERT_TRUE(connection_.Send(Asking("/"), Soon()).ok());
  std::thread other([&] {
    asked.get_future().wait();
    connection_.Interrupt();
  });
  EXPECT_EQ(connection_.ReceiveHead(Instant::max()).status().code(), StatusCode::kCancelled);
  EXPECT_EQ(Open(script.upstream()).code(), StatusCode::kCancelled);
  other.join();
  end.set_value();
}

TEST_F(HttpClientConnection, InTheMiddleOfAnAnswerItIsNotIdle) {
  std::promise<void> end;
  const Script script([&](const Script::Say& say) {
    say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
    end.get_future().wait();
    say(" done");
  });
  ASSERT_TRUE(Open(script.upstream()).ok());
  EXPECT_TRUE(connection_.is_idle());
  ASSERT_TRUE(connection_.Send(Asking("/"), Soon()).ok());
  EXPECT_FALSE(connection_.is_idle());
  ASSERT_TRUE(connection_.ReceiveHead(Soon()).ok());
  std::string body;
  ASSERT_TRUE(connection_.ReceiveBody(body, Soon()).ok());
  EXPECT_FALSE(connection_.is_idle());
  end.set_value();
  for (bool last = false; !last;) {
    const Result<Piece> piece = connection_.ReceiveBody(body, Soon());
    ASSERT_TRUE(piece.ok()) << piece.status();
    last = piece->last;
  }
  EXPECT_EQ(body, "half done");
}

TEST_F(HttpClientConnection, ADeadlineEndsAWait) {
  std::promise<void> end;
  const Script script([&](const Script::Say&) { end.get_future().wait(); });
  ASSERT_TRUE(Open(script.upstream()).ok());
  ASSERT_TRUE(connection_.Send(Asking("/"), Soon()).ok());
  EXPECT_EQ(connection_.ReceiveHead(Now() + std::chrono::milliseconds(20)).status().code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_FALSE(connection_.is_open());
  end.set_value();
}

}  // namespace
}  // namespace twofold::http
