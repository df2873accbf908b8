#include "lib/common/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twofold {
namespace {

using testing::HasSubstr;

TEST(ParseAddress, TakesWhatPeopleWrite) {
  const struct {
    const char* text;
    HostPort expected;
  } kCases[] = {
      {":9998", {"", 9998}},
      {"localhost:0", {"localhost", 0}},
      {"127.0.0.1:65535", {"127.0.0.1", 65535}},
      {"[::1]:9998", {"::1", 9998}},
      {"[fe80::1%eth0]:80", {"fe80::1%eth0", 80}},
      {"my-frontend.monitoring.svc:9999", {"my-frontend.monitoring.svc", 9999}},
  };
  for (const auto& [text, expected] : kCases) {
    const Result<HostPort> address = ParseAddress(text);
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(*address, expected) << text;
    EXPECT_EQ(ToString(*address), text);
  }
}

TEST(ParseAddress, RefusesAllElseAndSaysWhatIsAllowed) {
  for (const char* text : {"",
                           ":",
                           "9998",
                           "localhost",
                           "localhost:",
                           "localhost:http",
                           "localhost:65536",
                           "localhost:-1",
                           "localhost:+1",
                           "localhost: 1",
                           "localhost:1 ",
                           "lo cal:1",
                           "a/b:1",
                           "user@host:1",
                           "::1:9998",
                           "[::1]",
                           "[::1]9998",
                           "[]:1",
                           "[localhost]:1",
                           "[::1:9998",
                           "::1]:9998",
                           "http://localhost:9998"}) {
    const Result<HostPort> address = ParseAddress(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_EQ(address.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(address.status().message()), HasSubstr("'" + std::string(text) + "'"));
    EXPECT_THAT(std::string(address.status().message()), HasSubstr("host:port"));
  }
}

}  // namespace
}  // namespace twofold
