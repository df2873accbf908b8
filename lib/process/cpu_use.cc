#include "lib/process/cpu_use.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "lib/common/file.h"

namespace twofold::process {
namespace {

constexpr std::size_t kMostBytes = 64 << 10;  // of a file
constexpr std::int64_t kMostNs = INT64_MAX / 4;

/// A count of `unit`s as a time, if `text` is one.
std::optional<Duration> TimeIn(std::string_view text, std::int64_t unit_ns) {
  std::int64_t count = 0;
  if (!absl::SimpleAtoi(std::string(text), &count) || count < 0) return std::nullopt;
  return Duration(count > kMostNs / unit_ns ? kMostNs : count * unit_ns);
}

/// The value of a line "key value".
std::string ValueIn(const std::string& text, std::string_view key) {
  for (const auto& line : std::vector<std::string>(absl::StrSplit(text, '\n'))) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.size() == 2 && words[0] == key) return words[1];
  }
  return {};
}

// ---- cgroups

struct Cgroup {
  std::string root;   // where the hierarchy is mounted
  std::string group;  // this process's folder in it; the root if that is not visible here
};

/// Where the hierarchy of these controllers is mounted. Some hosts list "cpuacct,cpu" and mount
/// "cpu,cpuacct"; there each controller's own name leads to it.
std::string RootOf(const HostFiles& files, const std::string& controllers,
                   std::string_view controller) {
  const std::string mounts = "/sys/fs/cgroup";
  if (controllers.empty()) return mounts;
  std::string listed = absl::StrCat(mounts, "/", controllers);
  const bool visible = files.read(listed + "/cgroup.procs").has_value();
  return visible ? listed : absl::StrCat(mounts, "/", std::string(controller));
}

/// Of /proc/self/cgroup: "0::/path" (v2), "3:cpu,cpuacct:/path" (v1).
std::optional<Cgroup> CgroupOf(const HostFiles& files, std::string_view controller) {
  const std::string lines = files.read("/proc/self/cgroup").value_or("");
  for (const auto& line : std::vector<std::string>(absl::StrSplit(lines, '\n'))) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    const std::vector<std::string> names = absl::StrSplit(parts[1], ',');
    if (std::find(names.begin(), names.end(), controller) == names.end()) continue;
    const std::string root = RootOf(files, parts[1], controller);
    const std::string group = parts[2] == "/" ? root : absl::StrCat(root, parts[2]);
    const bool visible = files.read(group + "/cgroup.procs").has_value();
    return Cgroup{root, visible ? group : root};
  }
  return std::nullopt;
}

bool IsAlone(const HostFiles& files, const std::string& group, int pid) {
  const auto processes = files.read(group + "/cgroup.procs");
  if (!processes) return false;
  const std::vector<std::string> ids = absl::StrSplit(*processes, '\n', absl::SkipEmpty());
  return !ids.empty() && std::all_of(ids.begin(), ids.end(), [&](const std::string& id) {
    return id == "1" || id == std::to_string(pid);
  });
}

/// The folder and those above it, as far as the root.
std::vector<std::string> Upwards(const Cgroup& cgroup) {
  std::vector<std::string> folders;
  std::string folder = cgroup.group;
  while (folder.size() > cgroup.root.size()) {
    folders.push_back(folder);
    folder.resize(folder.rfind('/'));
  }
  folders.push_back(cgroup.root);
  return folders;
}

std::optional<double> Cores(std::string_view quota, std::string_view period) {
  const auto allowed = TimeIn(quota, 1);
  const auto every = TimeIn(period, 1);
  if (!allowed || !every || allowed->count() == 0 || every->count() == 0) return std::nullopt;
  return static_cast<double>(allowed->count()) / static_cast<double>(every->count());
}

std::string Line(const std::optional<std::string>& text) {
  return std::string(absl::StripAsciiWhitespace(text.value_or("")));
}

/// v2: cpu.max is "200000 100000" or "max 100000". v1: a quota of -1 is none.
std::optional<double> QuotaOf(const HostFiles& files, const std::string& group, bool v2) {
  if (!v2) {
    return Cores(Line(files.read(group + "/cpu.cfs_quota_us")),
                 Line(files.read(group + "/cpu.cfs_period_us")));
  }
  const std::vector<std::string> words = absl::StrSplit(Line(files.read(group + "/cpu.max")), ' ');
  return words.size() == 2 ? Cores(words[0], words[1]) : std::nullopt;
}

// ---- /proc

struct ProcessTimes {
  int parent = 0;
  Duration cpu{0};  // of itself, and of the children that it has waited for
};

