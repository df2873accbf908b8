#include <gmock/gmock.h>

#include "backend/peers/peers.h"
#include "tests/backend/peers/peers_fixture.h"
#include "tests/support/certificates.h"

namespace twofold::backend {
namespace {

using testing::Authority;
using ::testing::HasSubstr;

/// Workers that show a certificate to the frontend: mutual TLS among them, whatever their
/// addresses.
class TlsPeersTest : public PeersTest {
 protected:
  security::ClientOptions Files(const std::string& name, const Authority& signer) {
    const testing::KeyPair pair = signer.Issue("worker", false);
    testing::WriteFile(folder_ / (name + ".ca"), signer.cert());
    testing::WriteFile(folder_ / (name + ".crt"), pair.cert);
    testing::WriteFile(folder_ / (name + ".key"), pair.key);
    security::ClientOptions options;
    options.ca = folder_ / (name + ".ca");
    options.cert = folder_ / (name + ".crt");
    options.key = folder_ / (name + ".key");
    return options;
  }
  PeersSecurity Security() override { return OpenPeersSecurity(Files("ours", authority_)).value(); }

  grpc::Status Collect(const security::Client& security) {
    v1::CollectRequest request;
    *request.mutable_member() = Key(1);
    v1::CollectReply reply;
    grpc::ClientContext context;
    const std::string address = "127.0.0.1:" + std::to_string(peers_->port());
    return v1::Peers::NewStub(cli::Connect(address, security))->Collect(&context, request, &reply);
  }

  const Authority authority_;
};

TEST_F(TlsPeersTest, MembersWithCertificatesOfOneNameKnowEachOther) {
  Announce(1);
  EXPECT_TRUE(Collect(OpenPeersSecurity(Files("other", authority_)).value().client).ok());
}

TEST_F(TlsPeersTest, WhoHasNoCertificateOfTheirsDoesNotGetIn) {
  Announce(1);
  EXPECT_EQ(Collect({}).error_code(), grpc::StatusCode::UNAVAILABLE);
  const Authority strangers("Strangers");
  EXPECT_EQ(Collect(OpenPeersSecurity(Files("strange", strangers)).value().client).error_code(),
            grpc::StatusCode::UNAVAILABLE);
}

TEST_F(TlsPeersTest, GangFileNamesTheFilesByAbsolutePaths) {
  const auto files = Security().files;
  ASSERT_TRUE(files);
  EXPECT_EQ(files->server_name, "worker");
  EXPECT_THAT(files->key, HasSubstr("/ours.key"));
  EXPECT_EQ(files->key.front(), '/');
}

TEST(PeersSecurity, WithoutACertificateItIsPlainText) {
  const auto plain = OpenPeersSecurity({});
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->server.tls, nullptr);
  EXPECT_FALSE(plain->files);
}

}  // namespace
}  // namespace twofold::backend
