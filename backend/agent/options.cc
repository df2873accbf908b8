#include "backend/agent/options.h"

#include <absl/strings/str_replace.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "lib/common/contacts.h"
#include "lib/common/options.h"
#include "lib/process/environment.h"
#include "suites/table/table.h"
#include "suites/table/workload.h"

namespace twofold::backend {
namespace {

constexpr char kProgram[] = "twofold-backend";
constexpr char kDescription[] =
    "Runs the jobs of one queue: takes them from the frontend, runs the workload, returns "
    "results.\n"
    "twofold-backend [OPTIONS] -- WORKLOAD [ARGS]";
constexpr char kExamples[] = R"(
Workloads:
  sleep TIME [SEED]        built in: an exact timer, no process. TIME is seconds or a distribution:
                           uniform:0.05-0.2, exponential:0.1 (mean), lognormal:0.1,0.5 (median,
                           sigma), bimodal:0.05,1,10% (a tenth takes 1 s)
  SUITE [SPEC]             built in: {suites}.
                           A spec is JSON; without one defaults count. See docs/suites.md
  SUITE,SUITE,...          those: a job says which, else the first
  PROGRAM ARGS             that program, in a process group of its own, without a shell: a path, or
                           a name that is looked for in PATH, as a shell does
  --shell 'a | b'          that line, by /bin/sh
A job's own arguments come after ARGS (for sleep: instead of TIME; for a suite: instead of SPEC).

Reconnecting: with --backoff 0 a frontend that is away for 5 seconds ends the program with exit
code 1. With --backoff N it is tried for ever, after pauses of a random length: at first N at most,
which doubles up to --backoff-max. Where another frontend serves the queue, the worker goes there.

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

// What is wrong with an --allow-value; empty: nothing.
std::string CheckAllowedValue(const std::string& text) {
  const std::size_t equals = text.find('=');
  const bool good = equals != 0 && equals != std::string::npos && equals + 1 < text.size() &&
                    std::count(text.begin(), text.end(), '*') <= 1;
  return good ? "" : "'" + text + "' is not of the form FIELD=VALUE with one '*' at most";
}

CLI::Validator PeersAddressOrOff() {
  return {[listen = ListenAddress()](std::string& text) {
            return text == "off" ? std::string() : listen(text);
          },
          "HOST:PORT|off", "peers address"};
}

void AddSelfFence(CLI::App& app, SelfFence& self_fence) {
  static const std::map<std::string, SelfFence> kWords = {
      {"off", SelfFence::kOff}, {"durable", SelfFence::kDurable}, {"all", SelfFence::kAll}};
  app.add_option_function<std::string>(
         "--self-fence", [&self_fence](const std::string& word) { self_fence = kWords.at(word); },
         "Stop jobs when the frontend has not heard this worker for its lease (or, without a "
         "stream, for the grace period), as others may have them by then: durable jobs, all, or "
         "none (off)")
      ->check(CLI::IsMember({"off", "durable", "all"}))
      ->default_str("off");
}

void AddConnectionOptions(CLI::App& app, Options& options) {
  AddOption(app, "--frontend", options.agent.link.address, Contacts(),
            "Worker address of the frontend; or of several that share their queues, as IPv4 "
            "addresses with commas between them");
  AddOption(app, "--queue", options.agent.queue, QueueName(), "Queue to serve");
  AddOption(app, "--slots", options.agent.slots, WholeNumber(1, 100'000),
            "Jobs at once in this process");
  AddOption(app, "--backoff", options.backoff, Seconds(0, 86'400),
            "0: exit when the queue is empty; else stay, and pause this long before reconnecting");
  AddOption(app, "--backoff-max", options.backoff_max, Seconds(0, 86'400),
            "Longest pause before reconnecting; 0: as --backoff");
  AddOption(app, "--drain-limit", options.drain_limit, Seconds(),
            "Time to finish after SIGTERM; then jobs are stopped and handed back");
  AddSelfFence(app, options.agent.self_fence);
  AddOption(app, "--http-address", options.http_address, ListenAddress(),
            "Serve /healthz and /readyz there; ':PORT' = all interfaces, port 0 = any free one");
  app.add_option("--node-env", options.node_env,
                 "Environment variable with the node's name (else the host name)");
  app.add_option("--pod-env", options.pod_env,
                 "Environment variable with the pod's name (else the host name)");
  app.add_option("--image-env", options.image_env,
                 "Environment variable with the image's name, for results of suites");
  app.add_option("--address", options.agent.address,
                 "Host name or IP address for the other members of a gang (else the one that "
                 "packets to the frontend come from; if that is not known at the start, the host "
                 "name)");
  AddOption(app, "--peers-address", options.peers_address, PeersAddressOrOff(),
            "Let rank 0 of a gang run programs here, for which it needs the secret of the "
            "attempt; ':PORT' = all interfaces, port 0 = any free one, 'off' = never (default: "
            "':0' for benchmark suites, 'off' for sleep and programs)");
  app.add_option("--label", options.labels,
                 "KEY=VALUE: what this worker is, up to 64 of them; the variable TWOFOLD_LABELS "
                 "has more, separated by commas")
      ->check(CLI::Validator(CheckLabel, "KEY=VALUE", "label"));
}

void AddWorkloadOptions(CLI::App& app, Options& options) {
  AddOption(app, "--limit", options.limit, Seconds(),
            "Longest run time of a job; a job's own limit counts if smaller; 0: none");
  AddOption(app, "--ready-limit", options.ready_limit, Seconds(),
            "Longest time for the member of a gang to get ready; a job's limit counts if "
            "smaller; 0: none");
  app.add_option("--shell", options.shell, suite::kShellHelp)->type_name("LINE");
  app.add_option("--dir", options.dir, "Working directory, also of --glob");
  app.add_option("--glob", options.glob,
                 "First match replaces FILENAME in arguments; its base name is reported as device");
  app.add_flag("--ignore", options.agent.ignore_arguments, "Ignore arguments that come with a job");
  app.add_flag("--null-in", options.workload.null_in, "Programs read from /dev/null");
  app.add_flag("--null-out", options.workload.null_out, "Discard the output of programs");
  app.add_option("--suite-path", options.suite_path,
                 "Folders with programs of suites, separated by ':'; they go before PATH");
  app.add_option(
      "--work-dir", options.work_dir,
      "Where each job of a suite has a folder for its files while it runs (else $TMPDIR, "
      "or /tmp)");
  // What jobs may do here is for whoever starts the worker to say, never for the job.
  app.add_option("--allow-path", options.allow_paths,
                 "A folder, with all below it, or a file: specs of suites may name paths there; "
                 "else only in the work folder of their job; may be given more than once");
  app.add_flag("--allow-options", options.workload.benchmark.allowed.options,
               "Specs of suites may have options and engines of their tools that are on no word "
               "list, and with them run programs and reach files as this worker's user");
  app.add_option("--allow-value", options.workload.benchmark.allowed.values,
                 "FIELD=VALUE, VALUE with one '*' at most: specs of suites may say this in a field "
                 "that reaches beyond the worker, such as namespace=load or "
                 "'containerImage=registry.example.com/*'; may be given more than once")
      ->check(CLI::Validator(CheckAllowedValue, "FIELD=VALUE", "value"));
  app.add_option("--allow-env", options.allow_env,
                 "A variable of this environment, or several (NAME*), that programs get beside "
                 "PATH, HOME, LANG, OMPI_*, UCX_* and the like; may be given more than once")
      ->check(
          CLI::Validator([](const std::string& name) { return process::CheckVariableName(name); },
                         "NAME", "variable"));
  app.add_flag("--once", options.once,
               "Run the workload once, without a frontend, print the result");
  app.add_flag("--dry-run", options.dry_run,
               "With --once: print what each member of its gang would run, and run nothing");
  app.add_flag("--check-config", options.check_config, "Check options and workload, then exit");
  app.add_flag("--verbose", options.verbose, "Log more");
}

// What is wrong with options that are fine one by one.
std::string CheckTogether(const Options& options) {
  if (options.workload.argv.empty()) {
    return "no workload: give it after '--', for example: -- sleep 1 (try --help)";
  }
  if (options.dry_run && !options.once) return "--dry-run needs --once";
  if (options.dry_run && suite::FindSuite(options.workload.argv[0]) == nullptr) {
    return absl::StrCat("--dry-run is for one of the suites: ", suite::SuiteNames());
  }
  if (options.backoff == 0 && options.backoff_max > 0) {
    return "--backoff-max needs a --backoff above 0";
  }
  if (options.backoff_max > 0 && options.backoff_max < options.backoff) {
    return "--backoff-max is smaller than --backoff";
  }
  return {};
}

}  // namespace

std::string PeersAddress(const Options& options) {
  if (options.peers_address == "off") return {};
  if (!options.peers_address.empty()) return options.peers_address;
  const std::vector<std::string>& argv = options.workload.argv;
  return !argv.empty() && !suite::FindSuites(argv[0]).empty() ? ":0" : "";
}

void Declare(CLI::App& app, Options& options) {
  app.footer(absl::StrReplaceAll(kExamples, {{"{suites}", suite::SuiteNames()}}));
  AddConnectionOptions(app, options);
  security::Declare(app, options.security);
  security::DeclareCertificate(app, options.http_security, "http-");
  AddWorkloadOptions(app, options);
}

std::optional<int> ParseOptions(int argc, const char* const* argv, Options& options) {
  CLI::App app{kDescription, kProgram};
  Declare(app, options);
  // The workload stands behind "--", and nowhere else.
  const char* const* const end = argv + argc;
  const char* const* const dashes =
      std::find_if(argv, end, [](const char* text) { return std::string_view(text) == "--"; });
  const auto code = ParseCommandLine(app, static_cast<int>(dashes - argv), argv);
  if (code) return code;
  if (dashes != end) options.workload.argv.assign(dashes + 1, end);
  options.workload.argv = suite::WithShell(options.shell, std::move(options.workload.argv));
  const std::string error = CheckTogether(options);
  if (!error.empty()) return UsageError(app, error);
  return std::nullopt;
}

int Complain(const Status& status) {
  return UsageError(CLI::App("", kProgram), std::string(status.message()));
}

}  // namespace twofold::backend
