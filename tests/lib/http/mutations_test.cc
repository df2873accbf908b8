#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/lib/http/peer.h"
#include "tests/lib/http/test_server.h"

namespace twofold::http {
namespace {

using Random = std::mt19937;

std::size_t Below(Random& random, std::size_t end) {
  return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
}

const std::vector<std::string> kRequests = {
    "GET /?value=7&type=json HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n",
    "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
    "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    "5;a=b\r\nhello\r\n0\r\nA: b\r\n\r\n",
    "HEAD /%41 HTTP/1.0\r\nConnection: keep-alive\r\nExpect: 100-continue\r\n\r\n",
};

const std::vector<std::string> kPieces = {"\r\n",
                                          "\n",
                                          "\r\n\r\n",
                                          " ",
                                          ":",
                                          "%",
                                          "%4",
                                          "0",
                                          "-1",
                                          ";",
                                          "\t",
                                          "?",
                                          "chunked",
                                          "HTTP/1.1",
                                          "Content-Length: 9\r\n",
                                          std::string(1, '\0'),
                                          "\xff",
                                          "ffffffffffffffff"};

/// A few random edits: a byte changed, a range dropped or repeated, a piece put in.
std::string Mutate(std::string text, Random& random) {
  for (std::size_t edits = 1 + Below(random, 4); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = Below(random, text.size());
    const std::size_t size = Below(random, 12);
    switch (Below(random, 4)) {
      case 0:
        text[at] = static_cast<char>(Below(random, 256));
        break;
      case 1:
        text.erase(at, size);
        break;
      case 2:
        text.insert(at, text.substr(at, size));
        break;
      default:
        text.insert(at, kPieces[Below(random, kPieces.size())]);
        break;
    }
  }
  return text;
}

TEST(ServerMutations, AnyBytesAreAnsweredOrClosedAndTheServerGoesOn) {
  const auto server = StartTestServer();
  int answered = 0;
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    Random random(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    Peer peer(server->port());
    peer.Send(Mutate(kRequests[Below(random, kRequests.size())], random));
    peer.FinishSending();
    const std::string answer = peer.ReadAll();
    ASSERT_TRUE(peer.closed());
    ASSERT_TRUE(answer.empty() || answer.starts_with("HTTP/1.")) << answer;
    answered += !answer.empty();
  }
  EXPECT_GT(answered, 1000);  // else the edits only make noise
  EXPECT_EQ(StatusOf(Ask(server->port(), "GET / HTTP/1.0\r\n\r\n")), 200);
}

}  // namespace
}  // namespace twofold::http
