#include "lib/security/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twofold::security {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Tokens, AreFoundWithRoleAndName) {
  const auto tokens = Tokens::Parse(
      "# who may what\n\nclient load-1 0123456789abcdef\n  worker\tpool  fedcba9876543210  \n");
  ASSERT_TRUE(tokens.ok()) << tokens.status();
  const auto* load = tokens->Find("0123456789abcdef");
  ASSERT_NE(load, nullptr);
  EXPECT_EQ(load->role, Role::kClient);
  EXPECT_EQ(load->name, "load-1");
  const auto* pool = tokens->Find("fedcba9876543210");
  ASSERT_NE(pool, nullptr);
  EXPECT_EQ(pool->role, Role::kWorker);
}

TEST(Tokens, UnknownOnesAreNobodys) {
  const auto tokens = Tokens::Parse("admin root 0123456789abcdef\n");
  ASSERT_TRUE(tokens.ok());
  for (const char* token : {"", "0123456789abcde", "0123456789abcdefg", "0123456789abcdeF"}) {
    EXPECT_EQ(tokens->Find(token), nullptr) << token;
  }
}

struct BadLine {
  const char* text;
  const char* complaint;
};

class BadTokens : public ::testing::TestWithParam<BadLine> {};

TEST_P(BadTokens, AreRefusedWithTheLineButWithoutTheToken) {
  const auto tokens = Tokens::Parse(GetParam().text);
  ASSERT_FALSE(tokens.ok());
  const std::string message(tokens.status().message());
  EXPECT_THAT(message, HasSubstr(GetParam().complaint));
  EXPECT_THAT(message, Not(HasSubstr("s3cret")));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadTokens,
    ::testing::Values(
        BadLine{"", "it has no token"}, BadLine{"# only a comment\n", "it has no token"},
        BadLine{"client a s3cret-s3cret-s3cret\nclient b\n", "line 2: it is not ROLE NAME TOKEN"},
        BadLine{"client a s3cret s3cret s3cret\n", "line 1: it is not ROLE NAME TOKEN"},
        BadLine{"boss a s3cret-s3cret-s3cret\n", "line 1: the role is not one of client, worker"},
        BadLine{"s3cret-s3cret-s3cret a client\n", "line 1: the role is not one of"},
        BadLine{"client a s3cret\n", "line 1: the token has 6 characters; allowed are 16 to 512"},
        BadLine{"client a s3cret-s3cret-s3cr\xc3\xa9t\n", "not printable ASCII"},
        BadLine{"client a s3cret-s3cret-s3cret\nadmin b s3cret-s3cret-s3cret\n",
                "line 2: an earlier line has the same token"}));

TEST(Roles, SayWhoTheyAre) {
  EXPECT_EQ(Roles({Role::kAdmin, Role::kReadOnly}).ToString(), "admin or read-only");
  EXPECT_TRUE(Roles::Open().Has(Role::kWorker));
  EXPECT_FALSE(Roles({Role::kAdmin}).Has(Role::kWorker));
  EXPECT_FALSE(Roles({Role::kAdmin, Role::kClient, Role::kReadOnly, Role::kWorker}).open());
}

}  // namespace
}  // namespace twofold::security
