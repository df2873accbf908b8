#include "suites/media/media.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <gtest/gtest.h>

#include "suites/table/table.h"
#include "tests/suites/samples.h"

namespace twofold::suite {
namespace {

/// What ffmpeg left: media/ffmpeg_NAME.out and .err.
Outputs Ran(const std::string& name, int exit_code) {
  Outputs outputs = Saved("media/ffmpeg_" + name + ".out");
  outputs.stages[0].err = Sample("media/ffmpeg_" + name + ".err");
  outputs.stages[0].exit_code = exit_code;
  return outputs;
}

// The form is that of version 2023.1; no machine with the device was at hand to run it.
constexpr char kSessions[] =
    "Multi Transcoding Sample Version 2023.1\n\nTranscoding started\n..\nTranscoding finished\n\n"
    "Common transcoding time is 2 sec\n"
    "-------------------------------------------------------------------------------\n"
    "*** session 0 [0x55d0c1] PASSED (MFX_ERR_NONE) 1.6 sec, 400 frames, 250.000 fps\n"
    "-hw -device /dev/dri/renderD128 -i::h265 in.h265 -o::h264 /dev/null\n\n"
    "*** session 1 [0x55d0c2] PASSED (MFX_ERR_NONE) 2 sec, 400 frames, 200.000 fps\n"
    "-hw -device /dev/dri/renderD129 -i::h265 in.h265 -o::h264 /dev/null\n\n"
    "-------------------------------------------------------------------------------\n\n"
    "The test PASSED\n";

TEST(MediaPlan, OneInputBecomesACascadeOfOutputs) {
  const auto plan =
      FindSuite("media")->plan(R"({"input": "lavfi:testsrc2=duration=2", "frames": 40, "outputs": [
      {"preset": "ultrafast"},
      {"codec": "mpeg4", "width": 160, "height": 120, "bitrate": 500, "path": "small.mkv"}]})",
                               GangOf(1));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ExpectGolden("media/plan_cascade.txt", Text(*plan));
}

TEST(MediaPlan, SeveralInputsUseSeveralDevices) {
  const auto plan = FindSuite("media")->plan(R"({"device": "/dev/dri/renderD128", "inputs": [
      {"path": "a.mp4"}, {"path": "b.mp4", "device": "/dev/dri/renderD129"}],
      "outputs": [{"codec": "h265", "width": 1280, "height": 720}, {"input": 1}]})",
                                             GangOf(1));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ExpectGolden("media/plan_devices.txt", Text(*plan));
}

TEST(MediaPlan, SessionsOfIntelsTranscoderAreLinesOfAFile) {
  const auto plan = FindSuite("media")->plan(R"({"tool": "sample_multi_transcode", "frames": 100,
      "device": "/dev/dri/renderD128", "inputs": [{"path": "in.h265", "codec": "h265"}],
      "outputs": [{}, {"codec": "av1", "width": 640, "height": 360, "bitrate": 800}]})",
                                             GangOf(1));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ExpectGolden("media/plan_sessions.txt", Text(*plan));
}

