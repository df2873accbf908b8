#include "client/program.h"

#include <spdlog/spdlog.h>

#include <memory>
#include <optional>
#include <utility>

#include "client/control.h"
#include "client/options.h"
#include "lib/common/descriptors.h"
#include "lib/common/options.h"
#include "lib/common/program.h"
#include "lib/http/guard.h"
#include "lib/http/server.h"
#include "lib/load/engine/generator.h"
#include "lib/load/engine/session.h"
#include "lib/security/client.h"
#include "lib/security/server.h"

namespace twofold::client {
namespace {

// For the answers that are still missing when the program is told to stop.
constexpr Duration kPatience = std::chrono::seconds(5);

// What a process on this host connects to.
std::string Reachable(const HostPort& address, std::uint16_t port) {
  return ToString({address.host.empty() ? "127.0.0.1" : address.host, port});
}

struct Security {
  security::Client link;
  security::Server http;
};

Result<Security> Open(const Options& options) {
  Result<security::Client> link = security::Client::Open(options.security);
  if (!link.ok()) return link.status();
  Result<security::Server> http = security::Open(options.http_security);
  if (!http.ok()) return http.status();
  return Security{*std::move(link), *std::move(http)};
}

Result<std::unique_ptr<http::Server>> ServeHttp(const Options& options,
                                                const security::Server& security,
                                                load::Generator& generator) {
  const std::string warning = security::Warning(security, options.http_address);
  if (!warning.empty()) spdlog::warn(warning);
  const auto gate = std::make_shared<security::Gate>("http", security.tokens);
  return http::Server::Start(options.http,
                             http::Guard(gate, security.asks_certificate, RolesOfPage,
                                         MakeControl(generator, options.parallel_max, gate,
                                                     {MakeJob(options), ArrivalsOf(options),
                                                      options.seed == 0 ? 1 : options.seed})),
                             {.tls = security.tls});
}

int Serve(const CLI::App& app, const Options& options, const Security& security,
          std::shared_ptr<const load::Profile> load, ShutdownSignals& signals) {
  load::Generator generator(options.queue, options.frontend, Now());
  load::Session session(options.frontend, MakeJob(options), generator, {.security = security.link});
  auto server = ServeHttp(options, security.http, generator);
  if (!server.ok()) {
    return UsageError(app, "--http-address: " + std::string(server.status().message()));
  }
  const std::string http = Reachable(options.http, (*server)->port());
  if (!options.ready_file.empty()) {
    const Status written = WriteReadyFile(options.ready_file, {{"http", http}});
    if (!written.ok()) return UsageError(app, "--ready-file: " + std::string(written.message()));
  }
  const std::string what =
      load ? load->stages.front().name : fmt::format("{} jobs outstanding", options.parallel);
  spdlog::info("queue {}, {}; control at {}://{}/", options.queue, what,
               security.http.tls == nullptr ? "http" : "https", http);
  generator.SetOutstandingMax(options.outstanding_max);
  generator.SetParallelism(options.parallel);
  if (load) {
    const Status set = generator.SetProfile(std::move(load));
    if (!set.ok()) return UsageError(app, "--profile: " + std::string(set.message()));
  }
  generator.Reset();
  session.Start();
  const int signal = signals.Wait();
  spdlog::info("signal {}: waiting up to {} s for {} jobs", signal, ToSeconds(kPatience),
               generator.outstanding());
  session.Stop(kPatience);
  return 0;
}

}  // namespace

int Main(int argc, char** argv) {
  ShutdownSignals signals;
  CLI::App app("Generates the load of one queue and measures it.", "twofold-client");
  Options options;
  Bind(app, options);
  if (const std::optional<int> code = ParseCommandLine(app, argc, argv)) return *code;
  if (Status status = Check(options); !status.ok()) {
    return UsageError(app, std::string(status.message()));
  }
  const Result<Security> security = Open(options);
  if (!security.ok()) return UsageError(app, std::string(security.status().message()));
  Result<std::shared_ptr<const load::Profile>> load = MakeLoad(options);
  if (!load.ok()) return UsageError(app, std::string(load.status().message()));
  if (options.check_config) return 0;
  RaiseDescriptorLimit();
  InitLogging(options.verbose);
  return Serve(app, options, *security, *std::move(load), signals);
}

}  // namespace twofold::client
