#include "lib/security/gate.h"

#include <gtest/gtest.h>

namespace twofold::security {
namespace {

constexpr Roles kAdmins = {Role::kAdmin};

std::shared_ptr<Reloaded<Tokens>> SomeTokens() {
  return *Reloaded<Tokens>::Open({}, [] {
    return Tokens::Parse("admin root 0123456789abcdef\nclient load abcdef0123456789");
  });
}

TEST(Gate, WithoutTokensIsOpen) {
  Gate gate("door", nullptr);
  EXPECT_FALSE(gate.Check("call", kAdmins, "").has_value());
}

TEST(Gate, AsksForATokenOfTheRightRole) {
  Gate gate("door", SomeTokens());
  EXPECT_FALSE(gate.Check("call", kAdmins, "Bearer 0123456789abcdef").has_value());
  EXPECT_FALSE(gate.Check("call", kAdmins, "bearer 0123456789abcdef").has_value());
  EXPECT_EQ(gate.Check("call", kAdmins, "")->reason, Reason::kNoToken);
  EXPECT_EQ(gate.Check("call", kAdmins, "Basic 0123456789abcdef")->reason, Reason::kNoToken);
  EXPECT_EQ(gate.Check("call", kAdmins, "Bearer ")->reason, Reason::kNoToken);
  EXPECT_EQ(gate.Check("call", kAdmins, "Bearer 0123456789abcdeX")->reason, Reason::kUnknownToken);
  const auto wrong_role = gate.Check("call", kAdmins, "Bearer abcdef0123456789");
  ASSERT_TRUE(wrong_role.has_value());
  EXPECT_EQ(wrong_role->reason, Reason::kRole);
  EXPECT_EQ(wrong_role->message, "load is client, but call needs admin");
}

TEST(Gate, WhatIsOpenNeedsNoToken) {
  Gate gate("door", SomeTokens());
  EXPECT_FALSE(gate.Check("call", Roles::Open(), "").has_value());
  EXPECT_FALSE(gate.Check("call", Roles::Open(), "Bearer nobody-has-this-one").has_value());
}

TEST(Gate, CountsWhomItTurnsAway) {
  Gate gate("door", SomeTokens());
  gate.Check("call", kAdmins, "");
  gate.Check("call", kAdmins, "");
  gate.Check("call", kAdmins, "Bearer abcdef0123456789");
  gate.Check("call", kAdmins, "Bearer 0123456789abcdef");
  EXPECT_EQ(gate.denied(Reason::kNoToken), 2U);
  EXPECT_EQ(gate.denied(Reason::kRole), 1U);
  EXPECT_EQ(gate.denied(Reason::kUnknownToken), 0U);
}

}  // namespace
}  // namespace twofold::security