TEST(MediaSpec, WhatIsWrongIsNamed) {
  for (const auto& [spec, words] :
       {std::pair{"{}", "input: no path"},
        std::pair{R"({"input": "a", "inputs": [{"path": "b"}]})", "input: not together"},
        std::pair{R"({"input": "a", "tool": "x264"})", "tool: 'x264' is none of"},
        std::pair{R"({"input": "a", "outputs": [{"codec": "vp8"}]})", "outputs.codec: 'vp8'"},
        std::pair{R"({"input": "a", "outputs": [{"input": 1}]})", "outputs.input: 1"},
        std::pair{R"({"input": "a", "outputs": [{"width": 8}]})", "outputs.width: needs"},
        std::pair{R"({"inputs": [{"path": "a"}, {"path": "b"}]})", "no output has input 1"},
        std::pair{R"({"input": "a", "device": "d", "outputs": [{"codec": "mpeg4"}]})",
                  "mpeg4 is in software only"},
        std::pair{R"({"input": "a", "tool": "sample_multi_transcode"})", "device: "},
        std::pair{R"({"input": "a b", "tool": "sample_multi_transcode", "device": "d"})",
                  "input: 'a b' has more than letters"},
        std::pair{R"({"input": "../a"})", "input: '../a' is no path"},
        std::pair{R"({"input": "-i"})", "input: '-i' is no path"},
        std::pair{R"({"input": "a", "outputs": [{"path": "b/../../c.mp4"}]})", "outputs.path: "},
        std::pair{R"({"input": "a", "outputs": [{"path": "b.m3u8"}]})",
                  "does not end like a video"},
        std::pair{R"({"input": "a", "outputs": [{"preset": "a b"}]})", "outputs.preset: "}}) {
    const auto checked = FindSuite("media")->check(spec);
    ASSERT_FALSE(checked.ok()) << spec;
    EXPECT_NE(std::string(checked.status().message()).find(words), std::string::npos)
        << checked.status();
  }
}

TEST(MediaPlan, WhatASpecNamesIsAFileAndForTheWorkerToAllow) {
  const auto plan =
      FindSuite("media")->plan(R"({"inputs": [{"path": "http://host/a.mp4"}, {"path": "concat:a|b",
      "device": "/dev/dri/renderD129"}, {"path": "lavfi:testsrc", "device": "/dev/mem"}],
      "outputs": [{"path": "/videos/out.mp4"}, {"input": 1}, {"input": 2}]})",
                               GangOf(1));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ExpectGolden("media/plan_paths.txt", Text(*plan));
}

TEST(MediaPlan, GraphsThatAreNoTestPatternAreUnlisted) {
  for (const char* graph : {"testsrc2", "testsrc2=size=1280x720:duration=5",
                            "testsrc=rate=30000/1001:d=2", "color=c=red@0.5:s=64x64"}) {
    EXPECT_TRUE(media::IsListedGraph(graph)) << graph;
  }
  for (const char* graph :
       {"movie=/etc/passwd", "amovie=x", "testsrc2,metadata=print:file=/x", "testsrc2;movie=x",
        "testsrc2=/size=/etc/passwd", "frei0r_src=filter_name=x", "life=filename=/etc/passwd",
        "testsrc2=size='a'", "testsrc2=duration=1[out0]", "testsrc2=1280x720", "testsrc2=", ""}) {
    EXPECT_FALSE(media::IsListedGraph(graph)) << graph;
    const auto plan =
        FindSuite("media")->plan(absl::StrCat(R"({"input": "lavfi:)", graph, "\"}"), GangOf(1));
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->unlisted.size(), 1U);
  }
}

TEST(MediaParse, RealOutputGivesItsNumbers) {
  for (const char* name : {"one", "two"}) {
    const auto result = media::Parse(Ran(name, 0));
    ASSERT_TRUE(result.ok()) << result.status();
    ExpectGolden(std::string("media/ffmpeg_") + name + ".csv", CsvRows(name, *result));
  }
}

TEST(MediaParse, ShortClipsHaveARateThoughFfmpegSaysZero) {
  const auto result = media::Parse(Ran("one", 0));
  ASSERT_TRUE(result.ok()) << result.status();
  // 50 frames, 2 s of video, 60.1 times as fast as it plays; fps=0.00 says nothing.
  EXPECT_DOUBLE_EQ(ValueOf(*result, "frame_rate"), 50 / (2 / 60.1));
}

TEST(MediaParse, FramesOfAllOutputsCount) {
  const auto result = media::Parse(Ran("two", 0));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(ValueOf(*result, "frames", "0"), 40);
  EXPECT_DOUBLE_EQ(ValueOf(*result, "frames", "1"), 40);
  EXPECT_DOUBLE_EQ(ValueOf(*result, "frames", "all"), 80);
  EXPECT_NEAR(ValueOf(*result, "frame_rate"), 80 / (1.6 / 35.9), 1e-9);
}

