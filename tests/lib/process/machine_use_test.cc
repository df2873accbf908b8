#include "lib/process/machine_use.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>

namespace twofold::process {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A machine whose files a test changes between two readings.
class Machine {
 public:
  MachineReader Reader() {
    return {{.read = [this](const std::string& path) -> std::optional<std::string> {
               const auto found = texts.find(path);
               return found == texts.end() ? std::nullopt : std::optional(found->second);
             },
             .processes = [] { return std::vector<int>(); }},
            7};
  }

  /// Ticks of 10 ms: own are those of process 7.
  void Set(int busy, int idle, int stolen, int own) {
    const std::string user = std::to_string(busy);
    texts["/proc/stat"] = "cpu  " + user + " 0 0 " + std::to_string(idle) + " 0 0 0 " +
                          std::to_string(stolen) + " 0 0\ncpu0 1 1 1 1\n";
    texts["/proc/7/stat"] = "7 (worker) S 1 7 7 0 -1 4194560 1 2 3 4 " + std::to_string(own) +
                            " 0 0 0 20 0 1 0 5 0 0\n";
  }

  std::map<std::string, std::string> texts;
};

constexpr const char* kHot =
    "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_total_time_ms";

class MachineUseTest : public ::testing::Test {
 protected:
  /// Of a second on two processors, by ticks of busy, idle, stolen and own time.
  MachineShares Of(int busy, int idle, int stolen, int own) {
    machine_.Set(1000, 1000, 10, 500);
    MachineReader reader = machine_.Reader();
    const MachineUse before = reader.Read(Instant());
    machine_.Set(1000 + busy, 1000 + idle, 10 + stolen, 500 + own);
    if (machine_.texts.contains(kHot)) machine_.texts[kHot] = "1700\n";
    return Between(before, reader.Read(Instant() + seconds(1)));
  }

  Machine machine_;
};

TEST_F(MachineUseTest, OthersAreWhatIsBusyAndNotOwn) {
  const MachineShares shares = Of(150, 40, 10, 60);
  EXPECT_DOUBLE_EQ(*shares.others, 0.45);
  EXPECT_DOUBLE_EQ(*shares.stolen, 0.05);
}

TEST_F(MachineUseTest, OwnTimeThatTicksDoNotShowIsNoneOfOthers) {
  EXPECT_DOUBLE_EQ(*Of(50, 150, 0, 60).others, 0.0);
}

TEST_F(MachineUseTest, WhatTheMachineDoesNotTellIsNotKnown) {
  const MachineShares shares = Of(150, 50, 0, 60);
  EXPECT_FALSE(shares.throttled.has_value());
  EXPECT_FALSE(shares.hot.has_value());
  machine_.texts.clear();
  MachineReader reader = machine_.Reader();
  const MachineUse before = reader.Read(Instant());
  EXPECT_FALSE(Between(before, reader.Read(Instant() + seconds(1))).others.has_value());
}

TEST_F(MachineUseTest, HotProcessorsAreASumOverAll) {
  machine_.texts[kHot] = "1500\n";
  EXPECT_DOUBLE_EQ(*Of(100, 100, 0, 100).hot, 0.1);
}

TEST_F(MachineUseTest, WithinATickNothingIsKnown) {
  EXPECT_FALSE(Of(0, 0, 0, 0).others.has_value());
}

TEST(ProcessorTimes, OfAnyOtherTextThereAreNone) {
  for (const char* text : {"", "cpu", "cpu 1 2 3", "cpu a b c d e f g h", "cpu0 1 2 3 4 5 6 7 8",
                           "cpu 1 2 3 4 5 6 7 -8"}) {
    EXPECT_FALSE(ParseProcessorTimes(text).has_value()) << text;
  }
}

TEST(ProcessorTimes, GuestsCountOnceAndWaitingForDisksIsIdle) {
  const auto times = ParseProcessorTimes("cpu  10 2 3 40 5 1 4 6 10 2\n");
  ASSERT_TRUE(times.has_value());
  EXPECT_EQ(times->busy, milliseconds(200));
  EXPECT_EQ(times->stolen, milliseconds(60));
  EXPECT_EQ(times->all, milliseconds(710));
}

TEST(MachineReader, ThisMachineTellsOfItsProcessors) {
  MachineReader reader(RealHostFiles(), getpid());
  EXPECT_TRUE(reader.Read(Now()).processors.has_value());
}

}  // namespace
}  // namespace twofold::process
