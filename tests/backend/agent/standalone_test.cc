#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/backend/agent/program_under_test.h"
#include "tests/backend/temp_dir.h"

// twofold-backend --once with a benchmark suite, whose tool the test writes.
namespace twofold::backend {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class OnceTest : public ::testing::Test {
 protected:
  Exit RunFfmpeg(const std::string& text, std::vector<std::string> options = {}) {
    chmod(tools_.Write("ffmpeg", "#!/bin/sh\n" + text + "\n").c_str(), 0755);
    options.insert(options.end(), {"--once", "--suite-path", tools_.Path(""), "--work-dir",
                                   work_.Path(""), "--", "media", R"({"input": "clip.mp4"})"});
    return RunProgram(options);
  }

  TempDir tools_;
  TempDir work_;
};

TEST_F(OnceTest, PrintsTheNumbersWithHeadlinesFirst) {
  const std::string sample = std::string(GOLDEN_FOLDER) + "/media/ffmpeg_one.";
  const Exit exit = RunFfmpeg("cat " + sample + "out; cat >&2 " + sample + "err");
  EXPECT_EQ(exit.code, 0) << exit.output;
  EXPECT_THAT(exit.output, HasSubstr("\n* frame_rate"));
  EXPECT_THAT(exit.output, HasSubstr("\n  frames_over_video: "));
  EXPECT_THAT(exit.output, HasSubstr("\nsucceeded after "));
}

TEST_F(OnceTest, PrintsTheTailOfAToolThatFailed) {
  const Exit exit = RunFfmpeg("echo broken heart; exit 3");
  EXPECT_EQ(exit.code, 1);
  EXPECT_THAT(exit.output, StartsWith("broken heart\nfailed after "));
  EXPECT_THAT(exit.output, HasSubstr("transcode: "));
}

TEST_F(OnceTest, SaysWhatRanPastTheLimit) {
  const Exit exit =
      RunFfmpeg("case $1 in -version) exit;; esac; exec sleep 3600", {"--limit", "0.3"});
  EXPECT_EQ(exit.code, 124);
  EXPECT_THAT(exit.output, EndsWith(": transcode: ran past its limit of 0.3 s\n"));
}

TEST_F(OnceTest, LeavesNothing) {
  RunFfmpeg("exit 1");
  EXPECT_TRUE(std::filesystem::is_empty(work_.Path("")));
}

}  // namespace
}  // namespace twofold::backend
