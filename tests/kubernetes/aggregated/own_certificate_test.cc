#include "kubernetes/aggregated/own_certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "lib/http/client.h"
#include "lib/http/server.h"
#include "lib/security/client.h"
#include "tests/support/certificates.h"
#include "tests/support/program.h"

namespace twofold::aggregated {
namespace {

using ::testing::HasSubstr;

constexpr auto kDay = std::chrono::hours(24);
constexpr const char* kDnsName = "fe.monitoring.svc";

kube::UnixTime Wall() { return std::chrono::system_clock::now(); }

OwnCertificate Make(const std::string& maker, kube::UnixTime now = Wall(), Duration lasts = kDay) {
  auto made = MakeCertificate(kDnsName, maker, now, lasts);
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

int CountOf(const std::string& bundle) {
  int count = 0;
  for (std::size_t at = 0; (at = bundle.find("-----BEGIN", at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(OwnCertificate, IsForTheNameAndTrustedByItsCaAlone) {
  const OwnCertificate own = Make("host");
  const OwnCertificate other = Make("host");
  const auto material = std::make_shared<const security::TlsMaterial>(own.tls);
  http::ServerOptions options;
  options.material = [material] { return material; };
  const auto server = http::Server::Start(
                          {"127.0.0.1", 0},
                          [](const http::Request&) { return http::PlainText(200, "yes"); }, options)
                          .value();
  const testing::TempDir folder;
  const auto ask = [&](const std::string& ca, const std::string& name) {
    security::ClientOptions client;
    client.ca = folder / "ca";
    client.server_name = name;
    testing::WriteFile(client.ca, ca);
    return http::Get("https://127.0.0.1:" + std::to_string(server->port()),
                     std::chrono::seconds(30), security::Client::Open(client).value());
  };
  EXPECT_EQ(ask(own.ca, kDnsName)->body, "yes");
  EXPECT_EQ(ask(other.ca + own.ca, kDnsName)->body, "yes") << "among those of others";
  EXPECT_FALSE(ask(other.ca, kDnsName).ok());
  EXPECT_FALSE(ask(own.ca, "other.monitoring.svc").ok());
}

TEST(OwnCertificate, OfTwoProcessesBothAreTrusted) {
  const OwnCertificate a = Make("a");
  const OwnCertificate b = Make("b");
  const std::string first = MergeBundle("", {a.ca}, Wall());
  EXPECT_EQ(first, a.ca);
  const std::string both = MergeBundle(first, {b.ca}, Wall());
  EXPECT_EQ(both, a.ca + b.ca);
  EXPECT_EQ(MergeBundle(both, {a.ca}, Wall()), both) << "nothing to write";
  EXPECT_EQ(MergeBundle(both, {b.ca}, Wall()), both);
}

TEST(OwnCertificate, WhatIsOverLeavesTheBundle) {
  const OwnCertificate old = Make("gone", Wall() - 2 * kDay);
  const OwnCertificate before = Make("host");
  const OwnCertificate own = Make("host");
  const OwnCertificate next = Make("host");
  EXPECT_EQ(MergeBundle(old.ca + before.ca, {own.ca}, Wall()), own.ca)
      << "expired, and of the process before this one";
  EXPECT_EQ(MergeBundle(own.ca, {own.ca, next.ca}, Wall()), own.ca + next.ca) << "while it renews";
  EXPECT_EQ(MergeBundle("no certificate", {own.ca}, Wall()), own.ca);
}

TEST(OwnCertificate, OfVeryManyTheOldestGoes) {
  std::string bundle;
  const kube::UnixTime now = Wall();
  const OwnCertificate oldest = Make("oldest", now - std::chrono::hours(2));
  bundle = oldest.ca;
  for (int i = 0; i < 64; ++i) bundle = MergeBundle(bundle, {Make(std::to_string(i)).ca}, now);
  EXPECT_EQ(CountOf(bundle), 64);
  EXPECT_EQ(bundle.find(oldest.ca), std::string::npos);
}

}  // namespace
}  // namespace twofold::aggregated
