#include "client/options.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "lib/common/arguments.h"
#include "lib/common/options.h"
#include "lib/rpc/limits.h"

namespace twofold::client {
namespace {

constexpr const char* kFooter = R"(Examples:
  16 jobs of 0.1 s always outstanding, then half as many:
    twofold-client --queue sleep --parallel 16 -- 0.1
    curl 'localhost:9996/parallel?value=8&type=plain'
  Idle until asked, reachable from everywhere, jobs of at most a minute:
    twofold-client --frontend frontend:9997 --queue media --limit 60 --http-address :9996

Exit codes: 0 stopped by SIGTERM or SIGINT, 2 the command line or an address or file cannot be used.)";

void BindJob(CLI::App& app, Options& options) {
  app.add_option("--limit", options.limit_seconds, "Longest run time of a job; 0 = none")
      ->check(Seconds())
      ->capture_default_str();
  app.add_option("--priority", options.priority, "-10..10, higher first")
      ->check(WholeNumber(-10, 10))
      ->capture_default_str();
  app.add_option("--attempts", options.attempts, "Tries of a job when workers vanish")
      ->check(WholeNumber(1, 1000))
      ->capture_default_str();
  app.add_option("arguments", options.arguments, "Arguments of every job")->option_text("JOB ARGS");
}

void BindLoad(CLI::App& app, Options& options) {
  app.add_option("--parallel", options.parallel, "Jobs kept outstanding at the start")
      ->check(WholeNumber(0, 10'000'000))
      ->capture_default_str();
  app.add_option("--parallel-max", options.parallel_max, "Most jobs to keep outstanding")
      ->check(WholeNumber(1, 10'000'000))
      ->capture_default_str();
}

Status BadOption(std::string_view name, const std::string& message) {
  return absl::InvalidArgumentError(absl::StrCat(std::string(name), ": ", message));
}

Status CheckFrontend(const std::string& frontend) {
  const Result<HostPort> address = ParseAddress(frontend);
  if (!address.ok()) return BadOption("--frontend", std::string(address.status().message()));
  if (!address->host.empty() && address->port != 0) return absl::OkStatus();
  return BadOption("--frontend", absl::StrCat("'", frontend, "' must name a host and a port"));
}

Status CheckArguments(const std::vector<std::string>& arguments) {
  const std::size_t bytes = EncodeArguments(arguments).size();
  if (bytes <= rpc::kMaxSpecBytes) return absl::OkStatus();
  return BadOption("JOB ARGS", absl::StrCat("they have ", bytes, " bytes; at most ",
                                            rpc::kMaxSpecBytes, " are allowed"));
}

}  // namespace

void Bind(CLI::App& app, Options& options) {
  app.footer(kFooter);
  app.add_option("--frontend", options.frontend, "Where the frontend serves clients, host:port")
      ->capture_default_str();
  app.add_option("--queue", options.queue, "Queue of the jobs")->required()->check(QueueName());
  BindLoad(app, options);
  BindJob(app, options);
  app.add_option("--http-address", options.http_address,
                 "Where to serve control and pages; :PORT = all interfaces, port 0 = any free one")
      ->capture_default_str();
  app.add_option("--ready-file", options.ready_file,
                 "Write {\"pid\", \"http\"} there once serving");
  security::Declare(app, options.security);
  security::Declare(app, options.http_security, "http-");
  app.add_flag("--check-config", options.check_config, "Only check the command line, then exit");
  app.add_flag("--verbose", options.verbose, "Log more");
}

Status Check(Options& options) {
  if (Status status = CheckFrontend(options.frontend); !status.ok()) return status;
  Result<HostPort> http = ParseAddress(options.http_address);
  if (!http.ok()) return BadOption("--http-address", std::string(http.status().message()));
  options.http = *std::move(http);
  if (options.parallel > options.parallel_max) {
    return BadOption("--parallel", absl::StrCat(options.parallel, " is more than --parallel-max ",
                                                options.parallel_max));
  }
  return CheckArguments(options.arguments);
}

JobTemplate MakeJob(const Options& options) {
  JobTemplate job;
  job.options.set_queue(options.queue);
  job.options.set_limit_ns(static_cast<std::uint64_t>(FromSeconds(options.limit_seconds).count()));
  job.options.set_priority(options.priority);
  job.options.set_max_attempts(options.attempts);
  job.spec = EncodeArguments(options.arguments);
  return job;
}

}  // namespace twofold::client
