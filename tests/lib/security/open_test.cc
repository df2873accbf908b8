#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "lib/security/client.h"
#include "lib/security/server.h"
#include "tests/lib/security/options_of.h"
#include "tests/support/certificates.h"
#include "tests/support/log_capture.h"
#include "tests/support/program.h"

namespace twofold::security {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::WriteFile;

class OpenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const testing::Authority authority;
    const auto pair = authority.Issue("frontend");
    WriteFile(cert_, pair.cert);
    WriteFile(key_, pair.key);
    WriteFile(other_key_, authority.Issue("other").key);
    const auto weak = authority.IssueShort("weak");
    WriteFile(short_cert_, weak.cert);
    WriteFile(short_key_, weak.key);
    WriteFile(ca_, authority.cert());
    WriteFile(tokens_, "client a 0123456789abcdef\n");
    WriteFile(token_, "0123456789abcdef\n");
    WriteFile(nonsense_, "nonsense\n");
    unsetenv("TWOFOLD_TOKEN");
  }

  static std::string Why(const ServerOptions& options) {
    return std::string(Open(options).status().message());
  }
  static std::string Why(const ClientOptions& options) {
    return std::string(Client::Open(options).status().message());
  }

  testing::TempDir folder_;
  const std::string cert_ = folder_ / "tls.crt";
  const std::string key_ = folder_ / "tls.key";
  const std::string other_key_ = folder_ / "other.key";
  const std::string short_cert_ = folder_ / "short.crt";
  const std::string short_key_ = folder_ / "short.key";
  const std::string ca_ = folder_ / "ca.crt";
  const std::string tokens_ = folder_ / "tokens";
  const std::string token_ = folder_ / "token";
  const std::string nonsense_ = folder_ / "nonsense";
};

TEST_F(OpenTest, NothingGivenMeansPlainTextForEverybody) {
  const auto server = Open(ServerOptions{});
  ASSERT_TRUE(server.ok());
  EXPECT_EQ(server->tls, nullptr);
  EXPECT_EQ(server->tokens, nullptr);
  const auto client = Client::Open({});
  ASSERT_TRUE(client.ok());
  EXPECT_EQ(client->Tls(), nullptr);
  EXPECT_THAT(client->Authorization(), IsEmpty());
}

TEST_F(OpenTest, AllGivenIsUsed) {
  const auto server = Open(Serving(cert_, key_, ca_, tokens_));
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_TRUE(server->asks_certificate);
  const auto client = Client::Open({{"", cert_, key_, ca_}, "", token_});
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_EQ(client->Authorization(), "Bearer 0123456789abcdef");
  EXPECT_THAT(client->Tls()->ca, HasSubstr("BEGIN CERTIFICATE"));
}

TEST_F(OpenTest, AProxyIsAskedForWhatNoProxyDoesNotList) {
  unsetenv("NO_PROXY");  // the machine's own, which would count first
  setenv("http_proxy", "http://other:3128", 1);
  setenv("no_proxy", "10.0.0.0/8,.near.example", 1);
  ClientOptions options;
  EXPECT_EQ(Client::Open(options)->ProxyTo("far.example:1"), "");
  options.proxy = "http://proxy:3128";
  const auto client = Client::Open(options);
  unsetenv("http_proxy");
  unsetenv("no_proxy");
  ASSERT_TRUE(client.ok()) << client.status();
  for (const char* far : {"far.example:1", "192.0.2.1:1", "[2001:db8::1]:1"}) {
    EXPECT_EQ(client->ProxyTo(far), "http://proxy:3128") << far;
    EXPECT_EQ(client->WithoutServerName().ProxyTo(far), "http://proxy:3128") << far;
  }
  for (const char* near : {"a.near.example:1", "10.1.2.3:1", "localhost:1", "[::1]:1"}) {
    EXPECT_EQ(client->ProxyTo(near), "") << near;
  }
}

TEST_F(OpenTest, AProxyWithAPasswordOrOfAnotherKindIsRefused) {
  for (const char* wrong : {"proxy:1", "https://proxy:1", "http://u:secret@proxy:1", "http://proxy",
                            "http://", "http://:1", "http://proxy:0"}) {
    ClientOptions options;
    options.proxy = wrong;
    EXPECT_EQ(Why(options), "--proxy: use http://HOST:PORT, without user and password") << wrong;
  }
}

TEST_F(OpenTest, HalfConfiguredTlsOfAServerIsRefused) {
  EXPECT_EQ(Why(Serving(cert_)), "--tls-cert needs --tls-key as well");
  EXPECT_EQ(Why(Serving("", key_)), "--tls-key needs --tls-cert as well");
  EXPECT_EQ(Why(Serving("", "", ca_)), "--tls-ca needs --tls-cert and --tls-key as well");
  EXPECT_EQ(Why(ServerOptions{{"http-", cert_, "", ""}, ""}),
            "--http-tls-cert needs --http-tls-key as well");
}

