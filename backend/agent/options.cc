#include "backend/agent/options.h"

#include <absl/strings/escaping.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string_view>
#include <utility>

#include "backend/agent/filename.h"
#include "backend/agent/labels.h"
#include "backend/agent/own_address.h"
#include "lib/common/address.h"
#include "lib/common/options.h"
#include "lib/common/printable.h"
#include "lib/process/environment.h"
#include "lib/rpc/limits.h"
#include "suites/table/table.h"

namespace twofold::backend {
namespace {

constexpr char kProgram[] = "twofold-backend";
constexpr char kDescription[] =
    "Runs the jobs of one queue: takes them from the frontend, runs the workload, returns "
    "results.\n"
    "twofold-backend [OPTIONS] -- WORKLOAD [ARGS]";
constexpr char kExamples[] = R"(
Workloads:
  sleep SECONDS            built in: an exact timer, no process
  SUITE [SPEC]             built in: {suites}.
                           A spec is JSON; without one defaults count. See docs/suites.md
  SUITE,SUITE,...          those: a job says which, else the first
  /path/of/program ARGS    that program, in a process group of its own, without a shell
A job's own arguments come after ARGS (for sleep: instead of SECONDS; for a suite: instead of SPEC).

Reconnecting: with --backoff 0 a frontend that is away for 5 seconds ends the program with exit
code 1. With --backoff N it is tried for ever: right after the stream broke, then with pauses that
double from N to --backoff-max, each shortened at random by up to half.

What a program is told: TWOFOLD_JOB, TWOFOLD_ATTEMPT, and TWOFOLD_PROGRESS_FD, a descriptor for lines
like '0.25 frame 100 of 400'. In a gang also TWOFOLD_GANG_RANK, TWOFOLD_GANG_SIZE,
TWOFOLD_GANG_PEERS (addresses by rank), TWOFOLD_GANG_NODES and TWOFOLD_GANG_SECRET. Rank 0 is started
last: when each of the others has written a line to its descriptor TWOFOLD_READY_FD. If they have a
--peers-address, `twofold-rsh HOST COMMAND` in rank 0 runs programs at the others (TWOFOLD_GANG).

SIGTERM: takes no more jobs, finishes those at hand. A second SIGTERM, or --drain-limit: stops them
and hands them back to the queue. Results of durable jobs that the frontend has not kept yet are
waited for, until one more SIGTERM or --drain-limit.

Exit codes: 0 all jobs answered, 1 the frontend refused, was away or did not keep a durable result,
2 wrong options or no workload.
With --once: 0 succeeded, 1 failed, 124 timed out, 143 stopped.

Examples:
  twofold-backend --slots 1000 --backoff 1 -- sleep 0.5
  twofold-backend --queue media --backoff 5 --glob '*.mp4' --null-in -- \
      /usr/bin/ffmpeg -nostdin -i FILENAME -f null -
  twofold-backend --once --limit 10 -- /bin/echo hello
  twofold-backend --once -- fio '{"rw": "randread", "bs": "4k", "size": "100M", "runtime": "5s"}'
)";

CLI::Validator HostAndPort() { return {CheckHostPort, "HOST:PORT", "address"}; }

CLI::Validator PeersAddressOrOff() {
  return {[listen = ListenAddress()](std::string& text) {
            return text == "off" ? std::string() : listen(text);
          },
          "HOST:PORT|off", "peers address"};
}

void AddConnectionOptions(CLI::App& app, Options& options) {
  app.add_option("--frontend", options.frontend, "Worker address of the frontend")
      ->check(HostAndPort())
      ->capture_default_str();
  app.add_option("--queue", options.queue, "Queue to serve")
      ->check(QueueName())
      ->capture_default_str();
  app.add_option("--slots", options.slots, "Jobs at once in this process")
      ->check(WholeNumber(1, 100'000))
      ->capture_default_str();
  app.add_option(
         "--backoff", options.backoff,
         "0: exit when the queue is empty; else stay, and pause this long before reconnecting")
      ->check(Seconds(0, 86'400))
      ->capture_default_str();
  app.add_option("--backoff-max", options.backoff_max,
                 "Longest pause before reconnecting; 0: as --backoff")
      ->check(Seconds(0, 86'400))
      ->capture_default_str();
  app.add_option("--drain-limit", options.drain_limit,
                 "Time to finish after SIGTERM; then jobs are stopped and handed back")
      ->check(Seconds())
      ->capture_default_str();
  app.add_option(
         "--http-address", options.http_address,
         "Serve /healthz and /readyz there; ':PORT' = all interfaces, port 0 = any free one")
      ->check(ListenAddress());
  app.add_option("--node-env", options.node_env,
                 "Environment variable with the node's name (else the host name)");
  app.add_option("--pod-env", options.pod_env,
                 "Environment variable with the pod's name (else the host name)");
  app.add_option("--image-env", options.image_env,
                 "Environment variable with the image's name, for results of suites");
  app.add_option("--address", options.address,
                 "Host name or IP address for the other members of a gang (else the one that "
                 "packets to the frontend come from; if that is not known at the start, the host "
                 "name)");
  app.add_option(
         "--peers-address", options.peers_address,
         "Let rank 0 of a gang run programs here, for which it needs the secret of the "
         "attempt; ':PORT' = all interfaces, port 0 = any free one, 'off' = never (default: "
         "':0' for benchmark suites, 'off' for sleep and programs)")
      ->check(PeersAddressOrOff());
  app.add_option("--label", options.labels,
                 "KEY=VALUE: what this worker is, up to 64 of them; the variable TWOFOLD_LABELS "
                 "has more, separated by commas")
      ->check(CLI::Validator(CheckLabel, "KEY=VALUE", "label"))
      ->allow_extra_args(false);
}

void AddSecurityOptions(CLI::App& app, Options& options) {
  security::Declare(app, options.security);
  security::DeclareCertificate(app, options.http_security, "http-");
}

Status UseSecurity(const Options& options, Configuration& configuration) {
  Result<security::Client> link = security::Client::Open(options.security);
  if (!link.ok()) return link.status();
  configuration.agent.link.security = *std::move(link);
  Result<security::Server> http = security::Open(options.http_security);
  if (!http.ok()) return http.status();
  configuration.http_security = *std::move(http);
  return absl::OkStatus();
}

void AddWorkloadOptions(CLI::App& app, Options& options) {
  app.add_option("--limit", options.limit,
                 "Longest run time of a job; a job's own limit counts if smaller; 0: none")
      ->check(Seconds())
      ->capture_default_str();
  app.add_option("--ready-limit", options.ready_limit,
                 "Longest time for the member of a gang to get ready; a job's limit counts if "
                 "smaller; 0: none")
      ->check(Seconds())
      ->capture_default_str();
  app.add_option("--dir", options.dir, "Working directory, also of --glob");
  app.add_option("--glob", options.glob,
                 "First match replaces FILENAME in arguments; its base name is reported as device");
  app.add_flag("--ignore", options.ignore, "Ignore arguments that come with a job");
  app.add_flag("--null-in", options.null_in, "Programs read from /dev/null");
  app.add_flag("--null-out", options.null_out, "Discard the output of programs");
  app.add_option("--suite-path", options.suite_path,
                 "Folders with programs of suites, separated by ':'; they go before PATH");
  app.add_option(
      "--work-dir", options.work_dir,
      "Where each job of a suite has a folder for its files while it runs (else $TMPDIR, "
      "or /tmp)");
  // What jobs may do here is for whoever starts the worker to say, never for the job.
  app.add_option("--allow-path", options.allow_paths,
                 "A folder, with all below it, or a file: specs of suites may name paths there; "
                 "else only in the work folder of their job; may be given more than once")
      ->allow_extra_args(false);
  app.add_flag("--allow-options", options.allow_options,
               "Specs of suites may have options and engines of their tools that are on no word "
               "list, and with them run programs and reach files as this worker's user");
  app.add_option("--allow-env", options.allow_env,
                 "A variable of this environment, or several (NAME*), that programs get beside "
                 "PATH, HOME, LANG, OMPI_*, UCX_* and the like; may be given more than once")
      ->check(
          CLI::Validator([](const std::string& name) { return process::CheckVariableName(name); },
                         "NAME", "variable"))
      ->allow_extra_args(false);
  app.add_flag("--once", options.once,
               "Run the workload once, without a frontend, print the result");
  app.add_flag("--check-config", options.check_config, "Check options and workload, then exit");
  app.add_flag("--verbose", options.verbose, "Log more");
}

// What is wrong with options that are fine one by one.
std::string CheckTogether(const Options& options) {
  if (options.workload.empty()) {
    return "no workload: give it after '--', for example: -- sleep 1 (try --help)";
  }
  if (options.backoff == 0 && options.backoff_max > 0) {
    return "--backoff-max needs a --backoff above 0";
  }
  if (options.backoff_max > 0 && options.backoff_max < options.backoff) {
    return "--backoff-max is smaller than --backoff";
  }
  return {};
}

std::string HostName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

// The frontend and its metrics want printable names.
Status CheckName(const std::string& what, const std::string& name) {
  const auto printable = [](char c) { return c > ' ' && c <= '~'; };
  if (name.size() <= rpc::kMaxNameBytes && std::all_of(name.begin(), name.end(), printable)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(what, " '", absl::CHexEscape(name.substr(0, 80)),
                                                 "' is not a name of up to ", rpc::kMaxNameBytes,
                                                 " printable ASCII characters"));
}

std::string Variable(const std::string& name) {
  const char* const value = name.empty() ? nullptr : std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

std::string NameFrom(const std::string& variable) {
  std::string name = Variable(variable);
  return name.empty() ? HostName() : name;
}

std::uint64_t RandomKey() {
  std::random_device random;
  return (std::uint64_t{random()} << 32) | random() | 1;  // never 0
}

LinkOptions LinkFrom(const Options& options) {
  LinkOptions link;
  link.address = options.frontend;
  if (options.backoff == 0) return link;
  link.give_up = Duration::zero();
  // A nanosecond at least: Backoff wants more than nothing.
  link.pause = std::max(Duration(1), FromSeconds(options.backoff));
  link.pause_max = std::max(link.pause, FromSeconds(options.backoff_max));
  return link;
}

AgentOptions AgentFrom(const Options& options) {
  AgentOptions agent;
  agent.link = LinkFrom(options);
  agent.queue = options.queue;
  agent.node = NameFrom(options.node_env);
  agent.pod = NameFrom(options.pod_env);
  agent.slots = options.slots;
  agent.process_key = RandomKey();
  agent.leave_when_empty = options.backoff == 0;
  agent.ignore_arguments = options.ignore;
  agent.limit = FromSeconds(options.limit);
  agent.ready_limit = FromSeconds(options.ready_limit);
  agent.drain_limit = FromSeconds(options.drain_limit);
  return agent;
}

// Only a worker that goes to a frontend needs one: finding it out may take a while.
std::string FindAddress(const Options& options) {
  if (options.once || options.check_config) return HostName();
  const auto frontend = ParseAddress(options.frontend);
  if (!frontend.ok()) return HostName();
  const Result<std::string> address = AddressTowards(*frontend);
  if (address.ok()) return *address;
  spdlog::debug("{}; giving the host name to the members of gangs",
                std::string(address.status().message()));
  return HostName();
}

// As seen from where the program was started.
std::string Absolute(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal();
}

WorkloadOptions WorkloadFrom(const Options& options) {
  WorkloadOptions workload;
  workload.argv = options.workload;
  workload.null_in = options.null_in;
  workload.null_out = options.null_out;
  const std::vector<std::string> folders =
      absl::StrSplit(options.suite_path, ':', absl::SkipEmpty());
  for (const std::string& folder : folders)
    workload.benchmark.suite_path.push_back(Absolute(folder));
  const std::string temporary = Variable("TMPDIR");
  workload.benchmark.work_dir = Absolute(!options.work_dir.empty() ? options.work_dir
                                         : temporary.empty()       ? "/tmp"
                                                                   : temporary);
  for (const std::string& path : options.allow_paths) {
    workload.benchmark.allowed.paths.push_back(Absolute(path));
  }
  workload.benchmark.allowed.options = options.allow_options;
  workload.benchmark.worker.image = Printable(Variable(options.image_env), rpc::kMaxNameBytes);
  return workload;
}

Status UseLabels(const Options& options, Configuration& configuration) {
  const char* const list = std::getenv("TWOFOLD_LABELS");
  Result<Labels> labels = MakeLabels(list == nullptr ? "" : list, options.labels);
  if (!labels.ok()) return labels.status();
  configuration.agent.labels = *std::move(labels);
  return absl::OkStatus();
}

Status UseMatch(const std::string& pattern, Configuration& configuration) {
  Result<std::string> match = FirstMatch(pattern);
  if (!match.ok())
    return {match.status().code(), absl::StrCat("--glob: ", std::string(match.status().message()))};
  for (std::size_t i = 1; i < configuration.workload.argv.size(); ++i) {
    configuration.workload.argv[i] = ReplaceFilename(configuration.workload.argv[i], *match);
  }
  configuration.agent.device = match->substr(match->rfind('/') + 1);
  configuration.agent.filename = *std::move(match);
  return CheckName("--glob: device", configuration.agent.device);
}

}  // namespace

std::string CheckHostPort(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  int port = 0;
  const bool bracketed = address.starts_with('[') && colon > 0 && address[colon - 1] == ']';
  const bool good = colon != std::string::npos && colon > 0 &&
                    absl::SimpleAtoi(address.substr(colon + 1), &port) && port >= 1 &&
                    port <= 65'535 && (bracketed || address.find(':') == colon) &&
                    address.find_first_of(" /\t\n") == std::string::npos;
  if (good) return {};
  return absl::StrCat("'", absl::CHexEscape(address.substr(0, 80)),
                      "' is not HOST:PORT with a port from 1 to 65535");
}

std::string PeersAddress(const Options& options) {
  if (options.peers_address == "off") return {};
  if (!options.peers_address.empty()) return options.peers_address;
  const bool is_suite =
      !options.workload.empty() && !suite::FindSuites(options.workload[0]).empty();
  return is_suite ? ":0" : "";
}

std::optional<int> ParseOptions(int argc, const char* const* argv, Options& options) {
  CLI::App app{kDescription, kProgram};
  app.footer(absl::StrReplaceAll(kExamples, {{"{suites}", suite::SuiteNames()}}));
  AddConnectionOptions(app, options);
  AddSecurityOptions(app, options);
  AddWorkloadOptions(app, options);
  // CLI11 never sees the workload: it would take "[x]" in an argument for a list.
  const char* const* const end = argv + argc;
  const char* const* const dashes =
      std::find_if(argv, end, [](const char* text) { return std::string_view(text) == "--"; });
  const auto code = ParseCommandLine(app, static_cast<int>(dashes - argv), argv);
  if (code) return code;
  if (dashes != end) options.workload.assign(dashes + 1, end);
  const std::string error = CheckTogether(options);
  if (!error.empty()) return UsageError(app, error);
  return std::nullopt;
}

Result<Configuration> Prepare(const Options& options) {
  Configuration configuration{AgentFrom(options), WorkloadFrom(options), {}, {}};
  configuration.peers_address = PeersAddress(options);
  // Before --dir: the paths are of where the program was started.
  if (Status status = UseSecurity(options, configuration); !status.ok()) return status;
  if (!options.dir.empty() && chdir(options.dir.c_str()) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("--dir: ", options.dir));
  }
  if (!options.glob.empty()) {
    if (Status status = UseMatch(options.glob, configuration); !status.ok()) return status;
  }
  if (Status status = UseLabels(options, configuration); !status.ok()) return status;
  AgentOptions& agent = configuration.agent;
  agent.address = options.address.empty() ? FindAddress(options) : options.address;
  const std::pair<const char*, const std::string&> names[] = {
      {"node", agent.node}, {"pod", agent.pod}, {"--address:", agent.address}};
  for (const auto& [what, name] : names) {
    if (Status status = CheckName(what, name); !status.ok()) return status;
  }
  WorkerFacts& worker = configuration.workload.benchmark.worker;
  worker.node = agent.node;
  worker.pod = agent.pod;
  worker.address = agent.address;
  return configuration;
}

int Complain(const Status& status) {
  return UsageError(CLI::App("", kProgram), std::string(status.message()));
}

}  // namespace twofold::backend
