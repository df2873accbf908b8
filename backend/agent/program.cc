#include "backend/agent/program.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backend/agent/agent.h"
#include "backend/agent/health.h"
#include "backend/agent/make_workload.h"
#include "backend/agent/options.h"
#include "backend/agent/runner.h"
#include "backend/benchmark/verdict.h"
#include "backend/peers/peers.h"
#include "backend/workload/loop_on_asio.h"
#include "lib/common/address.h"
#include "lib/common/descriptors.h"
#include "lib/common/program.h"
#include "lib/process/cpu_use.h"
#include "lib/process/environment.h"
#include "lib/process/reaper.h"
#include "lib/security/client.h"
#include "lib/suite/plan.h"
#include "suites/table/table.h"

namespace twofold::backend {
namespace {

struct Ending {
  v1::Outcome outcome;
  const char* word;
  int exit_code;  // as timeout(1) and shells have it
};

constexpr Ending kEndings[] = {
    {v1::OUTCOME_SUCCEEDED, "succeeded", 0},
    {v1::OUTCOME_FAILED, "failed", 1},
    {v1::OUTCOME_TIMED_OUT, "timed out", 124},
    {v1::OUTCOME_CANCELLED, "stopped", 143},
};

const Ending& EndingOf(v1::Outcome outcome) {
  for (const Ending& ending : kEndings) {
    if (ending.outcome == outcome) return ending;
  }
  return kEndings[1];
}

// What a suite has measured, else what the program has printed; ends with a line end.
std::string Shown(const v1::Report& report) {
  v1::BenchmarkResult result;
  if (result.ParseFromString(report.data()) && result.measurements_size() > 0) {
    return Text(result);
  }
  const bool open = !report.output().empty() && report.output().back() != '\n';
  return report.output() + (open ? "\n" : "");
}

// Runs the workload once, without a frontend, and prints how it went; for trying it out. On the
// thread of the io_context.
class Standalone final : private Runner::Listener {
 public:
  Standalone(boost::asio::io_context& io, Workload& workload, const AgentOptions& options)
      : device_(options.device),
        runner_(io, workload, {.slots = 1, .limit = options.limit}, *this) {}

  // `on_exit` gets the exit code.
  void Start(std::function<void(int)> on_exit) {
    on_exit_ = std::move(on_exit);
    runner_.Start({{1, 1}}, Duration::zero());
  }

  void Shutdown() { runner_.StopAll(StopReason::kCancelled); }

 private:
  void OnEnd(AttemptEnd end) override {
    v1::Report report;
    report.ParseFromString(end.report);
    const Ending& ending = EndingOf(end.outcome);
    std::cout << Shown(report) << ending.word << " after " << ToSeconds(end.run_time) << " s";
    if (!device_.empty()) std::cout << " on " << device_;
    if (!report.error().empty()) std::cout << ": " << report.error();
    std::cout << std::endl;
    on_exit_(ending.exit_code);
  }

