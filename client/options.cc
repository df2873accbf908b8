#include "client/options.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/common/arguments.h"
#include "lib/common/contacts.h"
#include "lib/common/file.h"
#include "lib/common/options.h"
#include "lib/rpc/limits.h"

namespace twofold::client {
namespace {

constexpr const char* kFooter = R"(Examples:
  16 jobs of 0.1 s always outstanding, then half as many:
    twofold-client --queue sleep --parallel 16 -- 0.1
    curl 'localhost:9996/parallel?value=8&type=plain'
  1000 jobs a second, whatever their answers take:
    twofold-client --queue sleep --rate 1000 --arrivals poisson -- 0.01
  Idle until asked, reachable from everywhere, jobs of at most a minute:
    twofold-client --frontend frontend:9997 --queue media --limit 60 --http-address :9996

Exit codes: 0 stopped by SIGTERM or SIGINT, 2 the command line or an address or file cannot be used.)";

}  // namespace

void Bind(CLI::App& app, Options& options) {
  app.footer(kFooter);
  AddOption(app, "--frontend", options.frontend, Contacts(),
            "Where the frontend serves clients; or several that share their queues, as IPv4 "
            "addresses with commas between them");
  app.add_option("--queue", options.queue, "Queue of the jobs")->required()->check(QueueName());
  AddOption(app, "--parallel", options.parallel, WholeNumber(0, 10'000'000),
            "Jobs kept outstanding at the start");
  AddOption(app, "--parallel-max", options.parallel_max, WholeNumber(1, 10'000'000),
            "Most jobs to keep outstanding");
  app.add_option("--rate", options.rate, "Jobs a second that are due at the start: an open loop")
      ->check(CLI::Range(0.0, load::kMostRate));
  AddOption(app, "--arrivals", options.arrivals, CLI::IsMember({"constant", "poisson"}),
            "How jobs of a rate lie in time");
  app.add_option("--profile", options.profile,
                 "File of the load: stages with a parallelism or a rate, bursts, ramps, traces");
  app.add_option("--seed", options.seed, "Of all that is random; 0 = that of the profile, else 1");
  AddOption(app, "--outstanding-max", options.outstanding_max, WholeNumber(1, 10'000'000),
            "Jobs outstanding at which due jobs of an open loop wait");
  AddOption(app, "--limit", options.limit_seconds, Seconds(),
            "Longest run time of a job; 0 = none");
  AddOption(app, "--priority", options.priority, WholeNumber(-10, 10), "-10..10, higher first");
  AddOption(app, "--attempts", options.attempts, WholeNumber(1, 1000),
            "Tries of a job when workers vanish");
  AddWords(app, "arguments", options.arguments, "Arguments of every job")->option_text("JOB ARGS");
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
  const int loads = (options.parallel > 0 ? 1 : 0) + (options.rate >= 0 ? 1 : 0) +
                    (options.profile.empty() ? 0 : 1);
  if (loads > 1) {
    return absl::InvalidArgumentError("--parallel, --rate and --profile: give one of them");
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

load::Arrivals ArrivalsOf(const Options& options) {
  return options.arrivals == "poisson" ? load::Arrivals::kPoisson : load::Arrivals::kConstant;
}

Status CheckParallelism(const load::Profile& profile, std::uint32_t most) {
  for (const load::Stage& stage : profile.stages) {
    const double parallel = std::max(stage.from, stage.to);
    if (stage.kind != load::Stage::Kind::kParallel || parallel <= most) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("stages: '", stage.name, "' is more than --parallel-max ", most));
  }
  return absl::OkStatus();
}

Result<std::shared_ptr<const load::Profile>> MakeLoad(const Options& options) {
  if (options.rate >= 0) {
    return std::make_shared<const load::Profile>(load::RateProfile(
        options.rate, ArrivalsOf(options), load::kForever, options.seed == 0 ? 1 : options.seed));
  }
  if (options.profile.empty()) return nullptr;
  const Result<std::string> text =
      ReadFile(options.profile, load::kMostProfileBytes, Readable::kFilesAndPipes);
  if (!text.ok()) {
    return absl::InvalidArgumentError("--profile: " + std::string(text.status().message()));
  }
  const auto seed = options.seed == 0 ? std::nullopt : std::optional(options.seed);
  Result<load::Profile> profile = load::ParseProfile(
      options.profile, *text, MakeJob(options), seed,
      [](const std::string& path) { return ReadFile(path, load::kMostTraceBytes); });
  if (!profile.ok()) return profile.status();
  if (Status status = CheckParallelism(*profile, options.parallel_max); !status.ok()) {
    return absl::InvalidArgumentError("--profile: " + std::string(status.message()));
  }
  return std::make_shared<const load::Profile>(*std::move(profile));
}

}  // namespace twofold::client
