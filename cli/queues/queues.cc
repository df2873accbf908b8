#include <iostream>
#include <memory>

#include "cli/command/command.h"
#include "cli/queues/frontend.h"
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
};

Action BindQueues(CLI::App&, const Globals& globals) {
  return [&globals]() -> Status {
    const auto reply =
        Frontend(globals).Call<v1::Admin>(&v1::Admin::Stub::ListQueues, v1::ListQueuesRequest());
    if (!reply.ok()) return reply.status();
    std::cout << show::Print(globals.form, kQueueColumns, show::ListOf(reply->queues()));
    return absl::OkStatus();
  };
}

using QueueMethod = grpc::Status (v1::Admin::Stub::*)(grpc::ClientContext*, const v1::QueueRequest&,
                                                      v1::Queue*);

// The commands that change one queue and show it.
auto BindChange(QueueMethod method) {
  return [method](CLI::App& app, const Globals& globals) -> Action {
    auto request = std::make_shared<v1::QueueRequest>();
    app.add_option_function<std::string>(
           "NAME", [request](const std::string& name) { request->set_queue(name); }, "The queue")
        ->required();
    return [method, request, &globals]() -> Status {
      const auto queue = Frontend(globals).Call<v1::Admin>(method, *request);
      if (!queue.ok()) return queue.status();
      std::cout << show::Print(globals.form, kQueueColumns, show::ToJson(*queue));
      return absl::OkStatus();
    };
  };
}

}  // namespace

std::vector<Command> QueueCommands() {
  return {
      {"queues", "The queues of a frontend: jobs, workers, ends", "twofold queues --output json",
       BindQueues, Prints::kTable},
      {"queue pause", "Hand out no more jobs; still accept them", "twofold queue pause sleep",
       BindChange(&v1::Admin::Stub::PauseQueue), Prints::kTable},
      {"queue resume", "End pause and drain", "twofold queue resume sleep",
       BindChange(&v1::Admin::Stub::ResumeQueue), Prints::kTable},
      {"queue drain", "Accept no more jobs; run what is there", "twofold queue drain sleep",
       BindChange(&v1::Admin::Stub::DrainQueue), Prints::kTable},
  };
}

}  // namespace twofold::cli