TEST(MediaParse, ARunThatWasStoppedHasNoNumbersThoughItsProgressEnds) {
  EXPECT_TRUE(FailsWith(media::Parse(Ran("term", 255)), "received signal 15"));
  EXPECT_TRUE(FailsWith(media::Parse(Ran("term", 0)), "received signal 15"));
  Outputs killed = Ran("kill", 0);
  EXPECT_TRUE(FailsWith(media::Parse(killed), "has no end"));
  killed.stages[0].exit_code.reset();
  killed.stages[0].signal = 9;
  EXPECT_TRUE(FailsWith(media::Parse(killed), "killed by signal 9"));
}

TEST(MediaParse, NothingEncodedWithExitCodeZeroIsAFailure) {
  EXPECT_TRUE(FailsWith(media::Parse(Ran("empty", 0)), "nothing was encoded"));
}

TEST(MediaParse, AFailureIsInTheWordsOfTheTool) {
  EXPECT_TRUE(FailsWith(media::Parse(Ran("noinput", 1)),
                        "transcode: /nonexistent.mp4: No such file or directory"));
  EXPECT_TRUE(
      FailsWith(media::Parse(SavedText("something else altogether\n")), "no -progress of ffmpeg"));
}

TEST(MediaParse, SessionsShareTheCommonTime) {
  const auto result = media::Parse(SavedText(kSessions));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->tool, "sample_multi_transcode 2023.1");
  EXPECT_DOUBLE_EQ(ValueOf(*result, "frame_rate", "0"), 250);
  EXPECT_DOUBLE_EQ(ValueOf(*result, "frame_rate", "1"), 200);
  EXPECT_DOUBLE_EQ(ValueOf(*result, "frame_rate", "all"), 400);
}

TEST(MediaParse, SessionsSayWithWhatTheyEncoded) {
  const auto dimensions = [](const std::string& text) {
    std::string said;
    const auto result = media::Parse(SavedText(text));
    for (const Measurement& one : result.value().measurements) {
      if (one.name != "frame_rate") continue;
      for (const auto& [name, value] : one.dimensions)
        absl::StrAppend(&said, name, "=", value, " ");
    }
    return said;
  };
  EXPECT_EQ(dimensions(kSessions),
            "output=0 encoder=h264 output=1 encoder=h264 output=all encoder=h264+h264 ");
  const std::string smaller = absl::StrReplaceAll(
      kSessions, {{"-device /dev/dri/renderD129", "-w 640 -h 360"}, {"h264 /dev/null", "av1 -"}});
  EXPECT_EQ(dimensions(smaller),
            "output=0 encoder=av1 output=1 encoder=av1 resolution=640x360 "
            "output=all encoder=av1+av1 ");
}

TEST(MediaParse, ASessionThatFailedFailsTheJob) {
  std::string text = kSessions;
  text.replace(text.rfind("PASSED (MFX_ERR_NONE)"), 21, "FAILED (MFX_ERR_GPU_HANG)");
  EXPECT_TRUE(FailsWith(media::Parse(SavedText(text)), "session 1 failed: MFX_ERR_GPU_HANG"));
}

TEST(MediaParse, ASessionIsNoLongerThanAllTogether) {
  const std::string text = absl::StrReplaceAll(kSessions, {{") 2 sec", ") 20 sec"}});
  EXPECT_TRUE(FailsWith(media::Parse(SavedText(text)), "session 1 of 20 s in a run of 2 s"));
}

TEST(MediaParse, SessionsThatAreCutOffAreNoNumbers) {
  const std::string text = kSessions;
  for (std::size_t size = 0; size < text.find("The test PASSED"); ++size) {
    EXPECT_FALSE(media::Parse(SavedText(text.substr(0, size))).ok()) << size;
  }
}

