#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>

#include "backend/agent/agent.h"
#include "backend/agent/health.h"
#include "backend/agent/make_workload.h"
#include "backend/agent/options.h"
#include "backend/agent/standalone.h"
#include "backend/peers/peers.h"
#include "backend/peers/security.h"
#include "lib/common/address.h"
#include "lib/common/descriptors.h"
#include "lib/common/logging.h"
#include "lib/common/signals.h"
#include "lib/process/environment.h"
#include "lib/process/find_program.h"
#include "lib/process/reaper.h"
#include "lib/security/client.h"

namespace twofold::backend {
namespace {

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

// Null: this worker serves no others.
Result<std::unique_ptr<Peers>> StartPeers(boost::asio::io_context& io, const Options& options,
                                          const std::string& address, PeersSecurity security) {
  if (address.empty() || options.once || options.check_config) return nullptr;
  if (security.server.tls == nullptr && !options.security.ca.empty()) {
    spdlog::warn("--peers-address: plain text, for there is no --tls-cert to show");
  }
  // Where mpirun looks for twofold-rsh.
  process::AppendToPath(process::OwnFolder());
  const char* const temporary = std::getenv("TMPDIR");
  auto peers = Peers::Start(io, {.address = address,
                                 .security = std::move(security),
                                 .programs = process::OwnFolder(),
                                 .folder = temporary == nullptr ? "/tmp" : temporary});
  if (!peers.ok()) {
    return Status(peers.status().code(),
                  absl::StrCat("--peers-address: ", std::string(peers.status().message())));
  }
  spdlog::info("programs of other members of gangs at port {}", (*peers)->port());
  return peers;
}

int Main(int argc, char** argv) {
  ShutdownSignals signals;
  Options options;
  if (const auto code = ParseOptions(argc, argv, options)) return *code;
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
  const auto peers =
      StartPeers(io, options, configuration->peers_address, *std::move(peers_security));
  if (!peers.ok()) return Complain(peers.status());
  if (*peers) configuration->agent.peers_port = (*peers)->port();
  process::Reaper reaper(io);
  const auto workload = MakeWorkload({io, reaper, peers->get()}, configuration->workload);
  if (!workload.ok()) return Complain(workload.status());
  if (options.check_config) return 0;
  if (options.once) {
    Standalone once(io, **workload, configuration->agent.limit, configuration->agent.device,
                    std::cout);
    return RunToTheEnd(io, signals, once);
  }
  Agent agent(io, configuration->agent, **workload);
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

}  // namespace
}  // namespace twofold::backend

int main(int argc, char** argv) { return twofold::backend::Main(argc, argv); }
