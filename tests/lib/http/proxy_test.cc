#include "lib/http/proxy.h"

#include <gtest/gtest.h>

#include <map>

namespace twofold::http {
namespace {

TEST(Proxy, HasHostPortAndPerhapsAUser) {
  const auto plain = ParseProxy("http://proxy");
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->address, (HostPort{"proxy", 80}));
  EXPECT_EQ(plain->authorization, "");
  const auto user = ParseProxy("http://u%40x:p@proxy:3128/");
  ASSERT_TRUE(user.ok()) << user.status();
  EXPECT_EQ(user->address, (HostPort{"proxy", 3128}));
  EXPECT_EQ(user->authorization, "Basic dUB4OnA=");  // u@x:p
  for (const char* bad :
       {"", "proxy:1", "https://proxy", "socks5://p:1", "http://", "http://%zz@p"}) {
    EXPECT_FALSE(ParseProxy(bad).ok()) << bad;
  }
}

TEST(Proxy, NoErrorTellsThePassword) {
  for (const char* bad : {"http://u:secret%zz@p", "u:secret@p", "u:secret@p://x",
                          "http://u:secret@", "http://u:secret/@p", "http://u:secret@p:x"}) {
    const auto proxy = ParseProxy(bad);
    ASSERT_FALSE(proxy.ok()) << bad;
    EXPECT_EQ(proxy.status().message().find("secret"), std::string::npos) << proxy.status();
  }
}

std::string ProxyFor(const std::string& url, const std::map<std::string, std::string>& variables) {
  return ProxyOfEnvironment(ParseUrl(url).value(), [&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  });
}

TEST(Proxy, IsThatOfTheScheme) {
  const std::map<std::string, std::string> both = {{"HTTPS_PROXY", "http://s"},
                                                   {"http_proxy", "http://p"}};
  EXPECT_EQ(ProxyFor("https://k8s", both), "http://s");
  EXPECT_EQ(ProxyFor("http://k8s", both), "http://p");
  EXPECT_EQ(ProxyFor("https://k8s", {}), "");
  for (const char* own : {"https://localhost", "https://127.0.0.1:6443", "https://[::1]:6443"}) {
    EXPECT_EQ(ProxyFor(own, both), "") << own;
  }
}

TEST(Proxy, NoProxyExceptsServersInEitherCase) {
  for (const char* name : {"NO_PROXY", "no_proxy"}) {
    const std::map<std::string, std::string> set = {{"HTTPS_PROXY", "http://s"},
                                                    {name, "x,10.0.0.0/8"}};
    EXPECT_EQ(ProxyFor("https://10.1.2.3", set), "") << name;
    EXPECT_EQ(ProxyFor("https://11.1.2.3", set), "http://s") << name;
  }
}

}  // namespace
}  // namespace twofold::http
