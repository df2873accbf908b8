#include <gtest/gtest.h>

#include "lib/http/codec.h"

namespace twofold::http {
namespace {

TEST(BareHead, TheFirstLineDecides) {
  EXPECT_TRUE(BareHead::Begins("GET / HTTP/1.1\nHost: x\r\n"));
  EXPECT_TRUE(BareHead::Begins("\n"));
  for (const char* other : {"", "GET / HTTP/1.1", "GET / HTTP/1.1\r\nHost: x\n\n", "\r\n"}) {
    EXPECT_FALSE(BareHead::Begins(other)) << other;
  }
}

TEST(BareHead, LinesEndInCrLfAndTheBodyIsLeft) {
  BareHead lines;
  std::string head;
  const std::string_view received = "PUT / HTTP/1.1\nHost: x\r\n\nbody\n";
  EXPECT_EQ(lines.Take(received, head), received.size() - 5);
  EXPECT_EQ(head, "PUT / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(lines.Take("body\n", head), 0U);
}

TEST(BareHead, ComesInPiecesOfAnySize) {
  BareHead lines;
  std::string head;
  for (const char byte : std::string("GET / HTTP/1.1\nA: b\r\nC: d\n\r\n")) {
    EXPECT_EQ(lines.Take({&byte, 1}, head), 1U);
  }
  EXPECT_EQ(head, "GET / HTTP/1.1\r\nA: b\r\nC: d\r\n\r\n");
  EXPECT_EQ(lines.Take("x", head), 0U);
}

TEST(BareHead, ACarriageReturnInsideALineStays) {
  BareHead lines;
  std::string head;
  lines.Take("GET / HTTP/1.1\nA: b\rC: d\n\r\r\n\n", head);
  EXPECT_EQ(head, "GET / HTTP/1.1\r\nA: b\rC: d\r\n\r\r\n\r\n");  // the parser refuses it
}

}  // namespace
}  // namespace twofold::http
