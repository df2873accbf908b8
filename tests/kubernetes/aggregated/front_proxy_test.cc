#include "kubernetes/aggregated/front_proxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/security/pem.h"
#include "tests/support/certificates.h"

namespace twofold::aggregated {
namespace {

using kube::Json;
using testing::Authority;
using ::testing::HasSubstr;

std::string Der(const std::string& pem) {
  const auto reader = security::internal::Reader(pem);
  const security::internal::Certificate read(
      PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr));
  unsigned char* bytes = nullptr;
  const int size = i2d_X509(read.get(), &bytes);
  std::string der(reinterpret_cast<char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return der;
}

Json ConfigMap(const std::string& ca) {
  return {{"data",
           {{"requestheader-client-ca-file", ca},
            {"requestheader-allowed-names", R"(["front-proxy-client","aggregator"])"},
            {"requestheader-username-headers", R"(["X-Remote-User","X-Other-User"])"},
            {"requestheader-group-headers", R"(["X-Remote-Group"])"},
            {"requestheader-extra-headers-prefix", R"(["X-Remote-Extra-"])"}}}};
}

TEST(FrontProxy, ReadsTheConfigMap) {
  const Authority authority;
  const auto proxy = ReadFrontProxy(ConfigMap(authority.cert()));
  ASSERT_TRUE(proxy.ok()) << proxy.status();
  EXPECT_EQ(proxy->ca, authority.cert());
  EXPECT_EQ(proxy->allowed_names, (std::vector<std::string>{"front-proxy-client", "aggregator"}));
  EXPECT_EQ(proxy->user_headers, (std::vector<std::string>{"x-remote-user", "x-other-user"}));
  EXPECT_TRUE(proxy->uid_headers.empty()) << "clusters before 1.32 have none";
}

TEST(FrontProxy, SaysWhichFieldIsUnusable) {
  const Authority authority;
  Json map = ConfigMap("no certificate");
  EXPECT_THAT(ReadFrontProxy(map).status().message(),
              HasSubstr("kube-system/extension-apiserver-authentication: "
                        "requestheader-client-ca-file has no certificate"));
  map = ConfigMap(authority.cert());
  map["data"]["requestheader-allowed-names"] = "[1]";
  EXPECT_THAT(ReadFrontProxy(map).status().message(),
              HasSubstr("requestheader-allowed-names is no list"));
  map = ConfigMap(authority.cert());
  map["data"].erase("requestheader-username-headers");
  EXPECT_THAT(ReadFrontProxy(map).status().message(),
              HasSubstr("requestheader-username-headers is empty"));
  EXPECT_FALSE(ReadFrontProxy(Json::object()).ok());
}

TEST(FrontProxy, OnlyItsCertificatesCount) {
  const Authority authority;
  const Authority other;
  FrontProxy proxy;
  proxy.ca = authority.cert();
  proxy.allowed_names = {"front-proxy-client"};
  EXPECT_TRUE(Vouches(proxy, {Der(authority.Issue("front-proxy-client").cert)}));
  EXPECT_FALSE(Vouches(proxy, {Der(authority.Issue("somebody").cert)}));
  EXPECT_FALSE(Vouches(proxy, {Der(other.Issue("front-proxy-client").cert)}));
  EXPECT_FALSE(Vouches(proxy, {"no certificate"}));
  EXPECT_FALSE(Vouches(proxy, {}));
  proxy.allowed_names.clear();
  EXPECT_TRUE(Vouches(proxy, {Der(authority.Issue("somebody").cert)})) << "any name will do";
  proxy.ca = other.cert() + authority.cert();
  EXPECT_TRUE(Vouches(proxy, {Der(authority.Issue("x").cert)})) << "while CAs change there are two";
  proxy.ca.clear();
  EXPECT_FALSE(Vouches(proxy, {Der(authority.Issue("x").cert)}));
}

TEST(FrontProxy, HeadersSayForWhomItAsks) {
  const Authority authority;
  const FrontProxy proxy = *ReadFrontProxy(ConfigMap(authority.cert()));
  EXPECT_EQ(ReadCaller(proxy, {}).status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_FALSE(ReadCaller(proxy, {{"x-remote-user", " "}}).ok());
  const auto caller = ReadCaller(proxy, {{"x-remote-user", ""},
                                         {"x-other-user", "u\nv"},
                                         {"x-remote-group", "a, b\nsystem:authenticated"},
                                         {"x-remote-extra-example.org%2fid", "1\n2"},
                                         {"x-remote-extra-100%", "3"},
                                         {"x-remote-extrax", "4"}});
  ASSERT_TRUE(caller.ok()) << caller.status();
  EXPECT_EQ(caller->user, "u") << "the first value of the first header that has one";
  EXPECT_EQ(caller->groups, (std::vector<std::string>{"a, b", "system:authenticated"}));
  EXPECT_EQ(caller->extra, (std::map<std::string, std::vector<std::string>>{
                               {"example.org/id", {"1", "2"}}, {"100%", {"3"}}}));
}

}  // namespace
}  // namespace twofold::aggregated
