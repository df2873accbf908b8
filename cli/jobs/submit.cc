#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>
#include <absl/time/time.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>

#include "cli/jobs/job_commands.h"
#include "cli/queues/call.h"
#include "cli/queues/field.h"
#include "lib/common/arguments.h"
#include "lib/common/instant.h"
#include "lib/common/options.h"
#include "lib/common/printable.h"
#include "lib/words/measurement.h"
#include "lib/words/word.h"

namespace twofold::cli {
namespace {

constexpr double kLongest = 10 * 365 * 86400.0;  // seconds
constexpr int kMostRunning = 1'000'000;

struct SubmitOptions {
  v1::SubmitJobRequest request;
  std::vector<std::string> arguments;
  bool wait = false;
  double timeout_seconds = 3600;
};

// Sent as a duration: the clocks of two machines are never compared. What is past is now.
Duration TimeUntil(const std::string& instant) {
  absl::Time time;
  std::string why;
  if (!absl::ParseTime(absl::RFC3339_full, instant, &time, &why)) {
    throw CLI::ValidationError(
        "--not-before", absl::StrCat("'", instant, "' is no instant with a time zone, such as ",
                                     "2026-12-24T18:00:00Z (", why, ")"));
  }
  return FromSeconds(std::clamp(absl::ToDoubleSeconds(time - absl::Now()), 0.0, kLongest));
}

using v1::JobOptions;

void AddBasics(CLI::App& app, SubmitOptions& options, JobOptions& job) {
  AddField(app, "QUEUE", job, &JobOptions::set_queue, "The queue")->required()->check(QueueName());
  AddWords(app, "ARGS", options.arguments, "After --: arguments for the workload");
  AddField(app, "--suite", job, &JobOptions::set_suite,
           "Which workload; else the one the worker has");
  AddField(app, "--priority", job, &JobOptions::set_priority, "-10 to 10, higher first; else 0")
      ->check(WholeNumber(-10, 10));
  AddField(app, "--attempts", job, &JobOptions::set_max_attempts, "Tries if workers vanish; else 1")
      ->check(WholeNumber(1, 1000));
  app.add_flag("--wait", options.wait, "Return when the job has ended; fail if it failed");
  AddOption(app, "--timeout", options.timeout_seconds, Seconds(0, 1e6),
            "Longest --wait; the job goes on after it");
}

void AddTimes(CLI::App& app, JobOptions& job) {
  AddSeconds(app, "--limit", job, &JobOptions::set_limit_ns, kLongest,
             "Longest run time in seconds; 0 = none");
  CLI::Option* delay = AddSeconds(app, "--delay", job, &JobOptions::set_delay_ns, kLongest,
                                  "Not before so many seconds have passed");
  app.add_option_function<std::string>(
         "--not-before",
         [&job](const std::string& text) {
           job.set_delay_ns(static_cast<std::uint64_t>(TimeUntil(text).count()));
         },
         "The same as an instant, such as 2026-12-24T18:00:00+01:00, by this machine's clock")
      ->excludes(delay);
  AddSeconds(app, "--deadline", job, &JobOptions::set_deadline_ns, kLongest,
             "Rejected if no worker has had it after so many seconds (and its delay); 0 = it may "
             "wait. About its first start alone");
}

void AddKeeping(CLI::App& app, JobOptions& job) {
  AddField(app, "--durable", job, &JobOptions::set_durable,
           "On disk before it is acknowledged; its result is kept (frontend with --store)");
  AddField(app, "--run", job, &JobOptions::set_run,
           "Name of the run it belongs to, to look it up by");
  AddField(app, "--dedup-key", job, &JobOptions::set_dedup_key,
           "While a job with this key waits or runs in the queue, this is that job");
}

void AddPlacement(CLI::App& app, JobOptions& job) {
  using Strings = std::vector<std::string>;
  app.add_option_function<Strings>(
         "--label",
         [&job](const Strings& all) {
           for (const std::string& label : all) job.mutable_placement()->add_labels(label);
         },
         "Only on workers with this label; repeat it for those with all of them")
      ->type_name("KEY=VALUE");
  app.add_option_function<Strings>(
         "--node",
         [&job](const Strings& all) {
           for (const std::string& node : all) job.mutable_placement()->add_nodes(node);
         },
         "Only on this node; repeat it for a choice")
      ->type_name("NODE");
}

// A gang of no size is none: Submit takes it out.
void AddGang(CLI::App& app, JobOptions& job) {
  v1::Gang& gang = *job.mutable_gang();
  CLI::Option* size = AddField(app, "--gang", gang, &v1::Gang::set_size,
                               "So many workers run it together: all or none");
  size->check(WholeNumber(2, 4096));
  app.add_option_function<std::string>(
         "--spread",
         [&gang](const std::string& spread) {
           gang.set_spread(spread == "node" ? v1::SPREAD_NODE : v1::SPREAD_ANY);
         },
         "any: free workers wherever they are; node: each on a node of its own. Else any")
      ->check(CLI::IsMember({"any", "node"}))
      ->needs(size);
  AddSeconds(app, "--gang-timeout", gang, &v1::Gang::set_timeout_ns, kLongest,
             "How many seconds workers may stand idle for it while it gathers the others; else 30")
      ->needs(size);
}

void AddKeys(CLI::App& app, JobOptions& job) {
  CLI::Option* fair = AddField(app, "--fair-key", job, &JobOptions::set_fair_key,
                               "Keys of one priority take turns");
  AddField(app, "--fair-weight", job, &JobOptions::set_fair_weight,
           "Turns of the key relative to those of other keys; else 1")
      ->check(WholeNumber(1, 1000))
      ->needs(fair);
  CLI::Option* limit = AddField(app, "--limit-key", job, &JobOptions::set_limit_key,
                                "No more than --key-limit jobs with this key run at once");
  AddField(app, "--key-limit", job, &JobOptions::set_key_limit,
           "Jobs of the key that run at once; else 1")
      ->check(WholeNumber(1, kMostRunning))
      ->needs(limit);
}

constexpr std::size_t kMostOfWhy = 300;  // of what a workload says

// "throughput direction=forward: 9.2 Gbit/s", a line each; empty: it has measured nothing (yet).
std::string HeadlinesOf(const v1::Job& job) {
  std::string lines;
  v1::BenchmarkResult result;
  if (!result.ParseFromString(job.report().data())) return lines;
  for (const v1::Measurement& one : result.measurements()) {
    if (one.headline()) absl::StrAppend(&lines, MeasurementText(one), "\n");
  }
  return lines;
}

Status Submit(SubmitOptions& options, const Globals& globals) {
  JobOptions& submitted = *options.request.mutable_options();
  if (submitted.gang().size() == 0) submitted.clear_gang();
  options.request.set_spec(EncodeArguments(options.arguments));
  const Frontend frontend(globals);
  auto job = frontend.Call<v1::Clients>(&v1::Clients::Stub::SubmitJob, options.request);
  if (job.ok() && options.wait) {
    job = AwaitEnd(frontend, job->id(), FromSeconds(options.timeout_seconds));
  }
  if (!job.ok()) return job.status();
  Print(*job, globals);
  if (!globals.json()) std::cout << HeadlinesOf(*job);
  if (!options.wait || job->outcome() == v1::OUTCOME_SUCCEEDED) return absl::OkStatus();
  const std::string& why = job->report().error();
  return absl::InternalError(absl::StrCat("job ", job->id(),
                                          " did not succeed: ", Word(job->outcome()),
                                          why.empty() ? "" : ", ", Printable(why, kMostOfWhy)));
}

}  // namespace

Action BindSubmit(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<SubmitOptions>();
  JobOptions& job = *options->request.mutable_options();
  AddBasics(app, *options, job);
  AddTimes(app, job);
  AddKeeping(app, job);
  AddPlacement(app, job);
  AddGang(app, job);
  AddKeys(app, job);
  return [options, &globals] { return Submit(*options, globals); };
}

}  // namespace twofold::cli
