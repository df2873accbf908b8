// A trace may be larger than the memory.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstring>
#include <istream>
#include <streambuf>
#include <string>

#include "tests/lib/trace/fixture.h"

namespace twofold::queue::trace {
namespace {

constexpr int kTimes = 4'096;
constexpr std::size_t kSpecBytes = 64 << 10;

/// `start`, then `rest` again and again.
class Repeating : public std::streambuf {
 public:
  Repeating(std::string start, std::string rest) : text_(std::move(start)), rest_(std::move(rest)) {
    setg(text_.data(), text_.data(), text_.data() + text_.size());
  }

 protected:
  int_type underflow() override {
    if (times_++ == kTimes) return traits_type::eof();
    setg(rest_.data(), rest_.data(), rest_.data() + rest_.size());
    return traits_type::to_int_type(rest_.front());
  }

 private:
  std::string text_;
  std::string rest_;
  int times_ = 0;
};

std::int64_t PeakKib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(TraceStream, ATraceOf256MibIsReplayedInLittleMemory) {
  MemoryFile file;
  RecordedQueue queue({}, file.Record("sleep"));
  NoEffects effects;
  queue.Step({}, input::Drain{}, effects);
  const auto options = std::make_shared<const JobOptions>();
  queue.Step({}, input::Submit{SubmitterId{1}, 1, options, std::string(kSpecBytes, 'x')}, effects);
  std::string refused;
  AppendRecord(refused, file.bodies().back());
  file.bodies().pop_back();

  Repeating text(file.bytes(), refused);
  std::istream in(&text);
  [[maybe_unused]] const std::int64_t before = PeakKib();
  const auto report = Replay(in, {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->difference);
  EXPECT_EQ(report->inputs, 1U + kTimes);
#ifndef __SANITIZE_ADDRESS__  // which keeps what was freed for a while
  EXPECT_LT(PeakKib() - before, 8 << 10);
#endif
}

/// A record that claims to have so many bytes, but has 1000.
std::string Claiming(std::size_t size) {
  std::string record;
  AppendRecord(record, std::string(1000, 'x'));
  std::memcpy(record.data(), &size, 4);
  return Header() + record;
}

TEST(TraceStream, AWrongSizeTakesNoMoreMemoryThanThereAreBytes) {
  const std::int64_t before = PeakKib();
  const auto report = ReplayBytes(Claiming(kLargestRecord));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->end, TraceEnd::kCut);
  EXPECT_LT(PeakKib() - before, 8 << 10);
  EXPECT_FALSE(ReplayBytes(Claiming(kLargestRecord + 1)).ok());
}

}  // namespace
}  // namespace twofold::queue::trace
