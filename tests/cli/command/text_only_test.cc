#include "cli/command/text_only.h"

#include <gtest/gtest.h>

#include <sstream>

namespace twofold::cli {
namespace {

std::string Passed(std::initializer_list<std::string> parts) {
  std::ostringstream stream;
  {
    const TextOnly text_only(stream);
    for (const std::string& part : parts) stream << part;
  }
  return stream.str();
}

TEST(TextOnly, LinesAndTabsPassAndWhatTerminalsObeyDoesNot) {
  EXPECT_EQ(Passed({"a\tb\nc\n"}), "a\tb\nc\n");
  EXPECT_EQ(Passed({"\x1b[2J\x1b]0;title\x07", "\rover\x7f"}), " [2J ]0;title  over ");
  EXPECT_EQ(Passed({"\u009b31mred"}), " 31mred");
}

TEST(TextOnly, CharactersThatComeInPartsStayWhole) {
  EXPECT_EQ(Passed({"\xE2", "\x82", "\xAC 5"}), "\u20AC 5");
  EXPECT_EQ(Passed({"\xC2", "\x9B", "x"}), Passed({"\u009bx"}));
  EXPECT_EQ(Passed({"\xE2", "x", "\xF0\x9F"}), "?x??");
}

TEST(TextOnly, TheStreamIsAsBeforeAfterwards) {
  std::ostringstream stream;
  { const TextOnly text_only(stream); }
  stream << "\x1b";
  EXPECT_EQ(stream.str(), "\x1b");
}

}  // namespace
}  // namespace twofold::cli
