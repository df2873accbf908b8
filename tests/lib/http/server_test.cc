#include "lib/http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "lib/http/router.h"
#include "tests/lib/http/peer.h"
#include "tests/lib/http/test_server.h"

namespace twofold::http {
namespace {

using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kHello =
    "HTTP/1.1 200 OK\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Cache-Control: no-store\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: 5\r\n\r\n"
    "hello";

TEST(Server, AnswersWithTheFewestHeaders) {
  const auto server = StartTestServer();
  Peer peer(server->port());
  peer.Send(kGet);
  EXPECT_EQ(peer.ReadResponse(), kHello);
}

TEST(Server, HeadIsGetWithoutTheBody) {
  const auto server = StartTestServer();
  Peer peer(server->port());
  peer.Send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(peer.ReadHead() + "hello", kHello);
  peer.Send(kGet);
  EXPECT_EQ(peer.ReadResponse(), kHello);
}

TEST(Server, NoContentHasNeitherLengthNorType) {
  const auto server = StartTestServer();
  Peer peer(server->port());
  peer.Send("DELETE /nothing HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(peer.ReadHead(), Not(HasSubstr("Content-Length")));
  peer.Send(kGet);
  EXPECT_EQ(peer.ReadResponse(), kHello);
}

TEST(Server, KeepsAliveAsTheVersionAndTheHeaderSay) {
  const auto server = StartTestServer();
  EXPECT_THAT(Ask(server->port(), "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_EQ(StatusOf(Ask(server->port(), "GET / HTTP/1.0\r\n\r\n")), 200);
  Peer old(server->port());
  for (int i = 0; i < 3; ++i) {
    old.Send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_THAT(old.ReadResponse(), HasSubstr("\r\nConnection: keep-alive\r\n"));
  }
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
  const auto server = StartTestServer();
  Peer peer(server->port());
  std::string requests;
  for (int i = 1000; i < 2000; ++i) {
    requests += "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n" + std::to_string(i);
  }
  peer.Send(requests);
  for (int i = 1000; i < 2000; ++i) {
    ASSERT_THAT(peer.ReadResponse(), EndsWith("\r\n\r\n" + std::to_string(i)));
  }
}

TEST(Server, TakesBytesOneAtATime) {
  const auto server = StartTestServer();
  Peer peer(server->port());
  for (const char byte :
       std::string("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                   "3;a=b\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: x\r\n\r\n")) {
    ASSERT_TRUE(peer.Send({&byte, 1}));
  }
  EXPECT_THAT(peer.ReadResponse(), EndsWith("\r\n\r\nabcde"));
}

TEST(Server, TakesRequestsThatWereStoredWithBareLf) {
  const auto server = StartTestServer();
  Peer peer(server->port());
  const std::string stored =
      "GET /?type=json HTTP/1.1\nHost: 127.0.0.1:9996\nUser-Agent: radamsa/v?\nAccept: */*\n\n";
  for (const char byte : stored) ASSERT_TRUE(peer.Send({&byte, 1}));
  EXPECT_EQ(peer.ReadResponse(), kHello);
  peer.Send(stored + stored + "POST /echo HTTP/1.1\nHost: x\nContent-Length: 3\n\na\nb" +
            std::string(kGet));
  EXPECT_EQ(peer.ReadResponse(), kHello);
  EXPECT_EQ(peer.ReadResponse(), kHello);
  EXPECT_THAT(peer.ReadResponse(), EndsWith("\r\n\r\na\nb"));
  EXPECT_EQ(peer.ReadResponse(), kHello);
}

TEST(Server, ABareLfInAHeadThatBeganWithCrLfIsRefused) {
  const auto server = StartTestServer();
  for (const char* request :
       {"GET / HTTP/1.1\r\nHost: x\nContent-Length: 5\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nX: a\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\nHost: x\rX: y\n\n", "GET / HTTP/1.1\n Host: x\n\n", "\n", "\n\n"}) {
    EXPECT_EQ(StatusOf(Ask(server->port(), request)), 400) << request;
  }
}

TEST(Server, TheAbsoluteFormNamesTheHost) {
  const auto show = [](const Request& request) {
    return PlainText(200, request.path + " " + request.headers.at("host"));
  };
  const auto server = Server::Start({"127.0.0.1", 0}, show).value();
  EXPECT_THAT(Ask(server->port(),
                  "GET http://a:1/b?c=d HTTP/1.1\r\nHost: x\r\n"
                  "Connection: close\r\n\r\n"),
              EndsWith("\r\n\r\n/b a:1"));
}

TEST(Server, OnLoopbackAnotherHostIsMisdirected) {
  const auto server = StartTestServer();
  const auto status = [&server](const std::string& target, const std::string& host) {
    return StatusOf(Ask(server->port(), "GET " + target + " HTTP/1.1\r\nHost: " + host +
                                            "\r\nConnection: close\r\n\r\n"));
  };
  EXPECT_EQ(status("/", "localhost:" + std::to_string(server->port())), 200);
  EXPECT_EQ(status("/", "evil.example"), 421);
  EXPECT_EQ(status("http://evil.example/", "localhost"), 421);
  const auto everywhere =
      Server::Start({"", 0}, [](const Request&) { return PlainText(200, ""); }).value();
  EXPECT_EQ(StatusOf(Ask(everywhere->port(),
                         "GET / HTTP/1.1\r\nHost: tester.example\r\n"
                         "Connection: close\r\n\r\n")),
            200);
}

TEST(Server, AnswersAPeerThatHasFinishedSending) {
  const auto server = StartTestServer();
  Peer peer(server->port());
  peer.Send(kGet);
  peer.FinishSending();
  EXPECT_EQ(peer.ReadAll(), kHello);
  EXPECT_TRUE(peer.closed());
}

TEST(Server, AsksForTheBodyOfACarefulPeer) {
  const auto server = StartTestServer();
  Peer peer(server->port());
  peer.Send("POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(peer.ReadHead(), "HTTP/1.1 100 Continue\r\n\r\n");
  peer.Send("abc");
  EXPECT_THAT(peer.ReadResponse(), EndsWith("\r\n\r\nabc"));
}

TEST(Server, AHandlerThatThrowsIs500AndNothingMore) {
  const auto server = StartTestServer();
  Peer peer(server->port());
  peer.Send("GET /throw HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string answer = peer.ReadResponse();
  EXPECT_EQ(StatusOf(answer), 500);
  EXPECT_THAT(answer, Not(HasSubstr("oops")));
  peer.Send(kGet);
  EXPECT_EQ(peer.ReadResponse(), kHello);
}

TEST(Server, FillsTheRequest) {
  const auto show = [](const Request& request) {
    std::string text = request.method + " " + request.path + "|" + request.body;
    for (const auto& [name, value] : request.query) text += "|" + name + "=" + value;
    for (const auto& [name, value] : request.headers) text += "|" + name + ":" + value;
    return Json(201, text);
  };
  const auto server = Server::Start({"127.0.0.1", 0}, show).value();
  const std::string answer = Ask(server->port(),
                                 "PUT /a%20b?c=%26 HTTP/1.0\r\nX-Y: 1\r\nx-y: 2\r\n"
                                 "Content-Length: 2\r\n\r\nhi");
  EXPECT_EQ(StatusOf(answer), 201);
  EXPECT_THAT(answer, HasSubstr("\r\nContent-Type: application/json\r\n"));
  EXPECT_THAT(answer, EndsWith("PUT /a%20b|hi|c=&|content-length:2|x-y:1, 2"));
}

TEST(Server, ServesFiftyKeptAliveConnectionsAtOnce) {
  const auto server = StartTestServer();
  std::vector<Peer> peers;
  for (int i = 0; i < 50; ++i) peers.emplace_back(server->port());
  for (int round = 0; round < 20; ++round) {
    for (Peer& peer : peers) peer.Send(kGet);
    for (Peer& peer : peers) ASSERT_EQ(peer.ReadResponse(), kHello);
  }
}

TEST(Server, ServesManyThreadsAtOnce) {
  const auto server = StartTestServer();
  std::vector<std::future<int>> askers;
  for (int i = 0; i < 8; ++i) {
    askers.push_back(std::async(std::launch::async, [&server] {
      int served = 0;
      for (int k = 0; k < 25; ++k) served += Ask(server->port(), "GET / HTTP/1.0\r\n\r\n") != "";
      return served;
    }));
  }
  for (auto& asker : askers) EXPECT_EQ(asker.get(), 25);
}

TEST(Server, StopClosesWhatIsOpen) {
  const auto server = StartTestServer({.stop_grace = milliseconds(50)});
  Peer untouched(server->port());
  Peer idle(server->port());
  idle.Send(kGet);
  EXPECT_EQ(idle.ReadResponse(), kHello);
  Peer half_sent(server->port());
  half_sent.Send("GET / HTTP/1.1\r\nHo");
  Peer not_reading(server->port(), 4096);
  not_reading.Send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(StatusOf(not_reading.ReadHead()), 200);

  server->Stop();
  server->Stop();
  for (Peer* peer : {&untouched, &idle, &half_sent, &not_reading}) {
    peer->ReadAll();
    EXPECT_TRUE(peer->closed());
  }
}

TEST(Server, StopLetsARequestInProgressFinish) {
  const auto server = StartTestServer({.stop_grace = std::chrono::seconds(60)});
  Peer peer(server->port(), 4096);
  peer.Send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string head = peer.ReadHead();
  auto stopped = std::async(std::launch::async, [&server] { server->Stop(); });
  EXPECT_EQ(peer.ReadAll().size(), kBig);
  EXPECT_TRUE(peer.closed());
  stopped.get();
}

TEST(Server, CannotListenWhereSomebodyElseDoes) {
  const auto server = StartTestServer();
  const HostPort taken{"127.0.0.1", server->port()};
  const auto second = Server::Start(taken, [](const Request&) { return Response{}; });
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(std::string(second.status().message()),
            "cannot listen on " + ToString(taken) + ": Address already in use");
}

TEST(Server, CannotListenOnAnAddressThatIsNotOurs) {
  const auto server = Server::Start({"192.0.2.1", 0}, [](const Request&) { return Response{}; });
  EXPECT_EQ(std::string(server.status().message()),
            "cannot listen on 192.0.2.1:0: Cannot assign requested address");
}

TEST(Server, ListensOnAllInterfacesAndByName) {
  for (const char* host : {"", "localhost"}) {
    const auto server = Server::Start({host, 0}, [](const Request&) { return Response{}; });
    ASSERT_TRUE(server.ok()) << server.status();
    EXPECT_NE((*server)->port(), 0);
    if (*host == '\0') {
      EXPECT_EQ(StatusOf(Ask((*server)->port(), "GET / HTTP/1.0\r\n\r\n")), 200);
    }
  }
}

// ---- answers that take long

/// Serves GET /later, which waits until it is let go, and GET /, which does not.
class LaterServer {
 public:
  explicit LaterServer(bool has_room = true) {
    ServerOptions options;
    options.run_later = [this, has_room](std::function<void()> task) {
      if (has_room) tasks_.push_back(std::async(std::launch::async, std::move(task)));
      return has_room;
    };
    const auto later = [this](const Request& request) {
      return Later([this, throws = request.query.contains("throw")] {
        go_.get_future().wait();
        if (throws) throw std::runtime_error("oops");
        return PlainText(200, "late");
      });
    };
    const auto at_once = [](const Request&) { return PlainText(200, "hello"); };
    server_ = Server::Start({"127.0.0.1", 0},
                            Router({{"GET", "/later", later}, {"GET", "/", at_once}}), options)
                  .value();
  }

  void LetGo() { go_.set_value(); }
  [[nodiscard]] std::uint16_t port() const { return server_->port(); }

 private:
  std::promise<void> go_;
  std::vector<std::future<void>> tasks_;
  std::unique_ptr<Server> server_;  // its thread uses the rest
};

constexpr std::string_view kGetLater = "GET /later HTTP/1.1\r\nHost: x\r\n\r\n";

TEST(Server, AnswerThatTakesLongKeepsNobodyElseWaiting) {
  LaterServer server;
  Peer late(server.port());
  late.Send(kGetLater);
  Peer other(server.port());
  other.Send(kGet);
  EXPECT_EQ(other.ReadResponse(), kHello);
  server.LetGo();
  EXPECT_THAT(late.ReadResponse(), EndsWith("late"));
  late.Send(kGet);
  EXPECT_EQ(late.ReadResponse(), kHello);
}

TEST(Server, AnswerThatTakesLongWithoutRoomIs503) {
  LaterServer server(false);
  Peer peer(server.port());
  peer.Send(kGetLater);
  const std::string answer = peer.ReadResponse();
  EXPECT_EQ(StatusOf(answer), 503);
  EXPECT_THAT(answer, HasSubstr("\r\nRetry-After: 1\r\n"));
}

TEST(Server, AnswerThatTakesLongAndThrowsIs500) {
  LaterServer server;
  server.LetGo();
  Peer peer(server.port());
  peer.Send("GET /later?throw HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(StatusOf(peer.ReadResponse()), 500);
}

TEST(Server, PeerThatGoesWhileItsAnswerIsMadeIsForgotten) {
  LaterServer server;
  { Peer(server.port()).Send(kGetLater); }
  Peer other(server.port());
  other.Send(kGet);
  EXPECT_EQ(other.ReadResponse(), kHello);
  server.LetGo();
}

}  // namespace
}  // namespace twofold::http