constexpr std::string_view kTimestamp = "2026-11-20T23:41:55.123456789Z ";

// 250 and 50 frames a second were read as 100.
TEST(MediaParse, TwoPassesAreTwoRuns) {
  const std::string log = Sample("media/two_pass.log");
  EXPECT_TRUE(FailsWith(FindSuite("media")->parse(SavedText(log)), "2 runs in one document"));
  const auto runs = EachRun("media", log);
  ASSERT_EQ(runs.size(), 2U);
  ASSERT_TRUE(runs[0].ok() && runs[1].ok()) << runs[0].status() << runs[1].status();
  EXPECT_DOUBLE_EQ(ValueOf(*runs[0], "frame_rate"), 250);
  EXPECT_DOUBLE_EQ(ValueOf(*runs[1], "frame_rate"), 50);
}

TEST(MediaParse, PassesWithoutTitlesAreToldApartByTheirProgress) {
  const std::string pass = Sample("media/ffmpeg_two.out");
  const auto refused = [](const std::string& text) {
    return FailsWith(FindSuite("media")->parse(SavedText(text)), "2 runs in one document");
  };
  EXPECT_TRUE(refused(pass + pass));
  EXPECT_TRUE(refused(Sample("media/ffmpeg_kill.out") + pass));  // the first was killed
  // One run whose two outputs were saved one after the other is one.
  const auto one = FindSuite("media")->parse(SavedText(pass + Sample("media/ffmpeg_two.err")));
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_DOUBLE_EQ(ValueOf(*one, "frames", "all"), 80);
}

TEST(MediaParse, PassesWithHiddenTitlesAreToldApartByTheirInput) {
  const std::string log = Sample("media/ffmpeg_passes.log");
  EXPECT_TRUE(FailsWith(FindSuite("media")->parse(SavedText(log)), "2 runs in one document"));
  const auto runs = EachRun("media", log);
  ASSERT_EQ(runs.size(), 2U);
  ASSERT_TRUE(runs[0].ok() && runs[1].ok()) << runs[0].status() << runs[1].status();
  EXPECT_DOUBLE_EQ(ValueOf(*runs[0], "speed"), 22.6);
  EXPECT_DOUBLE_EQ(ValueOf(*runs[1], "speed"), 12.9);
  for (const auto& run : runs) {
    EXPECT_DOUBLE_EQ(ValueOf(*run, "frames", "all"), 100);
    EXPECT_EQ(run->measurements.back().dimensions,
              (Dimensions{{"encoder", "libx264"}, {"resolution", "320x240"}}));
  }
}

TEST(MediaParse, SeveralFilesAreNotOneRun) {
  Outputs outputs = Ran("one", 0);
  outputs.stages.push_back(Ran("two", 0).stages[0]);
  EXPECT_TRUE(FailsWith(media::Parse(outputs), "outputs of 2 runs, not of 1"));
}

TEST(MediaParse, WhatTheLogDoesNotSayIsMissing) {
  Outputs outputs = Ran("two", 0);
  StageOutput& stage = outputs.stages[0];
  stage.out =
      absl::StrReplaceAll(stage.out, {{"fps=0.00", "fps=12.00"},
                                      {"speed=35.9x", "speed=N/A"},
                                      {"out_time_us=1600000", "out_time_us=-9223372036854775808"}});
  const auto result = FindSuite("media")->parse(outputs);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(Says(*result, "speed"));
  ASSERT_EQ(result->series[0].rows.size(), 1U);  // of the block that has a time
  EXPECT_TRUE(result->failures.empty());
  EXPECT_DOUBLE_EQ(ValueOf(*result, "frame_rate"), 24);
}

