#include <iostream>
#include <memory>

#include "cli/command/command.h"
#include "cli/command/repeat.h"
#include "cli/queues/call.h"
#include "cli/queues/field.h"
#include "lib/common/instant.h"
#include "lib/common/options.h"
#include "lib/show/message.h"
#include "lib/show/table.h"

namespace twofold::cli {
namespace {

const show::Columns kQueueColumns = {
    {"QUEUE", "name"},
    {"STATE", "state"},
    {"WAITING", "waiting"},
    {"RUNNING", "running"},
    {.heading = "OLDEST S", .path = "oldest_waiting_seconds", .decimals = 1},
    {"IDLE", "workers.idle"},
    {"BUSY", "workers.busy"},
    {"SUCCEEDED", "finished.succeeded"},
    {.heading = "OTHER ENDS",
     .path = "finished.failed+finished.timed_out+finished.cancelled+finished.lost"
             "+finished.rejected+finished.abandoned",
     .name = "other_ends"},
    // What is 0 most of the time.
    {.heading = "DELAYED", .path = "delayed", .if_any = true},
    {.heading = "KEY LIMITED", .path = "key_limited", .if_any = true},
    {.heading = "GANGS", .path = "gangs_waiting", .if_any = true},
    {.heading = "RESERVED", .path = "workers_reserved", .if_any = true},
    {.heading = "PAUSED", .path = "workers_paused", .if_any = true},
    {.heading = "FRONTEND", .path = "frontend", .if_any = true},
    {.heading = "STORE", .path = "store_trouble", .if_any = true},
};

const show::Columns kWorkerColumns = {
    {"QUEUE", "queue"},
    {"NODE", "node"},
    {"POD", "pod"},
    {"DEVICE", "device"},
    {"STATE", "state"},
    {"SLOTS", "slots"},
    {"BUSY", "busy"},
    {"LABELS", "labels"},
    {.heading = "CPU S", .path = "usage.cpu_seconds", .decimals = 1, .if_any = true},
    {.heading = "THROTTLED S", .path = "usage.throttled_seconds", .decimals = 1, .if_any = true},
};

void ShowQueue(const v1::Queue& queue, const Globals& globals) {
  std::cout << show::Print(globals.form, kQueueColumns, show::ToJson(queue));
}

Result<std::string> TextOfQueues(const Globals& globals) {
  const auto reply =
      Frontend(globals).Call<v1::Admin>(&v1::Admin::Stub::ListQueues, v1::ListQueuesRequest());
  if (!reply.ok()) return reply.status();
  return show::Print(globals.form, kQueueColumns, show::ListOf(reply->queues()));
}

// Once, or with --watch until somebody ends it.
Action BindQueues(CLI::App& app, const Globals& globals) {
  struct Options {
    bool watch = false;
    double interval_seconds = 1;
  };
  auto options = std::make_shared<Options>();
  auto* const watch = app.add_flag(
      "--watch", options->watch,
      "Look again and again, until Ctrl-C: in place on a terminal, else one list after the other");
  AddOption(app, "--interval", options->interval_seconds, Seconds(0.1, 3600),
            "Seconds between the looks of --watch")
      ->needs(watch);
  return [options, &globals]() -> Status {
    const Look look = [&globals] { return TextOfQueues(globals); };
    if (options->watch) return Repeat(look, FromSeconds(options->interval_seconds));
    const Result<std::string> text = look();
    if (text.ok()) std::cout << *text;
    return text.status();
  };
}

void ShowWorkers(const v1::ListWorkersReply& reply, const Globals& globals) {
  std::cout << show::Print(globals.form, kWorkerColumns, show::ListOf(reply.workers()));
}

void NameQueue(CLI::App& app, v1::QueueRequest& request) {
  AddField(app, "NAME", request, &v1::QueueRequest::set_queue, "The queue")->required();
}

void ChooseWorkers(CLI::App& app, v1::WorkersRequest& request) {
  AddField(app, "--queue", request, &v1::WorkersRequest::set_queue,
           "Only of this queue, or of one of its shards")
      ->check(QueueOrShard());
  AddField(app, "--node", request, &v1::WorkersRequest::set_node,
           "Only on nodes whose name matches, like 'gpu-*'");
  AddField(app, "--pod", request, &v1::WorkersRequest::set_pod, "Only pods whose name matches");
}

using AdminStub = v1::Admin::Stub;

// The commands that change one queue and show it.
auto BindQueue(grpc::Status (AdminStub::*method)(grpc::ClientContext*, const v1::QueueRequest&,
                                                 v1::Queue*)) {
  return BindCall<v1::Admin>(method, NameQueue, ShowQueue);
}

// Those that ask for, or change, the workers that match, and show them.
auto BindWorkers(grpc::Status (AdminStub::*method)(grpc::ClientContext*, const v1::WorkersRequest&,
                                                   v1::ListWorkersReply*)) {
  return BindCall<v1::Admin>(method, ChooseWorkers, ShowWorkers);
}

}  // namespace

std::vector<Command> QueueCommands() {
  return {
      {"queues", "The queues of a frontend: jobs, workers, ends", "twofold queues --watch",
       BindQueues, Prints::kTable, true, kExitsOfListing},
      {"queue pause", "Hand out no more jobs; still accept them", "twofold queue pause sleep",
       BindQueue(&AdminStub::PauseQueue), Prints::kTable},
      {"queue resume", "End pause and drain", "twofold queue resume sleep",
       BindQueue(&AdminStub::ResumeQueue), Prints::kTable},
      {"queue drain", "Accept no more jobs; run what is there", "twofold queue drain sleep",
       BindQueue(&AdminStub::DrainQueue), Prints::kTable},
  };
}

std::vector<Command> WorkerCommands() {
  return {
      {"worker list", "Worker processes: where they are and what they do",
       "twofold worker list --queue sleep", BindWorkers(&AdminStub::ListWorkers), Prints::kTable},
      {"worker pause", "Hand no more jobs to matching workers, nor to those that join later",
       "twofold worker pause --node 'gpu-*'", BindWorkers(&AdminStub::PauseWorkers),
       Prints::kTable},
      {"worker resume", "End their pause", "twofold worker resume --node 'gpu-*'",
       BindWorkers(&AdminStub::ResumeWorkers), Prints::kTable},
      {"worker drain", "Let them finish what they have, then leave",
       "twofold worker drain --pod 'fio-7*'", BindWorkers(&AdminStub::DrainWorkers),
       Prints::kTable},
  };
}

}  // namespace twofold::cli
