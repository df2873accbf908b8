#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>
#include <absl/time/time.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "cli/jobs/job_commands.h"
#include "cli/queues/frontend.h"
#include "lib/common/arguments.h"
#include "lib/common/instant.h"
#include "lib/common/options.h"

namespace twofold::cli {
namespace {

constexpr double kLongest = 10 * 365 * 86400.0;  // seconds
constexpr int kMostRunning = 1'000'000;

struct SubmitOptions {
  v1::SubmitJobRequest request;
  std::vector<std::string> arguments;
  double timeout_seconds = 3600;

  v1::JobOptions& job() { return *request.mutable_options(); }
};

using Options = std::shared_ptr<SubmitOptions>;

std::uint64_t Ns(double seconds) {
  return static_cast<std::uint64_t>(FromSeconds(seconds).count());
}

// Sent as a duration: the clocks of two machines are never compared. What is past is now.
std::uint64_t NsUntil(const std::string& instant) {
  absl::Time time;
  std::string why;
  if (!absl::ParseTime(absl::RFC3339_full, instant, &time, &why)) {
    throw CLI::ValidationError(
        "--not-before", absl::StrCat("'", instant, "' is no instant with a time zone, such as ",
                                     "2026-12-24T18:00:00Z (", why, ")"));
  }
  const absl::Duration left = time - absl::Now();
  return Ns(std::clamp(absl::ToDoubleSeconds(left), 0.0, kLongest));
}

// Options that are fields of JobOptions, set as they are read.
CLI::Option* Text(CLI::App& app, const Options& options, const std::string& name,
                  void (*set)(v1::JobOptions&, const std::string&), const std::string& help) {
  return app.add_option_function<std::string>(
      name, [=](const std::string& text) { set(options->job(), text); }, help);
}

CLI::Option* Number(CLI::App& app, const Options& options, const std::string& name,
                    void (*set)(v1::JobOptions&, int), const std::string& help, int least,
                    int most) {
  return app
      .add_option_function<int>(
          name, [=](int value) { set(options->job(), value); }, help)
      ->check(WholeNumber(least, most));
}

CLI::Option* Time(CLI::App& app, const Options& options, const std::string& name,
                  void (*set)(v1::JobOptions&, std::uint64_t), const std::string& help) {
  return app
      .add_option_function<double>(
          name, [=](double seconds) { set(options->job(), Ns(seconds)); }, help)
      ->check(Seconds(0, kLongest));
}

void AddBasics(CLI::App& app, const Options& options) {
  Text(
      app, options, "QUEUE", [](auto& job, auto& name) { job.set_queue(name); }, "The queue")
      ->required()
      ->check(QueueName());
  app.add_option("ARGS", options->arguments, "After --: arguments for the workload");
  Text(
      app, options, "--suite", [](auto& job, auto& name) { job.set_suite(name); },
      "Which workload; else the one the worker has");
  Number(
      app, options, "--priority", [](auto& job, int value) { job.set_priority(value); },
      "-10 to 10, higher first; else 0", -10, 10);
  Number(
      app, options, "--attempts",
      [](auto& job, int value) { job.set_max_attempts(static_cast<std::uint32_t>(value)); },
      "Tries if workers vanish; else 1", 1, 1000);
  app.add_flag_function(
      "--wait", [options](std::int64_t) { options->request.set_wait(true); },
      "Return when the job has ended; fail if it failed");
  app.add_option("--timeout", options->timeout_seconds, "Longest --wait; the job goes on after it")
      ->check(Seconds(0, 1e6))
      ->capture_default_str();
}

void AddKeeping(CLI::App& app, const Options& options) {
  app.add_flag_function(
      "--durable", [options](std::int64_t) { options->job().set_durable(true); },
      "On disk before it is acknowledged; its result is kept (frontend with --store)");
  Text(
      app, options, "--run", [](auto& job, auto& name) { job.set_run(name); },
      "Name of the run it belongs to, to look it up by");
  Text(
      app, options, "--dedup-key", [](auto& job, auto& key) { job.set_dedup_key(key); },
      "While a job with this key waits or runs in the queue, this is that job");
}

void AddTimes(CLI::App& app, const Options& options) {
  Time(
      app, options, "--limit", [](auto& job, std::uint64_t ns) { job.set_limit_ns(ns); },
      "Longest run time in seconds; 0 = none");
  Time(
      app, options, "--delay", [](auto& job, std::uint64_t ns) { job.set_delay_ns(ns); },
      "Not before so many seconds have passed");
  Text(
      app, options, "--not-before", [](auto& job, auto& text) { job.set_delay_ns(NsUntil(text)); },
      "The same as an instant, such as 2026-12-24T18:00:00+01:00, by this machine's clock")
      ->excludes("--delay");
  Time(
      app, options, "--deadline", [](auto& job, std::uint64_t ns) { job.set_deadline_ns(ns); },
      "Rejected if no worker has it after so many seconds (and its delay); 0 = it may wait");
}

void AddPlacement(CLI::App& app, const Options& options) {
  const auto add = [&](const std::string& name, void (*set)(v1::Placement&, const std::string&),
                       const std::string& help) {
    return app.add_option_function<std::vector<std::string>>(
        name,
        [=](const std::vector<std::string>& all) {
          for (const std::string& one : all) set(*options->job().mutable_placement(), one);
        },
        help);
  };
  add(
      "--label", [](auto& place, auto& label) { place.add_labels(label); },
      "Only on workers with this label; repeat it for those with all of them")
      ->type_name("KEY=VALUE");
  add(
      "--node", [](auto& place, auto& node) { place.add_nodes(node); },
      "Only on this node; repeat it for a choice")
      ->type_name("NODE");
}

void AddGang(CLI::App& app, const Options& options) {
  CLI::Option* gang = Number(
      app, options, "--gang",
      [](auto& job, int size) { job.mutable_gang()->set_size(static_cast<std::uint32_t>(size)); },
      "So many workers run it together: all or none", 2, 4096);
  Text(
      app, options, "--spread",
      [](auto& job, auto& spread) {
        job.mutable_gang()->set_spread(spread == "node" ? v1::SPREAD_NODE : v1::SPREAD_ANY);
      },
      "any: free workers wherever they are; node: each on a node of its own. Else any")
      ->check(CLI::IsMember({"any", "node"}))
      ->needs(gang);
  Time(
      app, options, "--gang-timeout",
      [](auto& job, std::uint64_t ns) { job.mutable_gang()->set_timeout_ns(ns); },
      "How many seconds workers may stand idle for it while it gathers the others; else 30")
      ->needs(gang);
}

void AddKeys(CLI::App& app, const Options& options) {
  CLI::Option* fair = Text(
      app, options, "--fair-key", [](auto& job, auto& key) { job.set_fair_key(key); },
      "Keys of one priority take turns");
  Number(
      app, options, "--fair-weight",
      [](auto& job, int weight) { job.set_fair_weight(static_cast<std::uint32_t>(weight)); },
      "Turns of the key relative to those of other keys; else 1", 1, 1000)
      ->needs(fair);
  CLI::Option* limit = Text(
      app, options, "--limit-key", [](auto& job, auto& key) { job.set_limit_key(key); },
      "No more than --key-limit jobs with this key run at once");
  Number(
      app, options, "--key-limit",
      [](auto& job, int most) { job.set_key_limit(static_cast<std::uint32_t>(most)); },
      "Jobs of the key that run at once; else 1", 1, kMostRunning)
      ->needs(limit);
}

Status Submit(SubmitOptions& options, const Globals& globals) {
  const bool wait = options.request.wait();
  options.request.set_spec(EncodeArguments(options.arguments));
  const Duration timeout = wait ? FromSeconds(options.timeout_seconds) : std::chrono::seconds(10);
  const auto job =
      Frontend(globals).Call<v1::Clients>(&v1::Clients::Stub::SubmitJob, options.request, timeout);
  if (!job.ok()) return job.status();
  Print(*job, globals);
  if (!wait || job->outcome() == v1::OUTCOME_SUCCEEDED) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("job ", job->id(), " did not succeed"));
}

}  // namespace

Action BindSubmit(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<SubmitOptions>();
  AddBasics(app, options);
  AddTimes(app, options);
  AddKeeping(app, options);
  AddPlacement(app, options);
  AddGang(app, options);
  AddKeys(app, options);
  return [options, &globals] { return Submit(*options, globals); };
}

}  // namespace twofold::cli
