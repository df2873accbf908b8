// What holds a validation back, provoked for real: from the workers' own numbers to the sentence.

#include <gmock/gmock.h>

#include <atomic>
#include <map>
#include <sstream>
#include <thread>

#include "lib/process/cpu_use.h"
#include "tests/backend/agent/agent_fixture.h"
#include "tests/integration/cluster_fixture.h"

namespace twofold::testing {
namespace {

using ::testing::HasSubstr;

class ExplanationTest : public ClusterTest {
 protected:
  /// What workers have used so far, as validate-scaling.sh reads it.
  struct Used {
    double cpu = 0;
    double throttled = 0;
    double reported = 0;
  };
  Used UsedSoFar() {
    const auto time_of = [this](const std::string& what) {
      return Series("twofold_worker_" + what + "_seconds_total{queue=\"sleep\"}");
    };
    return {time_of("cpu"), time_of("throttled"), time_of("reported")};
  }

  static std::map<std::string, std::string> Facts(const std::string& plain) {
    std::map<std::string, std::string> facts;
    std::istringstream lines(plain);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t blank = line.find(' ');
      facts.try_emplace(line.substr(0, blank), line.substr(std::min(blank + 1, line.size())));
    }
    return facts;
  }

  /// Measures a step until its workers have said twice what they use; returns its evidence.
  std::string Measure(const Client& client, int workers) {
    AwaitProcesses(workers);
    SetParallel(client, workers);
    const auto window = [&] { return nlohmann::json::parse(Get(client.url + "/window")); };
    Get(client.url + "/reset");
    const double before_warm_up = UsedSoFar().reported;
    EXPECT_TRUE(Await([&] { return UsedSoFar().reported > before_warm_up + 0.5 * workers; }));
    Get(client.url + "/reset");
    const Used before = UsedSoFar();
    EXPECT_TRUE(Await([&] {
      return UsedSoFar().reported > before.reported + 2.5 * workers && window()["jobs"] >= 60;
    }));
    const Used now = UsedSoFar();
    auto facts = Facts(
        Get(client.url + "/look?type=plain&scale=1.8&cap=60&workers=" + std::to_string(workers)));
    const double reported = now.reported - before.reported;
    std::ostringstream text;
    text << (now.cpu - before.cpu) / reported * workers << ':'
         << std::min(1.0, (now.throttled - before.throttled) / reported)
         << facts["evidence"].substr(3);  // without "-:-"
    return text.str();
  }

  static std::map<std::string, std::string> Why(const Client& client, const std::string& evidence) {
    auto facts = Facts(Get(client.url + "/why?type=plain&evidence=" + evidence));
    std::cout << facts["why"] << '\n';
    return facts;
  }
};

// All run on the same core: more workers do the same work. They go before what else this machine
// does, where that is allowed; where it is not and a worker gets less than half of the core, the
// rule cannot say more than that they wait.
TEST_F(ExplanationTest, WorkersThatShareACoreContendForIt) {
  StartFrontend();
  const Client client = StartClient();
  const bool first = Program("/usr/bin/chrt", {"-r", "1", "/bin/true"}).Wait() == 0;
  std::vector<std::unique_ptr<Program>> workers;
  const auto add = [&] {
    workers.push_back(std::make_unique<Program>(
        "/usr/bin/chrt",
        Arguments{first ? "-r" : "-o", first ? "1" : "0", "/usr/bin/taskset", "-c", "0",
                  TWOFOLD_BIN "/twofold-backend", "--frontend", worker_address_, "--queue", "sleep",
                  "--backoff", "0.1", "--", "/bin/sh", "-c",
                  "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done"}));
  };
  add();
  std::string evidence = Measure(client, 1);
  if (std::stod(evidence) < 0.6) {
    GTEST_SKIP() << "a worker gets only " << std::stod(evidence) << " of a core here";
  }
  while (workers.size() < 4) add();
  evidence += "," + Measure(client, 4);
  auto why = Why(client, evidence);
  EXPECT_EQ(why["cause"], "cpu") << evidence;
  EXPECT_THAT(why["why"], HasSubstr("workers contend for CPU")) << evidence;
}

/// The files of a container whose quota holds it up for three quarters of the time.
class ThrottledContainer {
 public:
  process::CpuUse Read() { return reader_.Read(); }

 private:
  [[nodiscard]] std::optional<std::string> File(const std::string& path) const {
    const std::chrono::duration<double, std::micro> age = Now() - start_;
    const auto share = [&](double of) {
      return std::to_string(static_cast<long>(of * age.count()));
    };
    if (path == "/proc/self/cgroup") return "0::/\n";
    if (path == "/sys/fs/cgroup/cgroup.procs") return "1\n";
    if (path == "/sys/fs/cgroup/cpu.max") return "25000 100000\n";
    if (path != "/sys/fs/cgroup/cpu.stat") return std::nullopt;
    return "usage_usec " + share(0.25) + "\nnr_periods 10\nthrottled_usec " + share(0.75) + "\n";
  }

  const Instant start_ = Now();
  process::CpuUseReader reader_{{.read = [this](const std::string& path) { return File(path); },
                                 .processes = [] { return std::vector<int>(); }},
                                1};
};

TEST_F(ExplanationTest, WorkersWithAQuotaAreHeldUp) {
  StartFrontend();
  const Client client = StartClient();
  std::vector<std::unique_ptr<backend::RunningAgent>> agents;
  const auto add = [&](Duration run_time, bool throttled) {
    backend::AgentOptions options;
    options.link.address = worker_address_;
    options.node = options.pod = "pod-" + std::to_string(agents.size());
    options.process_key = agents.size() + 1;
    options.leave_when_empty = false;
    options.cpu_use = [container = std::make_shared<ThrottledContainer>(), throttled] {
      return throttled ? container->Read() : process::CpuUse();
    };
    agents.push_back(std::make_unique<backend::RunningAgent>(options, run_time));
  };
  add(std::chrono::milliseconds(50), false);
  std::string evidence = Measure(client, 1);
  SetParallel(client, 0);
  agents.clear();
  AwaitProcesses(0);
  for (int i = 0; i < 2; ++i) add(std::chrono::milliseconds(200), true);
  evidence += "," + Measure(client, 2);
  auto why = Why(client, evidence);
  EXPECT_EQ(why["cause"], "throttled") << evidence;
  EXPECT_THAT(why["why"], HasSubstr("raise their CPU limit")) << evidence;
  SetParallel(client, 0);
}

}  // namespace
}  // namespace twofold::testing
