#include "frontend/program.h"

#include <absl/synchronization/mutex.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>

#include "frontend/end_limit.h"
#include "frontend/frontend.h"
#include "frontend/options.h"
#include "lib/common/descriptors.h"
#include "lib/common/options.h"
#include "lib/common/program.h"

namespace twofold::frontend {
namespace {

// After the running jobs. A working disk needs a second or two, a failing one is tried for five;
// Kubernetes kills ten seconds after --stop-grace (deployments/frontend).
constexpr auto kEndLimit = std::chrono::seconds(8);

/// Until running jobs have ended, their time is over, or another signal comes.
void FinishJobs(Frontend& frontend, ShutdownSignals& signals, Duration grace) {
  std::thread second([&] {
    if (signals.Wait() != 0) frontend.Hurry();
  });
  frontend.Finish(grace);
  ShutdownSignals::Wake();
  second.join();
}

}  // namespace

int Main(int argc, char** argv) {
  CLI::App app{"", "twofold-frontend"};
  Options options;
  Declare(app, options);
  if (const auto code = ParseCommandLine(app, argc, argv)) return *code;
  if (options.check_config) {
    const Status usable = Frontend::Check(options);
    return usable.ok() ? 0 : UsageError(app, std::string(usable.message()));
  }

  RaiseDescriptorLimit();
  InitLogging(options.verbose);
  // Our one line says what is wrong; gRPC's own lines would only surround it.
  if (!options.verbose) setenv("GRPC_VERBOSITY", "NONE", 0);
  // Debian's abseil looks for deadlocks at every lock that gRPC takes.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  ShutdownSignals signals;
  auto frontend = Frontend::Start(options);
  if (!frontend.ok()) return UsageError(app, std::string(frontend.status().message()));
  spdlog::info("serving clients on {}, workers on {}, http on {}", (*frontend)->client_address(),
               (*frontend)->worker_address(), (*frontend)->http_address());
  const std::string scaler = (*frontend)->scaler_address();
  if (!scaler.empty()) spdlog::info("serving autoscalers on {}", scaler);
  const std::string metrics_api = (*frontend)->metrics_api_address();
  if (!metrics_api.empty()) spdlog::info("serving metrics to the API server on {}", metrics_api);
  if (!options.ready_file.empty()) {
    std::map<std::string, std::string> addresses = {{"client", (*frontend)->client_address()},
                                                    {"worker", (*frontend)->worker_address()},
                                                    {"http", (*frontend)->http_address()}};
    if (!scaler.empty()) addresses["scaler"] = scaler;
    if (!metrics_api.empty()) addresses["metrics_api"] = metrics_api;
    const Status written = WriteReadyFile(options.ready_file, addresses);
    if (!written.ok()) return UsageError(app, std::string(written.message()));
  }
  spdlog::info("signal {}, stopping", signals.Wait());
  FinishJobs(**frontend, signals, FromSeconds(options.stop_grace));
  const std::jthread limit = EndLimit(kEndLimit, [] {
    spdlog::error("something still waits for the disk, ending without it");
    std::_Exit(0);
  });
  frontend->reset();
  return 0;
}

}  // namespace twofold::frontend