/// "PID (NAME) STATE PPID ..."; the name may have blanks and brackets. Fields 14 to 17 are ticks.
std::optional<ProcessTimes> ParseStat(const std::string& stat, std::int64_t tick_ns) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  const std::vector<std::string> fields =
      absl::StrSplit(stat.substr(name_end + 1), ' ', absl::SkipEmpty());
  constexpr std::size_t kParent = 1;
  constexpr std::size_t kTimes = 11;
  ProcessTimes times;
  if (fields.size() < kTimes + 4 || !absl::SimpleAtoi(fields[kParent], &times.parent)) {
    return std::nullopt;
  }
  for (std::size_t i = kTimes; i < kTimes + 4; ++i) {
    times.cpu += TimeIn(fields[i], tick_ns).value_or(Duration(0));
  }
  return times;
}

std::optional<ProcessTimes> TimesOf(const HostFiles& files, int pid) {
  static const std::int64_t tick_ns = 1'000'000'000 / std::max(sysconf(_SC_CLK_TCK), 1L);
  const auto stat = files.read(absl::StrCat("/proc/", pid, "/stat"));
  return stat ? ParseStat(*stat, tick_ns) : std::nullopt;
}

/// Ids of running processes; none if this process has no child, which is cheap to know.
std::vector<int> ProcessesHere() {
  siginfo_t info{};
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return {};
  std::vector<int> ids;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    int id = 0;
    if (absl::SimpleAtoi(entry->path().filename().string(), &id)) ids.push_back(id);
  }
  return ids;
}

}  // namespace

HostFiles RealHostFiles() {
  return {.read = [](const std::string& path) -> std::optional<std::string> {
            auto text = ReadFile(path, kMostBytes);
            return text.ok() ? std::optional(*std::move(text)) : std::nullopt;
          },
          .processes = ProcessesHere};
}

CpuUseReader::CpuUseReader(HostFiles files, int pid) : files_(std::move(files)), pid_(pid) {
  const auto v1_quota = CgroupOf(files_, "cpu");
  const auto v1_usage = CgroupOf(files_, "cpuacct");
  const auto unified = CgroupOf(files_, "");
  v2_ = !v1_quota && unified;
  if (v2_ || v1_quota) groups_ = Upwards(v2_ ? *unified : *v1_quota);
  const auto& usage = v2_ ? unified : v1_usage;
  if (!usage || !IsAlone(files_, usage->group, pid_)) return;
  const std::string file = usage->group + (v2_ ? "/cpu.stat" : "/cpuacct.usage");
  if (files_.read(file)) usage_ = file;
}

CpuUse CpuUseReader::Read() {
  CpuUse use;
  most_ = std::max(most_, usage_.empty() ? OfProcesses() : OfCgroup());
  use.cpu = most_;
  const Quota quota = ReadQuota();
  use.quota = quota.cores;
  use.throttled = quota.throttled;
  return use;
}

Duration CpuUseReader::OfCgroup() const {
  const std::string text = files_.read(usage_).value_or("");
  return (v2_ ? TimeIn(ValueIn(text, "usage_usec"), 1000) : TimeIn(Line(text), 1))
      .value_or(Duration(0));
}

Duration CpuUseReader::OfProcesses() const {
  Duration sum = TimesOf(files_, pid_).value_or(ProcessTimes{}).cpu;
  std::multimap<int, std::pair<int, Duration>> children;
  for (const int id : files_.processes()) {
    if (const auto times = TimesOf(files_, id)) children.insert({times->parent, {id, times->cpu}});
  }
  std::set<int> seen = {pid_};  // ids may be given again while we look
  for (std::vector<int> parents = {pid_}; !parents.empty();) {
    const auto [begin, end] = children.equal_range(parents.back());
    parents.pop_back();
    for (auto child = begin; child != end; ++child) {
      if (!seen.insert(child->second.first).second) continue;
      sum += child->second.second;
      parents.push_back(child->second.first);
    }
  }
  return sum;
}

CpuUseReader::Quota CpuUseReader::ReadQuota() const {
  for (const std::string& group : groups_) {
    const std::optional<double> cores = QuotaOf(files_, group, v2_);
    if (!cores) continue;
    const std::string stat = files_.read(group + "/cpu.stat").value_or("");
    return {cores, v2_ ? TimeIn(ValueIn(stat, "throttled_usec"), 1000)
                       : TimeIn(ValueIn(stat, "throttled_time"), 1)};
  }
  return {};
}

}  // namespace twofold::process
