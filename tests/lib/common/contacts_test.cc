#include "lib/common/contacts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twofold {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Contacts, AreOneAddressOrAListOfNumericOnes) {
  const CLI::Validator contacts = Contacts();
  for (const char* good : {"localhost:9999", "[::1]:1", "10.0.0.1:9997,10.0.0.2:9998"}) {
    EXPECT_THAT(contacts(good), IsEmpty()) << good;
  }
  for (const char* bad : {"", "host", "10.0.0.1:1,", ",10.0.0.1:1", "10.0.0.1:1,10.0.0.2"}) {
    EXPECT_THAT(contacts(bad), HasSubstr("is not HOST:PORT")) << bad;
  }
  for (const char* bad : {"a:1,10.0.0.2:1", "10.0.0.1:1,[::1]:1"}) {
    EXPECT_THAT(contacts(bad), HasSubstr("is no IPv4 address")) << bad;
  }
}

TEST(Contacts, AreSixteenAtMost) {
  std::string list = "127.0.0.1:1";
  for (int count = 1; count < 16; ++count) list += ",127.0.0.1:1";
  EXPECT_THAT(Contacts()(list), IsEmpty());
  list += ",127.0.0.1:1";
  EXPECT_THAT(Contacts()(list), HasSubstr("more than 16"));
}

TEST(FirstContact, IsTheFirstOfAListOrTheOnlyOne) {
  EXPECT_EQ(FirstContact("10.0.0.1:1,10.0.0.2:2"), "10.0.0.1:1");
  EXPECT_EQ(FirstContact("host:1"), "host:1");
}

}  // namespace
}  // namespace twofold
