#include "cli/load/options.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "cli/command/verdict.h"
#include "lib/common/arguments.h"
#include "lib/common/distribution.h"
#include "lib/common/file.h"
#include "lib/common/options.h"
#include "lib/process/environment.h"
#include "lib/rpc/limits.h"
#include "suites/table/workload.h"

namespace twofold::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  An open loop with random arrivals, until the throughput is known to 2 %:
    twofold load --queue sleep --rate 100 --arrivals poisson --until 2% --json load.json
  How a program scales on this machine, without any cluster before or after:
    twofold load --local --slots 1,2,4,8 --duration 10s -- ./my-program ARGS
)";
constexpr Duration kUsual = std::chrono::seconds(10);
constexpr Duration kUsualUntil = std::chrono::seconds(60);
constexpr int kMostSlots = 10'000;
constexpr std::size_t kMostSteps = 20;  // of --slots

// Adds an option that `set` takes or refuses; an error names the option.
CLI::Option* Add(CLI::App& app, const std::string& name, const std::string& type,
                 const std::string& help, std::function<Status(const std::string&)> set) {
  return app
      .add_option_function<std::string>(
          name,
          [name, set = std::move(set)](const std::string& text) {
            const Status status = set(text);
            if (!status.ok()) throw CLI::ValidationError(name, std::string(status.message()));
          },
          help)
      ->type_name(type);
}

template <typename Time>
CLI::Option* AddTime(CLI::App& app, const std::string& name, Time& time, const std::string& help) {
  return Add(app, name, "TIME", help, [&time](const std::string& text) {
    const auto parsed = ParseTime(text);
    if (parsed.ok()) time = *parsed;
    return parsed.status();
  });
}

CLI::Validator Rate() {
  const auto check = [](const std::string& text) -> std::string {
    double rate = 0;
    if (absl::SimpleAtod(text, &rate) && rate > 0 && rate <= load::kMostRate) return {};
    return absl::StrCat("'", text, "' is not a number of jobs a second above 0, up to ",
                        load::kMostRate);
  };
  return {check, "R", "rate"};
}

Status ReadUntil(const std::string& text, double& until) {
  double percent = 0;
  if (text.ends_with('%') && absl::SimpleAtod(text.substr(0, text.size() - 1), &percent) &&
      percent > 0 && percent <= 50) {
    until = percent / 100;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "' is not a precision above 0% and up to 50%, such as 2%"));
}

Status ReadSlots(const std::string& text, std::vector<int>& slots) {
  slots.clear();
  for (const std::string& part : std::vector<std::string>(absl::StrSplit(text, ','))) {
    int number = 0;
    const bool grows = absl::SimpleAtoi(part, &number) && number >= 1 && number <= kMostSlots &&
                       (slots.empty() || number > slots.back());
    if (!grows || slots.size() == kMostSteps) {
      return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not a number from 1 to ",
                                                     kMostSlots, ", or up to ", kMostSteps,
                                                     " of them that grow, such as 1,2,4,8"));
    }
    slots.push_back(number);
  }
  return absl::OkStatus();
}

void DeclareLoad(CLI::App& app, LoadOptions& options) {
  CLI::Option* parallel = AddOption(app, "--parallel", options.parallel,
                                    WholeNumber(1, load::kMostParallel), "Jobs kept outstanding");
  parallel->default_str("");
  CLI::Option* rate = AddOption(app, "--rate", options.rate, Rate(), "Jobs a second, open loop");
  rate->default_str("")->excludes(parallel);
  app.add_option("--arrivals", options.arrivals, "constant or poisson (at random)")
      ->check(CLI::IsMember({"constant", "poisson"}))
      ->needs(rate)
      ->capture_default_str();
  app.add_option("--profile", options.profile,
                 "A load of several stages, ramps, bursts ...: a YAML file, see docs/load.md")
      ->type_name("FILE")
      ->excludes(parallel)
      ->excludes(rate);
  app.add_option("--seed", options.seed, "Of all that is random: the same seed, the same arrivals")
      ->type_name("N");
  AddOption(app, "--outstanding-max", options.outstanding_max, WholeNumber(1, load::kMostParallel),
            "Of an open loop: due jobs wait while so many are outstanding");
}

void DeclareEnd(CLI::App& app, LoadOptions& options) {
  AddTime(app, "--duration", options.duration,
          "How long, warm-up too; else 10s, or 60s at most with --until, or that of the profile");
  Add(app, "--until", "P%",
      "End once the throughput is known within P % of it, however often it looks: 2%",
      [&options](const std::string& text) { return ReadUntil(text, options.until); });
  app.add_option("--jobs", options.jobs, "End once so many have ended after the warm-up")
      ->check(WholeNumber(1));
  AddTime(app, "--warm-up", options.warm_up,
          "What is left out of the result at the beginning; else by a rule that is printed");
  AddTime(app, "--drain", options.drain,
          "How long jobs may still end after the load; then they are unanswered, which counts as "
          "failed. Else as long as the longest one took, 1s at least");
}

void DeclareJob(CLI::App& app, LoadOptions& options) {
  AddOption(app, "--priority", options.priority, WholeNumber(-10, 10), "-10 to 10, higher first");
  AddOption(app, "--attempts", options.attempts, WholeNumber(1, 1000), "Tries if workers vanish");
  AddTime(app, "--limit", options.limit, "Longest run time of a job; 0: none");
}

