#include "client/options.h"

#include <absl/strings/str_cat.h>

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

}  // namespace

void Bind(CLI::App& app, Options& options) {
  app.footer(kFooter);
  AddOption(app, "--frontend", options.frontend, RemoteAddress(),
            "Where the frontend serves clients");
  app.add_option("--queue", options.queue, "Queue of the jobs")->required()->check(QueueName());
  AddOption(app, "--parallel", options.parallel, WholeNumber(0, 10'000'000),
            "Jobs kept outstanding at the start");
  AddOption(app, "--parallel-max", options.parallel_max, WholeNumber(1, 10'000'000),
            "Most jobs to keep outstanding");
  AddOption(app, "--limit", options.limit_seconds, Seconds(),
            "Longest run time of a job; 0 = none");
  AddOption(app, "--priority", options.priority, WholeNumber(-10, 10), "-10..10, higher first");
  AddOption(app, "--attempts", options.attempts, WholeNumber(1, 1000),
            "Tries of a job when workers vanish");
  app.add_option("arguments", options.arguments, "Arguments of every job")->option_text("JOB ARGS");
  AddOption(app, "--http-address", options.http_address, ListenAddress(),
            "Where to serve control and pages; :PORT = all interfaces, port 0 = any free one");
  app.add_option("--ready-file", options.ready_file,
                 "Write {\"pid\", \"http\"} there once serving");
  security::Declare(app, options.security);
  security::Declare(app, options.http_security, "http-");
  app.add_flag("--check-config", options.check_config, "Only check the command line, then exit");
  app.add_flag("--verbose", options.verbose, "Log more");
}

Status Check(Options& options) {
  options.http = *ParseAddress(options.http_address);  // parsing has checked it
  if (options.parallel > options.parallel_max) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--parallel: ", options.parallel, " is more than --parallel-max ", options.parallel_max));
  }
  const std::size_t bytes = EncodeArguments(options.arguments).size();
  if (bytes <= rpc::kMaxSpecBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("JOB ARGS: they have ", bytes, " bytes; at most ",
                                                 rpc::kMaxSpecBytes, " are allowed"));
}

load::JobTemplate MakeJob(const Options& options) {
  load::JobTemplate job;
  job.options.set_queue(options.queue);
  job.options.set_limit_ns(static_cast<std::uint64_t>(FromSeconds(options.limit_seconds).count()));
  job.options.set_priority(options.priority);
  job.options.set_max_attempts(options.attempts);
  job.spec = EncodeArguments(options.arguments);
  return job;
}

}  // namespace twofold::client
