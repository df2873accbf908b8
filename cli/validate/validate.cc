#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <CLI/App.hpp>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command/command.h"
#include "cli/command/signals.h"
#include "cli/command/verdict.h"
#include "cli/local/local_target.h"
#include "cli/local/state_folder.h"
#include "cli/report/report.h"
#include "kubernetes/api/connection.h"
#include "kubernetes/commands/cluster_options.h"
#include "kubernetes/target/kube_target.h"
#include "lib/common/file.h"
#include "lib/common/program.h"
#include "lib/report/sources/sources.h"
#include "lib/security/client.h"
#include "lib/security/options.h"
#include "lib/validate/engine.h"
#include "lib/validate/record.h"

namespace twofold::cli {
namespace {

using validate::Findings;
using validate::Options;

/// The name by which validate-scaling.sh was called, which messages and the result name then.
constexpr const char* kCalledVariable = "TWOFOLD_CALLED_AS";
constexpr const char* kUnasked = "twofold validate";

/// What `twofold validate` is told.
struct Told {
  std::array<std::string, 7> positional;
  validate::Words words;
  std::string client_url;
  std::string frontend_url;
  std::string verdict;               ///< file of --verdict; empty: none
  security::ClientOptions security;  ///< for these URLs
  ClusterOptions cluster;
};

struct Positional {
  const char* name;
  const char* help;
};
constexpr std::array<Positional, 7> kPositional = {{
    {"DEPLOYMENT",
     "Of the workers: scalability-tester-backend-sleep; workerpool/NAME is a WorkerPool"},
    {"DEPLOYMENT_NAMESPACE",
     "Of the deployment and the frontend, or localhost: with `twofold local`, where names may do "
     "without scalability-tester-"},
    {"SECS", "Longest run time of one job, seconds; sizes warm-up and waits"},
    {"SERVICE", "Of the load client: scalability-tester-client-sleep"},
    {"SERVICE_NAMESPACE", "Of the service, or localhost"},
    {"LIMIT", "Most workers"},
    {"SCALE",
     "Least ratio of throughputs for twice the workers: 1.8; for F times the workers it is SCALE "
     "to "
     "the power of log2(F)"},
}};

/// An option that a variable of the environment can stand in for.
struct Variable {
  const char* name;
  const char* variable;
  std::string validate::Words::*word;
  const char* type;
  const char* help;
};
constexpr Variable kVariables[] = {
    {"--json", "TWOFOLD_JSON", &validate::Words::json, "FILE",
     "File for the result, written step by step; else validate-scaling.json"},
    {"--steps", "TWOFOLD_STEPS", &validate::Words::steps, "LIST",
     "Other steps than 1 2 4 ..., growing, up to LIMIT, with blanks between"},
    {"--repeat", "TWOFOLD_REPEAT", &validate::Words::repeat, "N|auto",
     "All steps N times, each time with new pods, for verdicts on any pods; auto: as often as it "
     "takes where workers that differ keep a verdict open, 10 at most; else once"},
    {"--pods", "TWOFOLD_PODS", &validate::Words::pods, "any|these",
     "these: verdicts on the measured pods, as if workers did not differ; else any"},
    {"--cap", "TWOFOLD_CAP", &validate::Words::cap, "SECONDS|auto",
     "Longest measurement of a step; else auto: 60, or 200 x SECS if more, and on while its "
     "verdict is likely to come within --patience"},
    {"--patience", "TWOFOLD_PATIENCE", &validate::Words::patience, "SECONDS",
     "Longest measurement of a step with --cap auto; else 600"},
    {"--allow-failures", "TWOFOLD_ALLOW_FAILURES", &validate::Words::allow_failures, "SHARE",
     "Of the jobs of a step, as 1% or 0.01: more fail the step, where chance does not explain "
     "them; else none may fail"},
    {"--html", "TWOFOLD_HTML", &validate::Words::html, "FILE", "A report of the result as well"},
    {"--timeout", "TWOFOLD_TIMEOUT", &validate::Words::timeout, "SECONDS",
     "Longest wait for workers; else 300 + SECS"},
    {"--queue", "TWOFOLD_QUEUE", &validate::Words::queue, "NAME",
     "Else DEPLOYMENT without scalability-tester-backend-"},
};

void Declare(CLI::App& app, Told& told) {
  for (std::size_t i = 0; i < kPositional.size(); ++i) {
    app.add_option(kPositional[i].name, told.positional[i], kPositional[i].help);
  }
  for (const Variable& row : kVariables) {
    app.add_option(row.name, told.words.*row.word, row.help)
        ->envname(row.variable)
        ->type_name(row.type);
  }
  app.add_flag("--all-steps", told.words.all_steps,
               "Measure all steps, also behind one that has failed for certain")
      ->envname("TWOFOLD_ALL_STEPS");
  app.add_option("--client-url", told.client_url,
                 "Of the load client, instead of the API server's proxy")
      ->envname("TWOFOLD_CLIENT_URL")
      ->type_name("URL");
  app.add_option("--frontend-url", told.frontend_url,
                 "The same for the frontend's HTTP port; of several frontends, of the one that "
                 "serves the queue")
      ->envname("TWOFOLD_FRONTEND_URL")
      ->type_name("URL");
  DeclareVerdict(app, told.verdict);
  security::Declare(app, told.security);
  Declare(app, told.cluster);
}

/// Time as it is, and the signals of this process.
class RealClock final : public validate::Clock {
 public:
  [[nodiscard]] Instant Now() override { return twofold::Now(); }
  int Wait(Duration at_most) override { return signals_.Wait(at_most); }

