#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/jobs/job_commands.h"
#include "cli/queues/frontend.h"
#include "lib/show/message.h"
#include "lib/show/table.h"

namespace twofold::cli {
namespace {

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
    const auto page =
        frontend.Call<v1::Clients>(&v1::Clients::Stub::RequeueJobs, request, kReplyWithin);
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

}  // namespace

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

}  // namespace twofold::cli
