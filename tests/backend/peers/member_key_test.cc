#include <gtest/gtest.h>

#include "backend/peers/peers.h"

namespace twofold::backend {
namespace {

TEST(MemberKey, OnlyTheWholeSecretCounts) {
  const std::string secret(kSecretBytes, 's');
  EXPECT_TRUE(IsSecret(secret, secret));
  for (std::size_t i = 0; i < kSecretBytes; ++i) {
    std::string other = secret;
    other[i] = 't';
    EXPECT_FALSE(IsSecret(other, secret)) << i;
  }
  EXPECT_FALSE(IsSecret(secret + "s", secret));
  EXPECT_FALSE(IsSecret(secret.substr(1), secret));
  EXPECT_FALSE(IsSecret("", secret));
}

TEST(MemberKey, RosterWithoutSecretLetsNobodyIn) {
  EXPECT_FALSE(IsSecret("", ""));
  EXPECT_FALSE(IsSecret("short", "short"));
}

}  // namespace
}  // namespace twofold::backend
