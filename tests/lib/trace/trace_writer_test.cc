#include "lib/trace/trace_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/lib/trace/fixture.h"
#include "tests/lib/trace/random_calls.h"

namespace twofold::queue::trace {
namespace {

using testing::HasSubstr;

class TraceWriterTest : public testing::Test {
 protected:
  TraceWriterTest() {
    std::string pattern = testing::TempDir() + "traceXXXXXX";
    folder_ = mkdtemp(pattern.data());
    path = folder_ / "trace";
  }
  ~TraceWriterTest() override { std::filesystem::remove_all(folder_); }

  static Result<ReplayReport> ReplayFile(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return Replay(in, {});
  }

  /// What happens to one queue that is traced to `to`.
  static void Trace(const std::string& to, std::uint64_t seed, int steps) {
    const auto writer = TraceWriter::Open(to);
    ASSERT_TRUE(writer.ok()) << writer.status();
    RecordedQueue queue({}, (*writer)->Record("sleep", {}));
    RandomCalls calls(seed, queue);
    for (int step = 0; step < steps; ++step) calls.Step();
  }

  std::filesystem::path folder_;
  std::filesystem::path path;
};

/// A pipe as the file of a trace; what the log says meanwhile is kept.
class TraceToPipeTest : public testing::Test {
 protected:
  TraceToPipeTest() {
    std::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(pipe(ends_), 0);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "", std::make_shared<spdlog::sinks::ostream_sink_mt>(log)));
    auto opened = TraceWriter::Open("/dev/fd/" + std::to_string(ends_[1]));
    EXPECT_TRUE(opened.ok()) << opened.status();
    writer = *std::move(opened);
    close(ends_[1]);
  }
  ~TraceToPipeTest() override {
    StopReading();
    writer.reset();
    spdlog::set_default_logger(logger_before_);
  }

  void StopReading() {
    if (ends_[0] >= 0) close(ends_[0]);
    ends_[0] = -1;
  }

  std::ostringstream log;
  std::unique_ptr<TraceWriter> writer;

 private:
  int ends_[2] = {-1, -1};
  std::shared_ptr<spdlog::logger> logger_before_ = spdlog::default_logger();
};

TEST_F(TraceWriterTest, WritesWhatCanBeReplayed) {
  Trace(path, 1, 20'000);
  const auto report = ReplayFile(path);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->difference) << Text(*report);
  EXPECT_EQ(report->inputs, 20'000U);
  EXPECT_EQ(report->end, TraceEnd::kStopped);
}

TEST_F(TraceWriterTest, QueuesInSeveralThreadsShareTheFile) {
  {
    const auto writer = TraceWriter::Open(path);
    ASSERT_TRUE(writer.ok());
    std::vector<std::thread> threads;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      threads.emplace_back([&writer, seed] {
        RecordedQueue queue({}, (*writer)->Record("queue " + std::to_string(seed), {}));
        RandomCalls calls(seed, queue);
        for (int step = 0; step < 5'000; ++step) calls.Step();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  const auto report = ReplayFile(path);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->difference) << Text(*report);
  EXPECT_EQ(report->inputs, 15'000U);
  EXPECT_EQ(report->queues, 3U);
}

TEST_F(TraceWriterTest, IsInTheFileSoonWithoutAnEnd) {
  const auto writer = TraceWriter::Open(path);
  ASSERT_TRUE(writer.ok());
  RecordedQueue queue({}, (*writer)->Record("sleep", {}));
  NoEffects effects;
  queue.Step({}, input::Pause{}, effects);
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  auto report = ReplayFile(path);
  while (report.ok() && report->inputs == 0 && std::chrono::steady_clock::now() < patience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    report = ReplayFile(path);
  }
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->inputs, 1U);
  EXPECT_EQ(report->end, TraceEnd::kKilled);
}

TEST_F(TraceWriterTest, KeepsTheTraceOfTheLifeBefore) {
  Trace(path, 1, 7);
  Trace(path, 1, 9);
  EXPECT_EQ(ReplayFile(path)->inputs, 9U);
  EXPECT_EQ(ReplayFile(path.string() + ".old")->inputs, 7U);
}

TEST_F(TraceWriterTest, IsForTheOwnerOnly) {
  Trace(path, 1, 1);
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(TraceWriterTest, AFileThatCannotBeWrittenIsRefused) {
  const auto missing = TraceWriter::Open(folder_ / "no" / "trace");
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(missing.status().message()), HasSubstr("No such file or directory"));
  const auto full = TraceWriter::Open("/dev/full");
  EXPECT_THAT(std::string(full.status().message()), HasSubstr("No space left"));
}

TEST_F(TraceToPipeTest, AWriteErrorEndsTheTraceWithOneLineAndTheQueueGoesOn) {
  StopReading();
  RecordedQueue queue({}, writer->Record("sleep", {}));
  RandomCalls calls(1, queue);
  for (int step = 0; step < 200'000 && writer->open(); ++step) calls.Step();
  ASSERT_FALSE(writer->open());
  for (int step = 0; step < 1'000; ++step) calls.Step();
  EXPECT_GT(queue.core().Stats().finished[0], 0U);
  const std::string lines = log.str();
  EXPECT_THAT(lines, HasSubstr("ends here: Broken pipe; serving goes on"));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1);
}

TEST_F(TraceToPipeTest, ADiskThatIsTooSlowHoldsUpNobody) {
  const std::string body(1 << 20, 'x');
  std::size_t added = 0;
  for (; writer->open() && added < 4 * TraceWriter::kMostWaiting; added += body.size()) {
    writer->Add(body);
  }
  EXPECT_FALSE(writer->open());
  EXPECT_GE(added, TraceWriter::kMostWaiting);
  EXPECT_THAT(log.str(), HasSubstr("too slow"));
}

}  // namespace
}  // namespace twofold::queue::trace
