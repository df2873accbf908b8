#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "cli/command/command.h"
#include "lib/common/options.h"
#include "lib/trace/queue_recorder.h"
#include "lib/trace/record.h"
#include "lib/trace/trace_writer.h"
#include "tests/fakes/recording_effects.h"

namespace twofold::cli {
namespace {

using testing::HasSubstr;

class ReplayCommandTest : public testing::Test {
 protected:
  ReplayCommandTest() {
    std::string pattern = testing::TempDir() + "replayXXXXXX";
    folder_ = mkdtemp(pattern.data());
    path = folder_ / "trace";
    auto writer = queue::trace::TraceWriter::Open(path);
    EXPECT_TRUE(writer.ok()) << writer.status();
    queue::trace::RecordedQueue queue({}, (*writer)->Record("sleep", {}));
    queue::RecordingEffects effects;
    queue.Step({}, queue::input::Pause{}, effects);
    queue.Step({}, queue::input::Drain{}, effects);
  }
  ~ReplayCommandTest() override { std::filesystem::remove_all(folder_); }

  /// The exit code of "twofold replay ...".
  int Run(std::vector<std::string> words) {
    words.insert(words.begin(), {"twofold", "replay"});
    CLI::App app("", "twofold");
    Globals globals;
    Action chosen;
    AddCommands(app, ReplayCommands(), globals, chosen);
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    testing::internal::CaptureStdout();
    const auto code = ParseCommandLine(app, static_cast<int>(argv.size()), argv.data());
    const Status status = code ? Status() : chosen();
    output = testing::internal::GetCapturedStdout();
    message = std::string(status.message());
    return code ? *code : ExitCode(status);
  }

  std::filesystem::path path;
  std::string output;
  std::string message;

 private:
  std::filesystem::path folder_;
};

TEST_F(ReplayCommandTest, SaysThatATraceWasReproduced) {
  EXPECT_EQ(Run({path}), 0);
  EXPECT_THAT(output, HasSubstr("reproduced: 2 inputs, 0 effects, queues: 1"));
  EXPECT_EQ(Run({path, "--output", "json"}), 0);
  EXPECT_EQ(output, R"({"verdict":"reproduced","inputs":2,"effects":0,"queues":1,"end":"stopped"})"
                    "\n");
}

TEST_F(ReplayCommandTest, PrintsTheInputs) {
  EXPECT_EQ(Run({path, "--print", "--until", "1"}), 0);
  EXPECT_THAT(output, HasSubstr("1 0.000000000 sleep pause\n"));
  EXPECT_EQ(output.find("drain\n"), std::string::npos);
  EXPECT_EQ(Run({path, "--print", "--output", "json"}), 2);
}

TEST_F(ReplayCommandTest, ADifferenceIsAFailure) {
  // The queue as it was, then a tick that is said to have removed a process.
  std::ifstream in(path, std::ios::binary);
  queue::trace::RecordReader reader(in);
  ASSERT_TRUE(reader.ReadHeader().ok());
  ASSERT_TRUE(reader.Next().ok());
  v1::trace::Record tick;
  tick.mutable_step()->mutable_input()->mutable_tick();
  tick.mutable_step()->add_effects()->mutable_process_removed();
  std::string file = queue::trace::Header();
  queue::trace::AppendRecord(file, reader.body());
  queue::trace::AppendRecord(file, tick.SerializeAsString());
  std::ofstream(path, std::ios::binary) << file;
  EXPECT_EQ(Run({path, "--output", "json"}), 1);
  EXPECT_THAT(output, HasSubstr(R"("expected":["process_removed process=0"],"got":[])"));
  EXPECT_THAT(message, HasSubstr("input 1 differs"));
}

TEST_F(ReplayCommandTest, WhatCannotBeReplayedIsToldApart) {
  EXPECT_EQ(Run({path, "--queue", "media"}), 3);
  EXPECT_EQ(Run({path.string() + ".missing"}), 2);
  EXPECT_THAT(message, HasSubstr("cannot read"));
  std::ofstream(path, std::ios::binary) << "something else altogether";
  EXPECT_EQ(Run({path}), 2);
  EXPECT_THAT(message, HasSubstr("no trace"));
  EXPECT_NE(Run({}), 0);
}

}  // namespace
}  // namespace twofold::cli