TEST_F(OpenTest, HalfConfiguredTlsOfAClientIsRefused) {
  EXPECT_EQ(Why(Connecting("", cert_, key_)), "--tls-cert needs --tls-ca as well");
  EXPECT_EQ(Why(Connecting("", "", "", "x")), "--tls-server-name needs --tls-ca as well");
  EXPECT_EQ(Why(Connecting(ca_, cert_)), "--tls-cert needs --tls-key as well");
}

TEST_F(OpenTest, FilesThatCannotBeUsedAreNamed) {
  EXPECT_EQ(Why(Serving("/nowhere", key_)),
            "--tls-cert: cannot read /nowhere: No such file or directory");
  EXPECT_EQ(Why(Serving("/", key_)), "--tls-cert: cannot read /: it is not a file");
  EXPECT_EQ(Why(Serving(nonsense_, key_)),
            "--tls-cert: " + nonsense_ + " holds no PEM certificate");
  EXPECT_EQ(Why(Serving(cert_, nonsense_)),
            "--tls-key: " + nonsense_ + " holds no PEM private key without a password");
  EXPECT_EQ(Why(Serving(cert_, other_key_)),
            "--tls-key: " + other_key_ + " is not the key of the certificate " + cert_);
  EXPECT_EQ(Why(Connecting(nonsense_)), "--tls-ca: " + nonsense_ + " holds no PEM certificate");
  EXPECT_THAT(Why(WithTokens(nonsense_)),
              HasSubstr("--token-file: " + nonsense_ + ": line 1: it is not ROLE NAME TOKEN"));
  EXPECT_THAT(Why(WithToken(nonsense_)), HasSubstr("must hold one token"));
}

TEST_F(OpenTest, CertificatesThatOpenSslWouldNotShowAreRefused) {
  const std::string why = "--tls-cert: " + short_cert_ + " cannot be used: the certificate: ";
  EXPECT_EQ(Why(Serving(short_cert_, short_key_)), why + "ee key too small");
  EXPECT_EQ(Why(Connecting(ca_, short_cert_, short_key_)), why + "ee key too small");
}

TEST_F(OpenTest, ACertificateThatOpenSslWouldNotShowReplacesNoGoodOne) {
  const auto server = Open(Serving(cert_, key_));
  ASSERT_TRUE(server.ok()) << server.status();
  const auto before = server->tls->Get();
  const testing::LogCapture log;
  const auto weak = testing::Authority().IssueShort("frontend");
  WriteFile(cert_, weak.cert);
  WriteFile(key_, weak.key);
  EXPECT_EQ(server->tls->Get(), before);
  EXPECT_THAT(log.text(), HasSubstr("ee key too small; going on with what was there before"));
}

TEST_F(OpenTest, TokenOfTheEnvironmentCountsIfThereIsNoFile) {
  setenv("TWOFOLD_TOKEN", "fedcba9876543210", 1);
  EXPECT_EQ(Client::Open({})->Authorization(), "Bearer fedcba9876543210");
  EXPECT_EQ(Client::Open(WithToken(token_))->Authorization(), "Bearer 0123456789abcdef");
  setenv("TWOFOLD_TOKEN", "short", 1);
  EXPECT_THAT(Why(ClientOptions{}), HasSubstr("TWOFOLD_TOKEN: the token has 5 characters"));
  unsetenv("TWOFOLD_TOKEN");
}

TEST_F(OpenTest, ACopyWithoutTheServerNameKeepsEverythingElse) {
  const auto client = Client::Open({{"", cert_, key_, ca_}, "frontend.example", token_});
  ASSERT_TRUE(client.ok()) << client.status();
  const Client copy = client->WithoutServerName();
  EXPECT_THAT(copy.server_name(), IsEmpty());
  EXPECT_EQ(copy.Tls(), client->Tls());
  EXPECT_EQ(copy.Authorization(), client->Authorization());
  EXPECT_EQ(client->server_name(), "frontend.example");
}

TEST_F(OpenTest, TokensInPlainTextBeyondThisMachineDeserveAWarning) {
  const auto tokens = Open(WithTokens(tokens_));
  ASSERT_TRUE(tokens.ok());
  EXPECT_THAT(Warning(*tokens, ":9997"), HasSubstr("without TLS"));
  EXPECT_THAT(Warning(*tokens, "10.0.0.1:9997"), HasSubstr("without TLS"));
  EXPECT_THAT(Warning(*tokens, "127.0.0.1:9997"), IsEmpty());
  EXPECT_THAT(Warning(*tokens, "[::1]:9997"), IsEmpty());
  const auto both = Open(Serving(cert_, key_, "", tokens_));
  EXPECT_THAT(Warning(*both, ":9997"), IsEmpty());
}

}  // namespace
}  // namespace twofold::security
