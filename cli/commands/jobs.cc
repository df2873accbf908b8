#include <absl/strings/str_cat.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/commands/frontend.h"
#include "cli/commands/job_view.h"
#include "cli/table.h"
#include "lib/common/arguments.h"
#include "lib/common/instant.h"
#include "lib/common/options.h"

namespace twofold::cli {
namespace {

using Clients = v1::Clients;
using Json = nlohmann::ordered_json;

Json AllJson(const std::vector<v1::Job>& jobs) {
  Json json = Json::array();
  for (const v1::Job& job : jobs) json.push_back(ToJson(job));
  return json;
}

// Output of programs may hold any bytes: what is not UTF-8 is replaced.
void Print(const Json& json) {
  std::cout << json.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
}

Status Show(const Result<v1::Job>& job, const Globals& globals) {
  if (!job.ok()) return job.status();
  if (globals.json) {
    Print(ToJson(*job));
  } else {
    std::cout << Table({JobHeading(), JobRow(*job)}) << JobDetails(*job);
  }
  return absl::OkStatus();
}

// ---- get, cancel

template <typename Request>
auto BindById(grpc::Status (Clients::Stub::*method)(grpc::ClientContext*, const Request&,
                                                    v1::Job*)) {
  return [method](CLI::App& app, const Globals& globals) -> Action {
    auto id = std::make_shared<std::uint64_t>();
    app.add_option("ID", *id, "Number of the job, as `twofold job list` shows it")->required();
    return [method, id, &globals] {
      Request request;
      request.set_id(*id);
      return Show(Frontend(globals).Call<Clients>(method, request), globals);
    };
  };
}

// ---- list

struct ListOptions {
  std::string queue;
  int most = 100;
};

Result<std::vector<v1::Job>> List(const Frontend& frontend, const ListOptions& options) {
  constexpr int kPage = 1000;
  std::vector<v1::Job> jobs;
  v1::ListJobsRequest request;
  request.set_queue(options.queue);
  do {
    const int left = options.most - static_cast<int>(jobs.size());
    request.set_page_size(static_cast<std::uint32_t>(std::min(left, kPage)));
    auto reply = frontend.Call<Clients>(&Clients::Stub::ListJobs, request);
    if (!reply.ok()) return reply.status();
    jobs.insert(jobs.end(), reply->jobs().begin(), reply->jobs().end());
    request.set_page_token(reply->next_page_token());
  } while (!request.page_token().empty() && static_cast<int>(jobs.size()) < options.most);
  return jobs;
}

Action BindList(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<ListOptions>();
  app.add_option("--queue", options->queue, "Only of this queue")->check(QueueName());
  app.add_option("--most", options->most, "How many at most")
      ->check(WholeNumber(1, 10'000'000))
      ->capture_default_str();
  return [options, &globals]() -> Status {
    const auto jobs = List(Frontend(globals), *options);
    if (!jobs.ok()) return jobs.status();
    if (globals.json) {
      Print(AllJson(*jobs));
      return absl::OkStatus();
    }
    std::vector<std::vector<std::string>> rows = {JobHeading()};
    for (const v1::Job& job : *jobs) rows.push_back(JobRow(job));
    std::cout << Table(rows);
    return absl::OkStatus();
  };
}

// ---- submit

struct SubmitOptions {
  std::string queue;
  std::string suite;
  std::vector<std::string> arguments;
  double limit_seconds = 0;
  int priority = 0;
  std::uint32_t attempts = 1;
  bool wait = false;
  double timeout_seconds = 3600;
};

v1::SubmitJobRequest RequestFor(const SubmitOptions& options) {
  v1::SubmitJobRequest request;
  v1::JobOptions& job = *request.mutable_options();
  job.set_queue(options.queue);
  job.set_suite(options.suite);
  job.set_limit_ns(static_cast<std::uint64_t>(FromSeconds(options.limit_seconds).count()));
  job.set_priority(options.priority);
  job.set_max_attempts(options.attempts);
  request.set_spec(EncodeArguments(options.arguments));
  request.set_wait(options.wait);
  return request;
}

Status Submit(const SubmitOptions& options, const Globals& globals) {
  const Duration timeout =
      options.wait ? FromSeconds(options.timeout_seconds) : std::chrono::seconds(10);
  const auto job =
      Frontend(globals).Call<Clients>(&Clients::Stub::SubmitJob, RequestFor(options), timeout);
  const Status shown = Show(job, globals);
  if (!shown.ok() || !options.wait || job->outcome() == v1::OUTCOME_SUCCEEDED) return shown;
  return absl::InternalError(absl::StrCat("job ", job->id(), " did not succeed"));
}

Action BindSubmit(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<SubmitOptions>();
  app.add_option("QUEUE", options->queue, "The queue")->required()->check(QueueName());
  app.add_option("ARGS", options->arguments, "After --: arguments for the workload");
  app.add_option("--suite", options->suite, "Which workload; else the one the worker has");
  app.add_option("--limit", options->limit_seconds, "Longest run time; 0 = none")
      ->check(Seconds())
      ->capture_default_str();
  app.add_option("--priority", options->priority, "-10 to 10, higher first")
      ->check(WholeNumber(-10, 10))
      ->capture_default_str();
  app.add_option("--attempts", options->attempts, "Tries if workers vanish")
      ->check(WholeNumber(1, 1000))
      ->capture_default_str();
  app.add_flag("--wait", options->wait, "Return when the job has ended; fail if it failed");
  app.add_option("--timeout", options->timeout_seconds, "Longest --wait; the job goes on after it")
      ->check(Seconds(0, 1e6))
      ->capture_default_str();
  return [options, &globals] { return Submit(*options, globals); };
}

}  // namespace

std::vector<Command> JobCommands() {
  return {
      {"job submit", "Put one job into a queue", "twofold job submit sleep --wait -- 0.5",
       BindSubmit},
      {"job get", "One job", "twofold job get 17 --output json", BindById(&Clients::Stub::GetJob)},
      {"job list", "Waiting and running jobs", "twofold job list --queue sleep", BindList},
      {"job cancel", "End a job", "twofold job cancel 17", BindById(&Clients::Stub::CancelJob)},
  };
}

}  // namespace twofold::cli