void DeclareResults(CLI::App& app, LoadOptions& options) {
  app.add_option("--json", options.json,
                 "Write all of it: origin, result, slices, jobs; `--output json` prints the same")
      ->type_name("FILE");
  app.add_option("--csv", options.csv, "Write a row for each second")->type_name("FILE");
  app.add_option("--html", options.html, "Write a report with figures, as `twofold report` does")
      ->type_name("FILE");
  DeclareVerdict(app, options.verdict);
  app.add_option_function<std::vector<std::string>>(
         "--fail-if",
         [&options](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             auto limit = Limit::Parse(text);
             if (!limit.ok()) throw CLI::ValidationError(std::string(limit.status().message()));
             options.limits.push_back(*std::move(limit));
           }
         },
         absl::StrCat("What must not be, such as 'p99>200ms'; repeat it. Metrics: ", LimitsHelp()))
      ->type_name("LIMIT");
  app.add_flag(
      "--lenient", options.lenient,
      "Judge limits by the value, also of a percentile whose interval does not decide, and "
      "of a throughput that is not steady");
}

void DeclareLocal(CLI::App& app, LoadOptions& options) {
  options.programs = process::OwnFolder();
  CLI::Option* local = app.add_flag(
      "--local", options.local,
      "Bring a cluster on this machine, measure PROGRAM ARGS (or a suite) on it, take it down");
  Add(app, "--slots", "N[,N...]",
      "Jobs that run at once, with --local; several: each in turn, and a table of how it scales",
      [&options](const std::string& text) { return ReadSlots(text, options.slots); })
      ->needs(local);
  app.add_option("--shell", options.shell, suite::kShellHelp)->type_name("LINE")->needs(local);
  app.add_option("--programs", options.programs, "Folder of twofold-frontend and the others")
      ->needs(local);
}

load::JobTemplate JobOf(const LoadOptions& options, const std::string& queue) {
  load::JobTemplate job;
  job.options.set_queue(queue);
  job.options.set_limit_ns(static_cast<std::uint64_t>(options.limit.count()));
  job.options.set_priority(options.priority);
  job.options.set_max_attempts(options.attempts);
  if (!options.local) job.spec = EncodeArguments(options.arguments);
  return job;
}

double SecondsOf(const LoadOptions& options) {
  if (options.duration) return ToSeconds(*options.duration);
  if (options.until > 0) return ToSeconds(kUsualUntil);
  return options.jobs > 0 ? load::kForever : ToSeconds(kUsual);
}

Result<std::string> ReadTraceFile(const std::string& path) {
  return ReadFile(path, load::kMostTraceBytes);
}

Result<load::Profile> ProfileOf(const LoadOptions& options, const load::JobTemplate& job,
                                int slots) {
  if (!options.profile.empty()) {
    const auto text = ReadFile(options.profile, load::kMostProfileBytes, Readable::kFilesAndPipes);
    if (!text.ok()) return text.status();
    return load::ParseProfile(options.profile, *text, job, options.seed, &ReadTraceFile);
  }
  const double seconds = SecondsOf(options);
  if (options.rate > 0) {
    const bool random = options.arrivals == "poisson";
    return load::RateProfile(options.rate,
                             random ? load::Arrivals::kPoisson : load::Arrivals::kConstant, seconds,
                             options.seed.value_or(1));
  }
  const auto parallel = options.parallel > 0 ? options.parallel : static_cast<std::uint32_t>(slots);
  return load::ParallelProfile(parallel, seconds);
}

}  // namespace

void Declare(CLI::App& app, LoadOptions& options) {
  app.footer(kExamples + app.get_footer());
  app.add_option("--queue", options.queue, "Queue of the jobs; with --local it is made")
      ->check(QueueName());
  AddWords(app, "ARGS", options.arguments,
           "After --: arguments of each job; with --local the program and its arguments");
  DeclareLoad(app, options);
  DeclareEnd(app, options);
  DeclareJob(app, options);
  DeclareResults(app, options);
  DeclareLocal(app, options);
}

Status Check(const LoadOptions& options) {
  const auto wrong = [](const std::string& why) { return absl::InvalidArgumentError(why); };
  const bool has_load = options.parallel > 0 || options.rate > 0 || !options.profile.empty();
  if (options.local && !options.queue.empty()) {
    return wrong("--queue: with --local the cluster is new and has one queue of its own");
  }
  if (options.local && options.arguments.empty() && options.shell.empty()) {
    return wrong(
        "--local: say what to run: twofold load --local -- ./my-program ARGS, or --shell 'a | b'");
  }
  if (!options.local && options.queue.empty()) {
    return wrong("--queue: say which queue, or bring a cluster with --local -- PROGRAM");
  }
  if (!options.local && !has_load) {
    return wrong("say how much load: --parallel N, --rate R or --profile FILE");
  }
  if (!options.profile.empty() && options.duration) {
    return wrong("--duration: the profile says how long");
  }
  if (options.warm_up && options.duration && *options.warm_up >= *options.duration) {
    return wrong("--warm-up: it is not shorter than --duration, so nothing would be measured");
  }
  if (options.slots.size() > 1 && has_load) {
    return wrong(
        "--slots with several numbers: each keeps as many jobs outstanding as it has "
        "slots; leave out --parallel, --rate and --profile");
  }
  const std::size_t bytes = EncodeArguments(options.arguments).size();
  if (bytes <= rpc::kMaxSpecBytes) return absl::OkStatus();
  return wrong(absl::StrCat("ARGS: they have ", bytes, " bytes; at most ", rpc::kMaxSpecBytes,
                            " are allowed"));
}

Result<load::RunOptions> PlanLoad(const LoadOptions& options, const std::string& queue, int slots) {
  load::RunOptions run;
  run.job = JobOf(options, queue);
  auto profile = ProfileOf(options, run.job, slots);
  if (!profile.ok()) return profile.status();
  run.profile = *std::move(profile);
  run.warm_up = options.warm_up;
  run.drain = options.drain;
  run.until = options.until;
  run.jobs = options.jobs;
  run.outstanding_max = options.outstanding_max;
  return run;
}

}  // namespace twofold::cli
