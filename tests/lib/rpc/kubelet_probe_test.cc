// The gRPC probe of a kubelet, frame by frame: a connection of Go's gRPC for each probe.

#include <absl/strings/escaping.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "lib/rpc/listen.h"
#include "lib/rpc/service.h"
#include "tests/lib/rpc/ended_stream.h"
#include "tests/support/http2_peer.h"

namespace twofold::rpc {
namespace {

using testing::Http2Peer;

std::string FromHex(std::string_view hex) { return absl::HexStringToBytes(std::string(hex)); }

namespace probe {

constexpr std::string_view kPreface =  // PRI * HTTP/2.0, SM
    "505249202a20485454502f322e300d0a0d0a534d0d0a0d0a";
constexpr std::string_view kSettings = "000000040000000000";
constexpr std::string_view kSettingsTaken = "000000040100000000";
// HEADERS: POST http /grpc.health.v1.Health/Check 10.244.1.7:9997, application/grpc,
// kube-probe/1.36 grpc-go/1.78.0, te: trailers, grpc-accept-encoding: gzip, grpc-timeout: 999753u;
// all but POST, http and the name `te` in Huffman's code, and kept in the table.
constexpr std::string_view kHeaders =
    "00007c010400000001"
    "83864595626b2b22f394742675fb857c651d099d8bd3949d7f418b0817134d2e15ddb8fbefbb5f8b1d75d0620d26"
    "3d4c4d65647a96eb6c655abb0f19580aecb8a4d65645a63b015dd7970740027465864d833505b11f408e9acac8b0"
    "c842d6958b510f21aa9b839bd9ab40899acac8b24d494f6a7f867df7dd6d9b7f";
// HealthCheckRequest: of the server as a whole, of "test.Echo", of "nobody".
constexpr std::string_view kWhole = "0000050001000000010000000000";
constexpr std::string_view kNamed =
    "00001000010000000100000000"
    "0b0a09746573742e4563686f";
constexpr std::string_view kUnknown =
    "00000d00010000000100000000"
    "080a066e6f626f6479";
// After the answer: more of the window, a PING that measures the line, and farewell.
constexpr std::string_view kMoreWindow = "00000408000000000000000007";
constexpr std::string_view kMeasuringPing = "00000806000000000002041010090e0707";
constexpr std::string_view kFarewell =  // GOAWAY, "client transport shutdown"
    "00002107000000000000000000"
    "00000000636c69656e74207472616e73706f72742073687574646f776e";

}  // namespace probe

/// A service that a probe may name.
class Probed final : public Service {
 public:
  Probed() : Service("test.Echo") { Serve("Call", &Probed::Call); }

 private:
  Result<std::shared_ptr<ByteStream>> Call(const CallInfo&) { return EndedStream::Make(); }
};

class KubeletProbeTest : public ::testing::Test {
 protected:
  /// What a probe is answered: a message with gRPC's head in front, and a status.
  struct Answer {
    std::string message;
    int status = -1;
  };

  Answer Probe(std::string_view request) {
    Http2Peer kubelet(server_->address().port);
    const auto say = [&](std::string_view hex) { EXPECT_TRUE(kubelet.Send(FromHex(hex))); };
    say(probe::kPreface);
    say(probe::kSettings);
    // It asks for nothing before the server's settings have come.
    const std::string settings = kubelet.ReadFrame();
    EXPECT_TRUE(settings.size() > 9 && settings[3] == Http2Peer::kSettings && settings[4] == 0);
    for (const std::string_view frame : {probe::kSettingsTaken, probe::kHeaders, request})
      say(frame);
    Answer answer;
    answer.status = kubelet.ReadStatus(&answer.message);
    for (const std::string_view frame :
         {probe::kMoreWindow, probe::kMeasuringPing, probe::kFarewell})
      say(frame);
    return answer;
  }

  Probed probed_;
  const std::unique_ptr<Server> server_ = *Listen("127.0.0.1:0", {&probed_});
};

TEST_F(KubeletProbeTest, ServerAndEachServiceIsServing) {
  for (const std::string_view request : {probe::kWhole, probe::kNamed}) {
    const Answer answer = Probe(request);
    EXPECT_EQ(answer.status, 0);
    EXPECT_EQ(answer.message, FromHex("00000000020801"));
  }
}

TEST_F(KubeletProbeTest, ServiceThatIsNotThereFails) {
  const Answer answer = Probe(probe::kUnknown);
  EXPECT_EQ(answer.status, 5);
  EXPECT_EQ(answer.message, "");
}

}  // namespace
}  // namespace twofold::rpc