  const std::string device_;
  Runner runner_;
  std::function<void(int)> on_exit_;
};

// Runs `part` (an Agent or a Standalone) on this thread until it says with which code to exit.
template <typename Part>
int RunToTheEnd(boost::asio::io_context& io, ShutdownSignals& signals, Part& part) {
  const auto work = boost::asio::make_work_guard(io);
  int exit_code = 0;
  std::thread listener([&] {
    while (signals.Wait() != 0) boost::asio::post(io, [&part] { part.Shutdown(); });
  });
  boost::asio::post(io, [&] {
    part.Start([&](int code) {
      exit_code = code;
      io.stop();
    });
  });
  io.run();
  ShutdownSignals::Wake();
  listener.join();
  return exit_code;
}

// Of twofold-keeper: beside us, or where it is installed.
std::string KeeperFolder() {
  std::string own = process::OwnFolder();
  if (process::CheckExecutable(own + "/twofold-keeper").ok()) return own;
  return own + "/../libexec/twofold";
}

// Null: this worker serves no others.
Result<std::unique_ptr<Peers>> StartPeers(boost::asio::io_context& io, rpc::LoopOwner& loop,
                                          const Options& options, const std::string& address,
                                          PeersSecurity security) {
  if (address.empty() || options.once || options.check_config) return nullptr;
  if (security.server.tls == nullptr && !options.security.ca.empty()) {
    spdlog::warn("--peers-address: plain text, for there is no --tls-cert to show");
  }
  // Where mpirun looks for twofold-rsh.
  process::AppendToPath(process::OwnFolder());
  const char* const temporary = std::getenv("TMPDIR");
  auto peers = Peers::Start(io, loop,
                            {.address = address,
                             .security = std::move(security),
                             .programs = KeeperFolder(),
                             .folder = temporary == nullptr ? "/tmp" : temporary});
  if (!peers.ok()) {
    return Status(peers.status().code(),
                  absl::StrCat("--peers-address: ", std::string(peers.status().message())));
  }
  spdlog::info("programs of other members of gangs at port {}", (*peers)->port());
  return peers;
}

// On this machine alone, whatever machines its gang would be on.
int PrintPlan(const std::vector<std::string>& workload) {
  const suite::Suite& suite = *suite::FindSuite(workload.at(0));
  const std::string spec = workload.size() > 1 ? workload[1] : "";
  const Result<std::uint32_t> members = suite.check(spec);
  if (!members.ok()) return Complain(members.status());
  const auto plan =
      suite.plan(spec, {"job-1-1", std::vector<suite::Member>(*members, {"127.0.0.1", "here"})});
  if (!plan.ok()) return Complain(plan.status());
  std::cout << suite::Text(*plan);
  return 0;
}

}  // namespace

int Main(int argc, char** argv) {
  ShutdownSignals signals;
  Options options;
  if (const auto code = ParseOptions(argc, argv, options)) return *code;
  if (options.dry_run) return PrintPlan(options.workload.argv);
  RaiseDescriptorLimit();
  InitLogging(options.verbose);
  // Before --dir: the paths are of where the program was started.
  Result<PeersSecurity> peers_security = PeersSecurity();
  if (!PeersAddress(options).empty()) peers_security = OpenPeersSecurity(options.security);
  if (!peers_security.ok()) return Complain(peers_security.status());
  Result<Configuration> configuration = Prepare(options);
  if (!configuration.ok()) return Complain(configuration.status());
  security::ForgetTokenVariable();  // it is read, and no program of a job shall find it
  process::AllowVariables(options.allow_env);
  boost::asio::io_context io(1);
  LoopOnAsio loop(io);
  const auto peers =
      StartPeers(io, loop, options, configuration->peers_address, *std::move(peers_security));
  if (!peers.ok()) return Complain(peers.status());
  if (*peers) configuration->agent.peers_port = (*peers)->port();
  process::Reaper reaper(io);
  const auto workload = MakeWorkload({io, reaper, peers->get()}, configuration->workload);
  if (!workload.ok()) return Complain(workload.status());
  if (options.check_config) return 0;
  if (options.once) {
    Standalone once(io, **workload, configuration->agent);
    return RunToTheEnd(io, signals, once);
  }
  configuration->agent.cpu_use =
      [reader = std::make_shared<process::CpuUseReader>(process::RealHostFiles(), getpid())] {
        return reader->Read();
      };
  Agent agent(io, loop, configuration->agent, **workload);
  std::unique_ptr<Health> health;
  if (!options.http_address.empty()) {
    auto started = Health::Start(io, *ParseAddress(options.http_address),
                                 [&agent] { return agent.registered(); },
                                 {.tls = configuration->http_security.tls});
    if (!started.ok()) {
      return Complain(
          {started.status().code(), "--http-address: " + std::string(started.status().message())});
    }
    health = *std::move(started);
    spdlog::info("health at port {}", health->port());
  }
  return RunToTheEnd(io, signals, agent);
}

}  // namespace twofold::backend