// Since version 6 ffmpeg says which of its parts speaks; frames of all outputs but the first were
// lost.
TEST(MediaParse, FramesOfEachOutputAreReadBehindTheNameOfAPart) {
  Outputs outputs = Ran("two", 0);
  const auto plain = media::Parse(outputs);
  outputs.stages[0].err = absl::StrReplaceAll(
      outputs.stages[0].err, {{"  Output stream", "[out#0/null @ 0x55d0c1]   Output stream"},
                              {"\nStream mapping", "\n[fc#0 @ 0x1] Stream mapping"}});
  const auto result = media::Parse(outputs);
  ASSERT_TRUE(plain.ok() && result.ok()) << result.status();
  EXPECT_EQ(result->measurements, plain->measurements);
}

TEST(MediaParse, WithoutFramesOfEachOutputTheNumbersAreOfTheFirst) {
  Outputs outputs = Ran("two", 0);
  outputs.stages[0].err.clear();
  const auto result = media::Parse(outputs);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(ValueOf(*result, "frames", "0"), 40);
  EXPECT_EQ(result->measurements[0].dimensions, (Dimensions{{"output", "0"}}));
}

TEST(MediaParse, ARateThatIsNotThatOfItsFramesIsRefused) {
  const std::string log = Sample("media/two_pass.log");
  const std::string first = log.substr(0, log.find("ffmpeg version", 1));
  EXPECT_TRUE(media::Parse(SavedText(first)).ok());
  EXPECT_TRUE(
      FailsWith(media::Parse(SavedText(absl::StrReplaceAll(first, {{"fps=250.00", "fps=999.00"}}))),
                "999 frames a second are not 1000 frames of 40 s"));
}

TEST(MediaParse, WhatWasAskedForIsHeldAgainstWhatCame) {
  Outputs outputs = Ran("two", 0);
  outputs.spec = R"({"input": "a", "frames": 40, "outputs": [{}, {"codec": "mpeg4"}]})";
  EXPECT_TRUE(media::Parse(outputs).ok()) << media::Parse(outputs).status();
  outputs.spec = R"({"input": "a", "frames": 39, "outputs": [{}, {"codec": "mpeg4"}]})";
  EXPECT_TRUE(FailsWith(media::Parse(outputs), "40 frames of output 0:0, not at most 39"));
  outputs.spec = R"({"input": "a", "outputs": [{}, {}, {}]})";
  EXPECT_TRUE(FailsWith(media::Parse(outputs), "frames of 2 outputs, not of 3"));
  Outputs sessions = SavedText(kSessions);
  sessions.spec =
      R"({"tool": "sample_multi_transcode", "input": "a", "device": "d", "outputs": [{}]})";
  EXPECT_TRUE(FailsWith(media::Parse(sessions), "2 sessions, not 1"));
}

TEST(MediaParse, APrefixOnEachLineIsSkippedAndSaid) {
  const std::string log = Sample("media/ffmpeg_two.out") + Sample("media/ffmpeg_two.err");
  const auto plain = FindSuite("media")->parse(SavedText(log));
  const auto result = FindSuite("media")->parse(SavedText(Prefixed(kTimestamp, log)));
  ASSERT_TRUE(plain.ok() && result.ok()) << result.status();
  EXPECT_EQ(result->measurements, plain->measurements);
  ASSERT_EQ(result->notes.size(), 1U);
  EXPECT_NE(result->notes[0].find("kubectl logs --timestamps"), std::string::npos);
}

// However whole the output is.
TEST(MediaParse, ATranscoderThatWasKilledHasFailed) {
  Outputs ffmpeg = Ran("two", 0);
  Outputs sessions = SavedText(kSessions);
  for (Outputs* outputs : {&ffmpeg, &sessions}) {
    outputs->stages[0].exit_code.reset();
    outputs->stages[0].signal = 9;
    EXPECT_TRUE(FailsWith(FindSuite("media")->parse(*outputs), "killed by signal 9"));
  }
}

}  // namespace
}  // namespace twofold::suite
