#include "lib/process/cpu_use.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <string>
#include <vector>

namespace twofold::process {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Files by path, to be changed while a reader reads them.
using Texts = std::map<std::string, std::string>;

class Host {
 public:
  explicit Host(Texts files) : texts(std::move(files)) {}

  HostFiles Files() {
    return {.read = [this](const std::string& path) -> std::optional<std::string> {
              const auto found = texts.find(path);
              return found == texts.end() ? std::nullopt : std::optional(found->second);
            },
            .processes = [this] { return processes; }};
  }
  CpuUse Read(int pid = 7) { return CpuUseReader(Files(), pid).Read(); }

  Texts texts;
  std::vector<int> processes;
};

// As in a container of Kubernetes 1.36 with a CPU limit of 500m, on cgroup v2.
Texts ContainerV2() {
  return {{"/proc/self/cgroup", "0::/\n"},
          {"/sys/fs/cgroup/cgroup.procs", "1\n7\n"},
          {"/sys/fs/cgroup/cpu.max", "50000 100000\n"},
          {"/sys/fs/cgroup/cpu.stat",
           "usage_usec 12345678\nuser_usec 10000000\nsystem_usec 2345678\n"
           "core_sched.force_idle_usec 0\nnr_periods 400\nnr_throttled 160\n"
           "throttled_usec 4000000\nnr_bursts 0\nburst_usec 0\n"}};
}

std::string Stat(int pid, int parent, int user, int system, int waited = 0) {
  return std::to_string(pid) + " (a (b) c) S " + std::to_string(parent) +
         " 7 7 0 -1 4194560 1 2 3 4 " + std::to_string(user) + " " + std::to_string(system) + " " +
         std::to_string(waited) + " 0 20 0 1 0 5 0 0\n";
}

TEST(CpuUse, OfAContainerIsThatOfItsCgroup) {
  const CpuUse use = Host(ContainerV2()).Read();
  EXPECT_EQ(use.cpu, microseconds(12345678));
  EXPECT_EQ(use.throttled, seconds(4));
  EXPECT_EQ(use.quota, 0.5);
}

TEST(CpuUse, WithoutAQuotaNothingIsSaidOfThrottling) {
  Texts files = ContainerV2();
  files["/sys/fs/cgroup/cpu.max"] = "max 100000\n";
  const CpuUse use = Host(files).Read();
  EXPECT_FALSE(use.throttled.has_value());
  EXPECT_FALSE(use.quota.has_value());
  EXPECT_EQ(use.cpu, microseconds(12345678));
}

TEST(CpuUse, OfAContainerOnCgroupV1) {
  Host host({{"/proc/self/cgroup",
              "5:memory:/kubepods/pod1/abc\n4:cpu,cpuacct:/kubepods/pod1/abc\n0::/\n"},
             // The container sees its own folder as the root.
             {"/sys/fs/cgroup/cpu,cpuacct/cgroup.procs", "7\n"},
             {"/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage", "2500000000\n"},
             {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n"},
             {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"},
             {"/sys/fs/cgroup/cpu,cpuacct/cpu.stat",
              "nr_periods 9\nnr_throttled 2\nthrottled_time 30000000\n"}});
  const CpuUse use = host.Read();
  EXPECT_EQ(use.cpu, milliseconds(2500));
  EXPECT_EQ(use.throttled, milliseconds(30));
  EXPECT_EQ(use.quota, 2.0);
  host.texts["/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us"] = "-1\n";
  EXPECT_FALSE(host.Read().quota.has_value());
}

TEST(CpuUse, InAContainerThatSeesThePathsOfItsHostTheMountIsItsOwnCgroup) {
  Texts files = ContainerV2();
  files["/proc/self/cgroup"] = "0::/../../kubepods/pod1\n";
  EXPECT_EQ(Host(files).Read().throttled, seconds(4));
}

TEST(CpuUse, FindsAHierarchyOfVersion1ThatIsMountedByAnotherNameThanItIsListed) {
  Host host({{"/proc/self/cgroup", "3:cpuacct,cpu:/\n"},
             {"/sys/fs/cgroup/cpu/cgroup.procs", "7\n"},
             {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n"},
             {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"},
             {"/sys/fs/cgroup/cpu/cpu.stat", "nr_throttled 1\nthrottled_time 20000000\n"},
             {"/sys/fs/cgroup/cpuacct/cgroup.procs", "7\n"},
             {"/sys/fs/cgroup/cpuacct/cpuacct.usage", "1500000000\n"}});
  const CpuUse use = host.Read();
  EXPECT_EQ(use.quota, 0.5);
  EXPECT_EQ(use.throttled, milliseconds(20));
  EXPECT_EQ(use.cpu, milliseconds(1500));
}

TEST(CpuUse, ThrottledTimeAloneLooksAtNoProcess) {
  Host host(ContainerV2());
  HostFiles files = host.Files();
  files.processes = []() -> std::vector<int> {
    ADD_FAILURE() << "it looks for processes";
    return {};
  };
  host.texts["/sys/fs/cgroup/cgroup.procs"] = "1\n7\n8\n";  // else there would be no need to
  const CpuUseReader reader(files, 7);
  EXPECT_EQ(reader.Throttled(), seconds(4));
  host.texts["/sys/fs/cgroup/cpu.stat"] = "nr_throttled 161\nthrottled_usec 4100000\n";
  EXPECT_EQ(reader.Throttled(), milliseconds(4100));
  host.texts["/sys/fs/cgroup/cpu.max"] = "max 100000\n";
  EXPECT_FALSE(reader.Throttled().has_value());
}

TEST(CpuUse, OfASharedCgroupIsThatOfTheProcessAndItsDescendants) {
  Texts files = ContainerV2();
  files["/sys/fs/cgroup/cgroup.procs"] = "1\n7\n8\n";
  const int tick = 1000 / static_cast<int>(sysconf(_SC_CLK_TCK));
  files["/proc/7/stat"] = Stat(7, 1, 1, 2, 3);
  files["/proc/8/stat"] = Stat(8, 7, 10, 0);
  files["/proc/9/stat"] = Stat(9, 8, 100, 0);
  files["/proc/6/stat"] = Stat(6, 1, 100000, 0);  // somebody else's
  Host host(files);
  host.processes = {1, 6, 7, 8, 9, 10};
  const CpuUse use = host.Read();
  EXPECT_EQ(use.cpu, milliseconds(116 * tick));
  EXPECT_EQ(use.quota, 0.5);  // holds for all that share it
}

TEST(CpuUse, TheNearestQuotaAboveHolds) {
  Host host({{"/proc/self/cgroup", "0::/system.slice/twofold.service\n"},
             {"/sys/fs/cgroup/system.slice/twofold.service/cgroup.procs", "7\n"},
             {"/sys/fs/cgroup/system.slice/twofold.service/cpu.stat", "usage_usec 5\n"},
             {"/sys/fs/cgroup/system.slice/twofold.service/cpu.max", "max 100000\n"},
             {"/sys/fs/cgroup/system.slice/cpu.max", "300000 100000\n"},
             {"/sys/fs/cgroup/system.slice/cpu.stat", "usage_usec 9\nthrottled_usec 8\n"}});
  const CpuUse use = host.Read();
  EXPECT_EQ(use.cpu, microseconds(5));
  EXPECT_EQ(use.quota, 3.0);
  EXPECT_EQ(use.throttled, microseconds(8));
}

TEST(CpuUse, NeverGoesDownWhenAProgramEndsUnseen) {
  Host host({{"/proc/7/stat", Stat(7, 1, 1, 0)}, {"/proc/8/stat", Stat(8, 7, 50, 0)}});
  host.processes = {7, 8};
  CpuUseReader reader(host.Files(), 7);
  const Duration before = reader.Read().cpu;
  host.texts.erase("/proc/8/stat");
  EXPECT_EQ(reader.Read().cpu, before);
}

TEST(CpuUse, FilesThatAreMissingOrNonsenseAreNoMistake) {
  EXPECT_EQ(Host({}).Read().cpu, Duration(0));
  for (const char* const nonsense : {"", "-1", "max", "\n\n", "1 2 3", "usage_usec x\n",
                                     "99999999999999999999 1", "0 0", ":::", "7 (x"}) {
    Texts files = ContainerV2();
    files["/proc/7/stat"] = nonsense;
    for (auto& [path, text] : files) {
      Texts broken = files;
      broken[path] = nonsense;
      Host host(broken);
      host.processes = {7};
      EXPECT_GE(host.Read().cpu, Duration(0)) << path << ": " << nonsense;
    }
  }
}

TEST(CpuUse, OfThisProcessGrowsWithItsChildren) {
  CpuUseReader reader(RealHostFiles(), getpid());
  const CpuUse before = reader.Read();
  const pid_t child = fork();
  if (child == 0) {
    for (volatile bool forever = true; forever;) {
    }
  }
  CpuUse now = before;
  for (int tries = 0; tries < 2000 && now.cpu < before.cpu + milliseconds(100); ++tries) {
    usleep(10'000);
    now = reader.Read();
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_GE(now.cpu, before.cpu + milliseconds(100));
  EXPECT_GE(reader.Read().cpu, now.cpu);
}

}  // namespace
}  // namespace twofold::process
