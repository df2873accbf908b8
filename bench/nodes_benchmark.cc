// How many changes of pods a second one core carries out with 3500 simulated nodes: a child process
// simulates, this one is the API server (the fake of the tests), so the child's CPU time is that of
// the simulation alone.
//
//   nodes_benchmark [NODES [PODS_A_SECOND [SECONDS]]]

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <string>
#include <thread>

#include "kubernetes/api/connection.h"
#include "kubernetes/nodes/model/names.h"
#include "kubernetes/nodes/report.h"
#include "kubernetes/nodes/simulation.h"
#include "lib/common/instant.h"
#include "tests/fakes/kube_api.h"

namespace twofold {
namespace {

using kube::Json;

struct Load {
  std::uint32_t nodes = 3500;
  int pods_a_second = 250;  // each starts and ends: two changes
  int seconds = 20;
};

Duration CpuTime() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

void AwaitUp(nodes::Simulation& simulation, std::uint32_t nodes) {
  while (simulation.counts().fleet.up < nodes) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

// One line from a pipe, or what came until its end.
std::string ReadLine(int from) {
  std::string line;
  for (char c = 0; read(from, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

void WriteLine(int to, const std::string& text) {
  const std::string line = text + "\n";
  if (write(to, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(1);
}

int Simulate(const Load& load, int from, int to) {
  kube::Config config;
  config.cluster.server = ReadLine(from);
  nodes::SimulationPlan settings;
  settings.nodes.count = load.nodes;
  settings.habits.start = *Distribution::Parse("exp:1s");
  settings.habits.run = *Distribution::Parse("exp:2s");
  nodes::Simulation simulation(kube::Open(config), settings, {}, /*connections=*/4);
  const Instant begun = Now();
  AwaitUp(simulation, load.nodes);
  std::cout << absl::StrFormat("%d nodes up after %.1f s, CPU %.1f s\n", load.nodes,
                               ToSeconds(Now() - begun), ToSeconds(CpuTime()));
  const nodes::SimulationCounts before = simulation.counts();
  const Duration cpu = CpuTime();
  const Instant start = Now();
  WriteLine(to, "up");
  ReadLine(from);  // the load has ended
  const nodes::SimulationCounts after = simulation.counts();
  const double busy = ToSeconds(CpuTime() - cpu);
  const double changes =
      static_cast<double>(after.lanes[1].lateness.Count() - before.lanes[1].lateness.Count());
  std::cout << nodes::ProgressLine(after, before, Now() - start) << "\n"
            << absl::StrFormat(
                   "CPU %.2f s in %.1f s: %.0f changes of pods a CPU second, renewals of %d "
                   "nodes included\n",
                   busy, ToSeconds(Now() - start), changes / busy, load.nodes);
  return 0;
}

Json PodOn(const std::string& node, const std::string& name) {
  return {{"metadata", {{"name", name}, {"namespace", "default"}}},
          {"spec",
           {{"nodeName", node},
            {"restartPolicy", "Never"},
            {"tolerations", Json::array({Json{{"key", nodes::kTaintKey}, {"operator", "Exists"}}})},
            {"containers", Json::array({Json{{"name", "main"}, {"image", "busybox"}}})}}},
          {"status", {{"phase", "Pending"}}}};
}

void Serve(const Load& load, int from, int to) {
  fakes::KubeApi api;
  WriteLine(to, api.url());
  if (ReadLine(from) != "up") return;
  const Instant start = Now();
  for (int i = 0; i < load.pods_a_second * load.seconds; ++i) {
    std::this_thread::sleep_until(start + std::chrono::seconds(i) / load.pods_a_second);
    const auto node = static_cast<std::uint32_t>(i) % load.nodes;
    api.Put(kube::kPods, PodOn(absl::StrCat("sim-", node), absl::StrCat("p", i)));
  }
  WriteLine(to, "end");
  ReadLine(from);
}

int Run(int argc, const char* const* argv) {
  Load load;
  const bool is_read = (argc < 2 || absl::SimpleAtoi(argv[1], &load.nodes)) &&
                       (argc < 3 || absl::SimpleAtoi(argv[2], &load.pods_a_second)) &&
                       (argc < 4 || absl::SimpleAtoi(argv[3], &load.seconds));
  if (!is_read || load.nodes == 0 || load.pods_a_second <= 0 || load.seconds <= 0) {
    std::cerr << "nodes_benchmark [NODES [PODS_A_SECOND [SECONDS]]]\n";
    return 2;
  }
  int down[2];
  int up[2];
  if (pipe(down) != 0 || pipe(up) != 0) return 1;
  const pid_t child = fork();  // before there are threads
  if (child == 0) {
    close(down[1]);
    close(up[0]);
    return Simulate(load, down[0], up[1]);
  }
  close(down[0]);
  close(up[1]);
  Serve(load, up[0], down[1]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace
}  // namespace twofold

int main(int argc, char** argv) { return twofold::Run(argc, argv); }
