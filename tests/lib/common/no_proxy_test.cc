#include "lib/common/no_proxy.h"

#include <gtest/gtest.h>

#include <map>

namespace twofold {
namespace {

bool Direct(const std::string& server, const std::string& no_proxy) {
  return GoesDirect(ParseAddress(server).value(), no_proxy);
}

TEST(NoProxy, HasThisMachineWhateverItLists) {
  for (const char* own : {"localhost:1", "LOCALHOST:1", "127.0.0.1:1", "127.8.9.1:1", "[::1]:1"}) {
    EXPECT_TRUE(Direct(own, "")) << own;
  }
  EXPECT_FALSE(Direct("localhost.example.com:1", ""));
  EXPECT_FALSE(Direct("10.0.0.1:1", ""));
}

TEST(NoProxy, ListsNamesWithAllBelowThem) {
  EXPECT_TRUE(Direct("a.example.com:1", "x, example.com"));
  EXPECT_TRUE(Direct("A.Example.com:1", "EXAMPLE.com"));
  EXPECT_TRUE(Direct("example.com:1", "example.com"));
  EXPECT_FALSE(Direct("badexample.com:1", "example.com"));
  for (const char* below : {".example.com", "*.example.com"}) {
    EXPECT_TRUE(Direct("a.example.com:1", below));
    EXPECT_FALSE(Direct("example.com:1", below));
  }
}

TEST(NoProxy, ListsPortsOfNames) {
  EXPECT_TRUE(Direct("a.example.com:6443", "example.com:6443"));
  EXPECT_FALSE(Direct("a.example.com:6443", "example.com:443"));
}

TEST(NoProxy, ListsAddressesAndNetworks) {
  EXPECT_TRUE(Direct("10.1.2.3:1", "10.1.2.3"));
  EXPECT_TRUE(Direct("10.1.2.3:1", "10.0.0.0/8"));
  EXPECT_FALSE(Direct("11.1.2.3:1", "10.0.0.0/8"));
  EXPECT_TRUE(Direct("[fd00::7]:1", "fd00::/16"));
  EXPECT_FALSE(Direct("k8s:1", "10.0.0.0/8,fd00::/16"));
}

TEST(NoProxy, HasAllByAStar) {
  EXPECT_TRUE(Direct("a.example.com:1", "x,*"));
  EXPECT_TRUE(Direct("[fd00::7]:1", "*"));
}

TEST(NoProxy, IsNoTrapWhenItIsGarbled) {
  for (const char* garbled : {"", ",,", " ", "/", "10.0.0.0/99", ":", "."}) {
    EXPECT_FALSE(Direct("a.example.com:1", garbled)) << garbled;
  }
}

TEST(NoProxy, VariablesComeInEitherCase) {
  std::map<std::string, std::string> set = {{"no_proxy", "low"}};
  const Variables variable = [&](const std::string& name) { return set[name]; };
  EXPECT_EQ(InEitherCase(variable, "NO_PROXY"), "low");
  set["NO_PROXY"] = "up";
  EXPECT_EQ(InEitherCase(variable, "NO_PROXY"), "up");
  EXPECT_EQ(InEitherCase(variable, "HTTP_PROXY"), "");
}

}  // namespace
}  // namespace twofold
