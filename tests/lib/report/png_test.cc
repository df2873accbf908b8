#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <sstream>
#include <string>

#include "lib/process/environment.h"
#include "lib/report/figure.h"
#include "lib/report/png/to_png.h"
#include "tests/lib/report/checked.h"

namespace twofold::report {
namespace {

using ::testing::HasSubstr;

Figure Bars() {
  Panel panel{.title = "Bars", .x = {.label = "x"}, .y = {.label = "y", .from_zero = true}};
  panel.series = {{Form::kBars, "", Colour::kBlue, {{0, 5, 1}, {1, 10, 2}, {2, 7, 3}}}};
  return {.title = "Three bars", .rows = {{panel}}, .width = 400};
}

/// A converter that does as the shell script says.
class ToPngTest : public ::testing::Test {
 protected:
  Result<std::string> By(const std::string& script, PngOptions options = {}) {
    WriteFile(folder_ / "rsvg-convert", "#!/bin/sh\n" + script + "\n");
    chmod((folder_ / "rsvg-convert").c_str(), 0755);
    options.path = folder_ / "";
    return ToPng(ToSvg(Bars()), options);
  }

  testing::TempDir folder_;
};

TEST_F(ToPngTest, APictureIsAsLargeAsTheSvgAndNotBlank) {
  if (!process::FindProgram("rsvg-convert", {{}, "/usr/bin"}).ok()) {
    GTEST_SKIP() << "no rsvg-convert (librsvg2-bin)";
  }
  const auto png = ToPng(ToSvg(Bars()));
  ASSERT_TRUE(png.ok()) << png.status();
  WriteFile(folder_ / "bars.png", *png);
  testing::Program check("/usr/bin/python3",
                         {std::string(CHECKS_FOLDER) + "/check_png.py", folder_ / "bars.png"});
  ASSERT_EQ(check.Wait(), 0) << check.output();
  double width = 0;
  double height = 0;
  double dark = 0;
  double coloured = 0;
  std::istringstream(check.output()) >> width >> height >> dark >> coloured;
  EXPECT_EQ(width, 800);
  EXPECT_NEAR(height, 2 * SizeOf(Bars()).height, 1);
  EXPECT_GT(dark, 2) << check.output();        // words
  EXPECT_GT(coloured, 100) << check.output();  // bars
  EXPECT_LT(coloured, 500) << check.output();
}

TEST_F(ToPngTest, WithoutAConverterItsPackageIsNamed) {
  const auto png = ToPng(ToSvg(Bars()), {.path = folder_ / "none"});
  EXPECT_EQ(png.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(png.status().message()), HasSubstr("librsvg2-bin"));
}

TEST_F(ToPngTest, AConverterThatHangsIsKilled) {
  const Instant begin = Now();
  const auto png = By("exec sleep 1000", {.timeout = std::chrono::milliseconds(200)});
  EXPECT_EQ(png.status().code(), absl::StatusCode::kDeadlineExceeded) << png.status();
  EXPECT_LT(ToSeconds(Now() - begin), 100);
}

TEST_F(ToPngTest, AConverterThatNeverStopsWritingIsKilled) {
  const auto png = By("exec cat /dev/zero", {.most_bytes = 1 << 20});
  EXPECT_EQ(png.status().code(), absl::StatusCode::kResourceExhausted) << png.status();
}

TEST_F(ToPngTest, AnSvgThatIsTooLargeIsNotEvenTried) {
  const auto png = By("exit 0", {.most_bytes = 10});
  EXPECT_EQ(png.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(png.status().message()), HasSubstr("10 are the most"));
}

TEST_F(ToPngTest, WhatAConverterComplainsOfIsPassedOn) {
  const auto png = By("echo 'it does not like this' >&2; exit 3");
  EXPECT_EQ(png.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(png.status().message()), HasSubstr("exit code 3: it does not like this"));
}

TEST_F(ToPngTest, WhatIsNoPngIsNotPassedOff) {
  const auto png = By("echo hello");
  EXPECT_EQ(png.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(png.status().message()), HasSubstr("no PNG"));
}

TEST_F(ToPngTest, TheConverterReadsTheWholeSvg) {
  const auto png = By("printf '\\211PNG\\r\\n\\032\\n'; cat");
  ASSERT_TRUE(png.ok()) << png.status();
  EXPECT_EQ(png->substr(8), ToSvg(Bars()));
}

}  // namespace
}  // namespace twofold::report
