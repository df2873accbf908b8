#include <spdlog/spdlog.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <iostream>
#include <memory>
#include <thread>

#include "backend/agent.h"
#include "backend/health.h"
#include "backend/once.h"
#include "backend/options.h"
#include "backend/suites/suites.h"
#include "lib/common/address.h"
#include "lib/common/logging.h"
#include "lib/common/signals.h"

namespace twofold::backend {
namespace {

// Runs `part` (an Agent or a Once) on this thread until it says with which code to exit.
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

int Main(int argc, char** argv) {
  ShutdownSignals signals;
  Options options;
  if (const auto code = ParseOptions(argc, argv, options)) return *code;
  InitLogging(options.verbose);
  const Result<Configuration> configuration = Prepare(options);
  if (!configuration.ok()) return Complain(configuration.status());
  boost::asio::io_context io(1);
  Reaper reaper(io);
  const auto workload = MakeWorkload({io, reaper}, configuration->workload);
  if (!workload.ok()) return Complain(workload.status());
  if (options.check_config) return 0;
  if (options.once) {
    Once once(io, **workload, configuration->agent.limit, configuration->agent.device, std::cout);
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
