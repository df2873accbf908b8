#include <absl/strings/str_cat.h>

#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/jobs/job_commands.h"
#include "cli/queues/frontend.h"
#include "lib/common/options.h"
#include "lib/show/message.h"
#include "lib/show/table.h"

namespace twofold::cli {
namespace {

using Clients = v1::Clients;

// ---- get, cancel

template <typename Request>
void AddId(CLI::App& app, Request& request) {
  app.add_option_function<std::uint64_t>(
         "ID", [&request](std::uint64_t id) { request.set_id(id); },
         "Number of the job, as `twofold job list` shows it")
      ->required();
}

template <typename Request>
auto BindById(grpc::Status (Clients::Stub::*method)(grpc::ClientContext*, const Request&,
                                                    v1::Job*)) {
  return [method](CLI::App& app, const Globals& globals) -> Action {
    auto request = std::make_shared<Request>();
    AddId(app, *request);
    return [method, request, &globals]() -> Status {
      const auto job = Frontend(globals).Call<Clients>(method, *request);
      if (!job.ok()) return job.status();
      Print(*job, globals);
      return absl::OkStatus();
    };
  };
}

// ---- list

struct ListOptions {
  std::string queue;
  std::string run;
  bool finished = false;
  int most = 100;
};

Result<std::vector<v1::Job>> List(const Frontend& frontend, const ListOptions& options) {
  constexpr int kPage = 1000;
  std::vector<v1::Job> jobs;
  v1::ListJobsRequest request;
  request.set_queue(options.queue);
  request.set_run(options.run);
  request.set_finished(options.finished);
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
  app.add_option("--run", options->run, "Only of this run");
  app.add_flag("--finished", options->finished, "Finished durable jobs, too; they come first");
  app.add_option("--most", options->most, "How many at most")
      ->check(WholeNumber(1, 10'000'000))
      ->capture_default_str();
  return [options, &globals]() -> Status {
    const auto jobs = List(Frontend(globals), *options);
    if (!jobs.ok()) return jobs.status();
    std::cout << show::Print(globals.form, JobColumns(), show::ListOf(*jobs));
    return absl::OkStatus();
  };
}

// ---- requeue

constexpr std::chrono::minutes kReplyWithin{1};  // for a page

// By their names for people: "failed", "timed_out", ...
std::map<std::string, int> Outcomes() {
  std::map<std::string, int> outcomes;
  for (int value = v1::Outcome_MIN + 1; value <= v1::Outcome_MAX; ++value) {
    outcomes[show::Word(static_cast<v1::Outcome>(value))] = value;
  }
  return outcomes;
}

/// Page by page. What was requeued before an error is in `reply`, too.
Status RequeueAll(v1::RequeueJobsRequest request, const Globals& globals,
                  v1::RequeueJobsReply& reply) {
  Frontend frontend(globals);
  do {
    const auto page = frontend.Call<Clients>(&Clients::Stub::RequeueJobs, request, kReplyWithin);
    if (!page.ok()) return page.status();
    reply.MergeFrom(*page);
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  return absl::OkStatus();
}

void PrintRequeued(const v1::RequeueJobsReply& reply, const Globals& globals) {
  Json pairs = Json::array();
  for (int i = 0; i < reply.from_size(); ++i) {
    pairs.push_back({{"from", std::to_string(reply.from(i))}, {"to", std::to_string(reply.to(i))}});
  }
  std::cout << show::Print(globals.form, {{"FINISHED", "from"}, {"NEW", "to"}}, pairs);
}

Action BindRequeue(CLI::App& app, const Globals& globals) {
  auto request = std::make_shared<v1::RequeueJobsRequest>();
  const auto id = app.add_option_function<std::uint64_t>(
      "ID", [request](std::uint64_t value) { request->set_id(value); }, "Number of one job");
  const auto run = app.add_option_function<std::string>(
      "--run", [request](const std::string& name) { request->set_run(name); },
      "All jobs of this run that did not succeed");
  run->excludes(id);
  app.add_option_function<std::vector<std::string>>(
         "--outcome",
         [request](const std::vector<std::string>& names) {
           for (const std::string& name : names) {
             request->add_outcomes(static_cast<v1::Outcome>(Outcomes().at(name)));
           }
         },
         "Of the run only those that ended so: failed, timed_out, lost, ...; repeatable")
      ->check(CLI::IsMember(Outcomes()))
      ->needs(run);
  return [request, &globals]() -> Status {
    v1::RequeueJobsReply reply;
    const Status status = RequeueAll(*request, globals, reply);
    if (status.ok() || reply.from_size() > 0) PrintRequeued(reply, globals);
    return status;
  };
}

// ---- explain

Action BindExplain(CLI::App& app, const Globals& globals) {
  auto request = std::make_shared<v1::GetJobRequest>();
  AddId(app, *request);
  return [request, &globals]() -> Status {
    const auto why = Frontend(globals).Call<Clients>(&Clients::Stub::ExplainJob, *request);
    if (!why.ok()) return why.status();
    const std::string text = absl::StrCat("job ", why->job().id(), " ",
                                          show::Word(why->job().state()), ": ", why->text(), "\n");
    std::cout << (globals.json() ? show::Line(show::ToJson(*why)) : text);
    return absl::OkStatus();
  };
}

}  // namespace

std::vector<Command> JobCommands() {
  return {
      {"job submit", "Put one job into a queue", "twofold job submit sleep --wait -- 0.5",
       BindSubmit, Prints::kTable},
      {"job get", "One job", "twofold job get 17 --output json", BindById(&Clients::Stub::GetJob),
       Prints::kTable},
      {"job list", "Waiting and running jobs; finished durable ones on demand",
       "twofold job list --run nightly --finished", BindList, Prints::kTable},
      {"job explain", "Why a job waits", "twofold job explain 17", BindExplain},
      {"job logs", "What a job prints, or its last 4 KiB", "twofold job logs -f 17", BindLogs},
      {"job output", "The whole output of a benchmark's program",
       "twofold job output 17 --rank 1 --stage server", BindOutput},
      {"job watch", "A line for each step of a job, until it has ended", "twofold job watch 17",
       BindWatch},
      {"job requeue", "Run finished durable jobs again, as new jobs",
       "twofold job requeue --run nightly --outcome failed", BindRequeue, Prints::kTable},
      {"job cancel", "End a job", "twofold job cancel 17", BindById(&Clients::Stub::CancelJob),
       Prints::kTable},
  };
}

}  // namespace twofold::cli