 private:
  const AwaitedSignals signals_{SIGHUP};
};

std::string UtcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

/// The command line, with the script's name in place of `twofold validate` where that was called.
std::vector<std::string> CommandLine(const char* called) {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::vector<std::string> words = absl::StrSplit(text, '\0');
  if (!words.empty()) words.pop_back();  // behind the last NUL
  if (called == nullptr || words.size() < 2) return words;
  words.erase(words.begin());
  words.front() = called;
  return words;
}

/// A page that was given by its URL. Only such a one gets a certificate and token of ours.
Result<std::optional<targets::Page>> GivenPage(std::string url,
                                               const security::ClientOptions& options) {
  if (url.empty()) return std::optional<targets::Page>();
  auto security = security::Client::Open(options);
  if (!security.ok()) return security.status();
  while (url.ends_with('/')) url.pop_back();
  return std::optional(targets::Page{std::move(url), *std::move(security)});
}

Result<std::unique_ptr<targets::Target>> MakeTarget(const Told& told, const Options& options,
                                                    const Globals& globals) {
  auto client = GivenPage(told.client_url, told.security);
  if (!client.ok()) return client.status();
  auto frontend = GivenPage(told.frontend_url, told.security);
  if (!frontend.ok()) return frontend.status();
  targets::Parts parts{options.deployment, options.space, options.service, options.service_space};
  if (!options.local) {
    auto access = kube::OpenAccess(SourcesOf(told.cluster));
    if (!access.ok()) return access.status();
    return targets::MakeKubeTarget(*std::move(access), std::move(parts), *std::move(client),
                                   *std::move(frontend));
  }
  return targets::MakeLocalTarget(local::StateFolder(local::StateFolder::Locate(globals.dir)),
                                  std::move(parts), *std::move(client), *std::move(frontend));
}

Status WriteReport(const Findings& findings) {
  const Options& options = findings.options;
  const std::string name = std::filesystem::path(options.json).stem().string();
  const std::vector<report::Source> sources = {{name, RecordOf(findings)}};
  const auto document = report::DocumentOf(sources);
  return document.ok() ? Write(ReportFiles{.html = options.html}, *document) : document.status();
}

/// Of each step its throughput and what the verdict is on, its ratio to the step before.
Verdict VerdictOf(const v1::ValidationRecord& record) {
  Verdict verdict{record.verdict(), record.reason().empty() ? record.headline() : record.reason()};
  for (const v1::ValidationStep& step : record.steps()) {
    const std::string workers = absl::StrCat(step.workers(), "_workers");
    if (step.has_throughput()) {
      verdict.figures.push_back({"throughput_" + workers, "1/s", step.throughput()});
    }
    if (!step.has_ratio()) continue;
    Figure& ratio = verdict.figures.emplace_back(Figure{"ratio_" + workers, "", step.ratio()});
    if (step.has_lower()) ratio.lower = step.lower();
    if (step.has_upper()) ratio.upper = step.upper();
  }
  return verdict;
}

/// Keeps the result in its files and, if asked for, as a line on standard output.
Status Keep(const Findings& findings, const std::string& verdict, bool also_print) {
  const v1::ValidationRecord record = RecordOf(findings);
  if (also_print) std::cout << validate::LineOf(record) << std::flush;
  Status status = WriteFile(findings.options.json, validate::TextOf(record));
  status.Update(Write(verdict, VerdictOf(record)));
  return status;
}

int Run(const Told& told, const Globals& globals) {
  const char* const called = std::getenv(kCalledVariable);
  const std::string name =
      called == nullptr ? kUnasked : std::filesystem::path(called).filename().string();
  const auto refuse = [&](const Status& status) {
    std::cerr << name << ": " << std::string(status.message()) << " (see --help)" << std::endl;
    return validate::kExitRefused;
  };
  validate::Words words = told.words;
  for (const std::string& word : told.positional) {
    if (!word.empty()) words.positional.push_back(word);
  }
  auto options = validate::Understand(words);
  if (!options.ok()) return refuse(options.status());
  RealClock clock;  // before there are threads
  InitLogging(/*verbose=*/false);
  const auto target = MakeTarget(told, *options, globals);
  if (!target.ok()) return refuse(target.status());
  Findings findings;
  findings.options = *std::move(options);
  findings.argv = CommandLine(called);
  findings.began = UtcNow();
  const bool as_json = globals.json();
  return validate::Engine(
             std::move(findings),
             {.target = **target,
              .clock = clock,
              .out = as_json ? std::cerr : std::cout,
              .err = std::cerr,
              .called = name,
              .keep = [&](const Findings& now) { return Keep(now, told.verdict, as_json); },
              .report = WriteReport})
      .Run();
}

Action BindValidate(CLI::App& app, const Globals& globals) {
  auto told = std::make_shared<Told>();
  Declare(app, *told);
  return [told, &globals]() -> Status {
    const int code = Run(*told, globals);
    return code == 0 ? absl::OkStatus() : EndWith(code, "");
  };
}

constexpr const char* kExitCodes =
    "  0  pass\n"
    "  N  checks that did not pass, failed and undecided ones, at most 125\n"
    "  200  wrong arguments, nothing was touched\n"
    "  201  no verdict: a call failed, or workers did not start, keep crashing or changed while "
    "they were measured\n"
    "  129, 130, 143  interrupted\n"
    "Except after 200, the deployment is left with one worker and the client stopped.\n";

}  // namespace

std::vector<Command> ValidateCommands() {
  return {{.name = "validate",
           .help =
               "Does doubling the workers raise the throughput enough? Scales a deployment step "
               "by step and compares",
           .example = "twofold validate backend-sleep localhost 0.2 client-sleep localhost 16 1.8\n"
                      "twofold validate scalability-tester-backend-sleep monitoring 2 "
                      "scalability-tester-client-sleep validation 16 1.8",
           .bind = BindValidate,
           .asks_frontend = false,
           .own_exits = kExitCodes,
           .usage_exit = validate::kExitRefused}};
}

}  // namespace twofold::cli
