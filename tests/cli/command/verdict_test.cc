#include "cli/command/verdict.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

namespace twofold::cli {
namespace {

TEST(VerdictFile, IsReadAsItWasWritten) {
  const Verdict written{
      "fail", "p99 is 312 ms", {{"throughput", "1/s", 158.25, 150.5, 166}, {"p99", "s", 0.312}}};
  const auto read = ReadVerdict(TextOf(written));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->verdict, "fail");
  EXPECT_EQ(read->why, "p99 is 312 ms");
  ASSERT_EQ(read->figures.size(), 2U);
  EXPECT_EQ(read->figures[0].name, "throughput");
  EXPECT_EQ(read->figures[0].value, 158.25);
  EXPECT_EQ(read->figures[0].upper, 166);
  EXPECT_FALSE(read->figures[1].lower.has_value());
}

TEST(VerdictFile, FitsATerminationMessageWhateverItSays) {
  Verdict verdict{"none", std::string(9000, '\x01') + "\n\xff"};
  for (int i = 0; i < 500; ++i) verdict.figures.push_back({std::string(200, 'n'), "s", 1.0 / 3});
  const std::string text = TextOf(verdict);
  EXPECT_LE(text.size(), kMostOfVerdict);
  const auto read = ReadVerdict(text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_GT(read->figures.size(), 10U);
}

TEST(VerdictFile, HasNoNumberThatIsNone) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto read = ReadVerdict(
      TextOf({"pass", "", {{"a", "s", kInfinity}, {"b", "s", 1, -kInfinity, kInfinity}}}));
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->figures.size(), 1U);
  EXPECT_FALSE(read->figures[0].lower.has_value());
  EXPECT_FALSE(read->figures[0].upper.has_value());
}

TEST(VerdictFile, OfAnotherTextIsNone) {
  for (const char* text : {"", "{", "[]", "twofold: --rate: 'x' is no number", "{\"verdict\": 1}",
                           "{\"verdict\": \"well\"}"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ReadVerdict(text).status())) << text;
  }
  EXPECT_TRUE(ReadVerdict(R"({"verdict": "pass", "figures": [1, {"name": 2}]})").ok());
}

TEST(VerdictFile, IsWrittenInPlaceOfWhatAMountHas) {
  const std::string path = ::testing::TempDir() + "verdict.json";
  std::ofstream(path) << std::string(5000, 'x');
  const std::string link = path + ".link";  // a second name sees it: the file is the same
  std::filesystem::remove(link);
  std::filesystem::create_hard_link(path, link);
  ASSERT_TRUE(Write(path, {"pass", "well"}).ok());
  std::ifstream stored(link);
  const std::string text{std::istreambuf_iterator<char>(stored), {}};
  EXPECT_EQ(text, TextOf({"pass", "well"}));
  const Status status = Write("/proc/none/verdict", {"pass", ""});
  EXPECT_EQ(status.message().substr(0, 11), "--verdict: ");
  EXPECT_TRUE(Write("", {"pass", ""}).ok());
}

}  // namespace
}  // namespace twofold::cli
