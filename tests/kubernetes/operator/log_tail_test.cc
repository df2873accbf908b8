#include "kubernetes/operator/log_tail.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/common/printable.h"

namespace twofold::benchmarks {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

std::string Lines(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) absl::StrAppend(&text, "line ", i, "\n");
  return text;
}

std::string Tail(const std::string& log) { return LogTail(log, log.size(), "show 1"); }

TEST(LogTail, AShortLogIsWhole) {
  EXPECT_EQ(Tail(""), "");
  EXPECT_EQ(Tail("a\n\nb"), "a\n\nb");
  EXPECT_EQ(Tail(std::string(kLogBytes, 'x')), std::string(kLogBytes, 'x'));
}

TEST(LogTail, ALongLogBeginsWithALineAndSaysWhatIsMissing) {
  const std::string log = Lines(1000, 9000);
  const std::string tail = Tail(log);
  EXPECT_LE(tail.size(), kLogBytes);
  EXPECT_GT(tail.size(), kLogBytes - 20);
  const std::size_t note = tail.find('\n') + 1;
  EXPECT_EQ(tail.substr(0, note),
            absl::StrCat("(", log.size() - (tail.size() - note),
                         " bytes before this are left out: `show 1` shows all)\n"));
  EXPECT_THAT(tail.substr(note), StartsWith("line "));
  EXPECT_THAT(log, EndsWith(tail.substr(note)));
}

TEST(LogTail, OfOneLongLineItIsWholeCharacters) {
  std::string log = "x";
  while (log.size() < 3 * kLogBytes) log += "ä€";
  for (int i = 0; i < 5; ++i) {
    const std::string tail = Tail(log += "x");
    EXPECT_LE(tail.size(), kLogBytes);
    EXPECT_EQ(ValidUtf8(tail), tail.size());
    EXPECT_EQ(tail.find('?'), std::string::npos);
  }
}

TEST(LogTail, WhatTerminalsObeyAndNoTextIsReplaced) {
  EXPECT_EQ(Tail(std::string("a\x1b[31m\0b\tc\r\n\xff", 13)), "a [31m b c \n?");
}

TEST(LogTail, WhatTheWorkerHasLeftOutIsMissingToo) {
  EXPECT_EQ(LogTail("end\n", 100, "show 1"),
            "(96 bytes before this are left out: `show 1` shows all)\nend\n");
}

}  // namespace
}  // namespace twofold::benchmarks
