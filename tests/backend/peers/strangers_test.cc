// Peers that are no members, at the port where members have programs started.

#include <grpcpp/generic/generic_stub.h>

#include <future>

#include "tests/backend/peers/peers_fixture.h"
#include "tests/support/http2_peer.h"

namespace twofold::backend {
namespace {

using testing::Http2Peer;

class StrangersTest : public PeersTest {
 protected:
  static std::vector<std::string> AllMethods() {
    std::vector<std::string> methods;
    const auto* const file = v1::MemberKey::descriptor()->file();
    for (int i = 0; i < file->service_count(); ++i) {
      for (int j = 0; j < file->service(i)->method_count(); ++j) {
        methods.push_back("/" + file->service(i)->full_name() + "/" +
                          file->service(i)->method(j)->name());
      }
    }
    return methods;
  }

  /// How a call with an empty message ends.
  grpc::Status Call(const std::string& method) {
    grpc::GenericStub stub(cli::Connect("127.0.0.1:" + std::to_string(peers_->port())));
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    const grpc::Slice nothing("");
    const grpc::ByteBuffer request(&nothing, 1);
    grpc::ByteBuffer reply;
    std::promise<grpc::Status> done;
    stub.UnaryCall(&context, method, {}, &request, &reply,
                   [&](grpc::Status status) { done.set_value(std::move(status)); });
    return done.get_future().get();
  }
};

TEST_F(StrangersTest, NoMethodDoesAnythingWithoutTheSecretOfAnAttempt) {
  Announce(1);
  ASSERT_FALSE(AllMethods().empty());
  for (const std::string& method : AllMethods()) {
    const grpc::Status status = Call(method);
    EXPECT_TRUE(status.error_code() == grpc::StatusCode::UNAUTHENTICATED ||
                status.error_code() == grpc::StatusCode::INVALID_ARGUMENT)
        << method << ": " << status.error_code();
  }
}

TEST_F(StrangersTest, HeadersThatGrpcCannotShowDoNotEndTheProgram) {
  Announce(1);
  for (const std::string& method : AllMethods()) {
    Http2Peer peer(peers_->port());
    ASSERT_TRUE(peer.Greet());
    ASSERT_TRUE(peer.Call(method, Http2Peer::Literal("grpclb_client_stats", "abc")));
    EXPECT_NE(peer.ReadStatus(), 0) << method;
  }
  v1::CollectRequest request;
  *request.mutable_member() = Key(1);
  v1::CollectReply reply;
  grpc::ClientContext context;
  EXPECT_TRUE(stub_->Collect(&context, request, &reply).ok());
}

TEST_F(StrangersTest, CompressedMessagesAreRefused) {
  Announce(1);
  for (const std::string& method : AllMethods()) {
    Http2Peer peer(peers_->port());
    ASSERT_TRUE(peer.Greet());
    ASSERT_TRUE(peer.Call(method, Http2Peer::Literal("grpc-encoding", "gzip"), "zip", true));
    EXPECT_EQ(peer.ReadStatus(), grpc::StatusCode::UNIMPLEMENTED) << method;
  }
}

}  // namespace
}  // namespace twofold::backend
