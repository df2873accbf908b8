#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command/command.h"
#include "cli/jobs/job_commands.h"
#include "cli/queues/call.h"
#include "cli/queues/field.h"
#include "lib/common/counted.h"
#include "lib/common/options.h"
#include "lib/common/printable.h"
#include "lib/show/message.h"
#include "lib/show/table.h"
#include "lib/words/job_filter.h"

namespace twofold::cli {
namespace {

using Clients = v1::Clients;

const show::Columns kJobColumns = {{"ID", "id"},
                                   {"QUEUE", "queue"},
                                   {"STATE", "state"},
                                   {"OUTCOME", "outcome"},
                                   {"ATTEMPTS", "attempts"},
                                   {.heading = "WAIT S", .path = "wait_seconds", .decimals = 3},
                                   {.heading = "RUN S", .path = "run_seconds", .decimals = 3},
                                   {"POD", "pod"}};

// ---- one job

std::string Gang(const v1::Job& job) {
  if (job.gang_size() == 0) return "";
  std::string text = Counted(job.gang_size(), "worker");
  for (int rank = 0; rank < job.members_size(); ++rank) {
    const v1::WorkerName& member = job.members(rank);
    absl::StrAppend(&text, rank == 0 ? ": " : ", ", rank, " on ", member.node(), "/", member.pod());
  }
  return text;
}

/// Empty if there is nothing to say.
std::string JobDetails(const v1::Job& job) {
  const std::pair<const char*, std::string> lines[] = {
      {"run", job.run()},
      {"durable", job.durable() ? "yes" : ""},
      {"gang", Gang(job)},
      {"progress", Progress(job)},
      {"requeued as", job.requeued_as() == 0 ? "" : absl::StrCat(job.requeued_as())},
      {"error", job.report().error()}};
  std::string text;
  for (const auto& [name, value] : lines) {
    if (!value.empty()) absl::StrAppend(&text, name, ": ", Printable(value, value.size()), "\n");
  }
  if (job.report().output().empty()) return text;
  absl::StrAppend(&text, "output:\n", job.report().output());
  if (text.back() != '\n') text += '\n';
  return text;
}

// ---- get, cancel, explain

template <typename Request>
void NameJob(CLI::App& app, Request& request) {
  AddField(app, "ID", request, &Request::set_id,
           "Number of the job, as `twofold job list` shows it")
      ->required();
}

void ShowWhy(const v1::Explanation& why, const Globals& globals) {
  const std::string text = absl::StrCat("job ", why.job().id(), " ", show::Word(why.job().state()),
                                        ": ", why.text(), "\n");
  std::cout << (globals.json() ? show::Line(show::ToJson(why)) : text);
}

// ---- list

struct ListOptions {
  v1::ListJobsRequest request;
  std::size_t most = 100;
};

Status ListJobs(const ListOptions& options, const Globals& globals) {
  constexpr std::size_t kPage = 1000;
  const Frontend frontend(globals);
  std::vector<v1::Job> jobs;
  v1::ListJobsRequest request = options.request;
  do {
    const std::size_t left = options.most - jobs.size();
    request.set_page_size(static_cast<std::uint32_t>(std::min(left, kPage)));
    const auto page = frontend.ListJobs(request);
    if (!page.ok()) return page.status();
    jobs.insert(jobs.end(), page->jobs().begin(), page->jobs().end());
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty() && jobs.size() < options.most);
  std::cout << show::Print(globals.form, kJobColumns, show::ListOf(jobs));
  return absl::OkStatus();
}

Action BindList(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<ListOptions>();
  v1::ListJobsRequest& request = options->request;
  AddField(app, "--queue", request, &v1::ListJobsRequest::set_queue, "Only of this queue")
      ->check(QueueName());
  AddField(app, "--run", request, &v1::ListJobsRequest::set_run, "Only of this run");
  app.add_option_function<std::vector<std::string>>(
         "--state",
         [options](const std::vector<std::string>& words) {
           for (const std::string& word : words) {
             AddToFilter(word, options->request).IgnoreError();  // checked
           }
         },
         "Only those that wait, run, or ended so; commas between, repeatable")
      ->delimiter(',')
      ->check(CLI::IsMember(JobFilterWords()));
  AddField(app, "--finished", request, &v1::ListJobsRequest::set_finished,
           "Finished durable jobs, too; they come first");
  AddOption(app, "--most", options->most, WholeNumber(1, 10'000'000), "How many at most");
  return [options, &globals] { return ListJobs(*options, globals); };
}

// ---- requeue

// By their names for people: "failed", "timed_out", ...
std::map<std::string, int> Outcomes() {
  std::map<std::string, int> outcomes;
  for (int value = v1::Outcome_MIN + 1; value <= v1::Outcome_MAX; ++value) {
    outcomes[show::Word(static_cast<v1::Outcome>(value))] = value;
  }
  return outcomes;
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
  using Request = v1::RequeueJobsRequest;
  CLI::Option* id = AddField(app, "ID", *request, &Request::set_id, "Number of one job");
  CLI::Option* run = AddField(app, "--run", *request, &Request::set_run,
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
    const Status status = Frontend(globals).Requeue(*request, reply);
    if (status.ok() || reply.from_size() > 0) PrintRequeued(reply, globals);
    return status;
  };
}

}  // namespace

std::string Progress(const v1::Job& job) {
  if (job.progress() == 0 && job.progress_line().empty()) return "";
  return absl::StrFormat("%.0f %%%s%s", 100 * job.progress(),
                         job.progress_line().empty() ? "" : " ", job.progress_line());
}

void Print(const v1::Job& job, const Globals& globals) {
  std::cout << show::Print(globals.form, kJobColumns, show::ToJson(job));
  if (globals.form == show::Form::kText) std::cout << JobDetails(job);
}

std::vector<Command> JobCommands() {
  return {
      {"job submit", "Put one job into a queue", "twofold job submit sleep --wait -- 0.5",
       BindSubmit, Prints::kTable},
      {"job get", "One job", "twofold job get 17 --output json",
       BindCall<Clients>(&Clients::Stub::GetJob, NameJob<v1::GetJobRequest>, Print),
       Prints::kTable},
      {"job list", "Waiting and running jobs; finished durable ones on demand",
       "twofold job list --run nightly --state failed,lost", BindList, Prints::kTable},
      {"job explain", "Why a job waits", "twofold job explain 17",
       BindCall<Clients>(&Clients::Stub::ExplainJob, NameJob<v1::GetJobRequest>, ShowWhy)},
      {"job logs", "What a job prints, or its last 4 KiB", "twofold job logs -f 17", BindLogs},
      {"job output", "The whole output of a benchmark's program",
       "twofold job output 17 --rank 1 --stage server", BindOutput},
      {"job watch", "A line for each step of a job, until it has ended", "twofold job watch 17",
       BindWatch},
      {"job requeue", "Run finished durable jobs again, as new jobs",
       "twofold job requeue --run nightly --outcome failed", BindRequeue, Prints::kTable},
      {"job cancel", "End a job", "twofold job cancel 17",
       BindCall<Clients>(&Clients::Stub::CancelJob, NameJob<v1::CancelJobRequest>, Print),
       Prints::kTable},
  };
}

}  // namespace twofold::cli
