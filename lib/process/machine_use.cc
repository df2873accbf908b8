#include "lib/process/machine_use.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace twofold::process {
namespace {

constexpr int kMostProcessors = 4096;

double Share(Duration part, Duration whole) {
  const auto share = static_cast<double>(part.count()) / static_cast<double>(whole.count());
  return std::clamp(share, 0.0, 1.0);
}

std::optional<double> GrowthShare(const std::optional<Duration>& before,
                                  const std::optional<Duration>& after, Duration whole) {
  if (!before || !after || whole <= Duration::zero()) return std::nullopt;
  return Share(*after - *before, whole);
}

std::string HotFile(int processor) {
  return absl::StrCat("/sys/devices/system/cpu/cpu", processor,
                      "/thermal_throttle/core_throttle_total_time_ms");
}

std::vector<std::string> HotFiles(const HostFiles& files) {
  std::vector<std::string> found;
  for (int processor = 0; processor < kMostProcessors; ++processor) {
    std::string file = HotFile(processor);
    if (!files.read(file)) break;
    found.push_back(std::move(file));
  }
  return found;
}

}  // namespace

std::optional<ProcessorTimes> ParseProcessorTimes(const std::string& stat) {
  static const std::int64_t tick_ns = 1'000'000'000 / std::max(sysconf(_SC_CLK_TCK), 1L);
  enum Field { kUser = 1, kNice, kSystem, kIdle, kIoWait, kIrq, kSoftIrq, kSteal, kFields };
  const std::vector<std::string> words =
      absl::StrSplit(stat.substr(0, stat.find('\n')), ' ', absl::SkipEmpty());
  if (words.size() < kFields || words[0] != "cpu") return std::nullopt;
  std::array<Duration, kFields> times{};
  for (std::size_t i = kUser; i < kFields; ++i) {
    std::int64_t ticks = 0;
    if (!absl::SimpleAtoi(words[i], &ticks) || ticks < 0) return std::nullopt;
    times.at(i) = Duration(std::min(ticks, INT64_MAX / 16 / tick_ns) * tick_ns);
  }
  ProcessorTimes sum;
  for (const Field busy : {kUser, kNice, kSystem, kIrq, kSoftIrq}) sum.busy += times[busy];
  sum.stolen = times[kSteal];
  sum.all = sum.busy + sum.stolen + times[kIdle] + times[kIoWait];
  return sum;
}

MachineShares Between(const MachineUse& before, const MachineUse& after) {
  MachineShares shares;
  shares.throttled = GrowthShare(before.throttled, after.throttled, after.at - before.at);
  if (!before.processors || !after.processors) return shares;
  const Duration all = after.processors->all - before.processors->all;
  if (all <= Duration::zero()) return shares;
  const Duration busy = after.processors->busy - before.processors->busy;
  shares.others = Share(busy - (after.own - before.own), all);
  shares.stolen = Share(after.processors->stolen - before.processors->stolen, all);
  shares.hot = GrowthShare(before.hot, after.hot, all);
  return shares;
}

MachineReader::MachineReader(HostFiles files, int pid)
    : files_(std::move(files)), own_(files_, pid), hot_files_(HotFiles(files_)) {}

MachineUse MachineReader::Read(Instant now) {
  const CpuUse own = own_.Read();
  const auto stat = files_.read("/proc/stat");
  return {.at = now,
          .processors = stat ? ParseProcessorTimes(*stat) : std::nullopt,
          .own = own.cpu,
          .throttled = own.throttled,
          .hot = Hot()};
}

std::optional<Duration> MachineReader::Hot() const {
  if (hot_files_.empty()) return std::nullopt;
  std::int64_t sum_ms = 0;
  for (const std::string& file : hot_files_) {
    std::int64_t ms = 0;
    const auto text = files_.read(file);
    if (!text || !absl::SimpleAtoi(*text, &ms) || ms < 0) return std::nullopt;
    sum_ms += ms;
  }
  return std::chrono::milliseconds(sum_ms);
}

}  // namespace twofold::process
