#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "lib/common/arguments.h"
#include "tests/backend/agent/program_under_test.h"
#include "tests/backend/temp_dir.h"
#include "tests/fakes/fake_workers_service.h"

// The examples of suites/media/README.md for ffmpeg, run for real.
namespace twofold::backend {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kFfmpeg[] = "/usr/bin/ffmpeg";
constexpr char kFfprobe[] = "/usr/bin/ffprobe";
constexpr int kFrames = 50;  // 2 s at 25 a second

class Media : public ::testing::Test {
 protected:
  void SetUp() override {
    if (access(kFfmpeg, X_OK) != 0) GTEST_SKIP() << kFfmpeg << " is missing: install ffmpeg";
    const Exit made = RunProgram({"--once", "--null-in", "--", kFfmpeg, "-loglevel", "error", "-f",
                                  "lavfi", "-i", "testsrc2=duration=2:size=320x240:rate=25", "-c:v",
                                  "mpeg4", dir_.Path("clip.mp4")});
    ASSERT_EQ(made.code, 0) << made.output;
  }

  // Options and workload of a software transcode of the first clip.
  std::vector<std::string> Transcode(std::vector<std::string> options) const {
    options.insert(options.end(), {"--dir", dir_.Path(""), "--glob", "*.mp4", "--null-in", "--",
                                   kFfmpeg, "-nostdin", "-y", "-loglevel", "error", "-i",
                                   "FILENAME", "-c:v", "libx264", "-preset", "ultrafast"});
    return options;
  }

  // Frames that a decoder finds in the file.
  [[nodiscard]] std::string CountFrames(const std::string& name) const {
    return RunProgram({"--once", "--", kFfprobe, "-v", "error", "-count_frames", "-show_entries",
                       "stream=codec_name,nb_read_frames", "-of", "csv=p=0", dir_.Path(name)})
        .output;
  }

  TempDir dir_;
};

TEST_F(Media, OnceTranscodesTheFirstClip) {
  std::vector<std::string> arguments = Transcode({"--once"});
  arguments.push_back("out.mkv");
  const Exit exit = RunProgram(arguments);
  EXPECT_EQ(exit.code, 0) << exit.output;
  EXPECT_THAT(exit.output, HasSubstr("on clip.mp4"));
  EXPECT_THAT(CountFrames("out.mkv"), HasSubstr("h264," + std::to_string(kFrames)));
}

TEST_F(Media, JobTranscodesWithItsOwnArgumentsLast) {
  fakes::FakeWorkersService frontend;
  ProgramUnderTest program(Transcode({"--frontend", frontend.address(), "--queue", "media"}));
  const auto stream = frontend.Accept();
  EXPECT_EQ(stream->Welcome().queue(), "media");
  const std::vector<std::string> arguments = {"job.mkv"};
  stream->SendAssigns(1, 1, {}, EncodeArguments(arguments));
  const auto results = stream->ReceiveResults(1);
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results[0].outcome, v1::OUTCOME_SUCCEEDED) << results[0].report.ShortDebugString();
  EXPECT_EQ(results[0].device, "clip.mp4");
  EXPECT_GT(results[0].run_ns, 0u);
  EXPECT_THAT(CountFrames("job.mkv"), HasSubstr("h264," + std::to_string(kFrames)));
  stream->SendDrain();
  EXPECT_EQ(program.Wait(), 0);
}

TEST_F(Media, BrokenClipFailsWithTheWordsOfFfmpeg) {
  dir_.Write("a-broken.mp4", "this is no video");
  std::vector<std::string> arguments = Transcode({"--once"});
  arguments.push_back("out.mkv");
  const Exit exit = RunProgram(arguments);
  EXPECT_EQ(exit.code, 1);
  EXPECT_THAT(exit.output, HasSubstr("Invalid data found"));
  EXPECT_THAT(exit.output, HasSubstr("on a-broken.mp4: exit code 1"));
}

}  // namespace
}  // namespace twofold::backend
