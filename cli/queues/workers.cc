#include <iostream>
#include <memory>

#include "cli/command/command.h"
#include "cli/queues/frontend.h"
#include "lib/common/options.h"
#include "lib/show/message.h"
#include "lib/show/table.h"

namespace twofold::cli {
namespace {

using Stub = v1::Admin::Stub;

const show::Columns kWorkerColumns = {
    {"QUEUE", "queue"}, {"NODE", "node"},   {"POD", "pod"},   {"DEVICE", "device"},
    {"STATE", "state"}, {"SLOTS", "slots"}, {"BUSY", "busy"}, {"LABELS", "labels"},
};

using Method = grpc::Status (Stub::*)(grpc::ClientContext*, const v1::WorkersRequest&,
                                      v1::ListWorkersReply*);

// Asks for, or changes, those that match, and shows them.
auto Bind(Method method) {
  return [method](CLI::App& app, const Globals& globals) -> Action {
    auto request = std::make_shared<v1::WorkersRequest>();
    app.add_option_function<std::string>(
           "--queue", [request](const std::string& name) { request->set_queue(name); },
           "Only of this queue")
        ->check(QueueName());
    app.add_option_function<std::string>(
        "--node", [request](const std::string& pattern) { request->set_node(pattern); },
        "Only on nodes whose name matches, like 'gpu-*'");
    app.add_option_function<std::string>(
        "--pod", [request](const std::string& pattern) { request->set_pod(pattern); },
        "Only pods whose name matches");
    return [method, request, &globals]() -> Status {
      const auto reply = Frontend(globals).Call<v1::Admin>(method, *request);
      if (!reply.ok()) return reply.status();
      std::cout << show::Print(globals.form, kWorkerColumns, show::ListOf(reply->workers()));
      return absl::OkStatus();
    };
  };
}

}  // namespace

std::vector<Command> WorkerCommands() {
  return {
      {"worker list", "Worker processes: where they are and what they do",
       "twofold worker list --queue sleep", Bind(&Stub::ListWorkers), Prints::kTable},
      {"worker pause", "Hand no more jobs to matching workers, nor to those that join later",
       "twofold worker pause --node 'gpu-*'", Bind(&Stub::PauseWorkers), Prints::kTable},
      {"worker resume", "End their pause", "twofold worker resume --node 'gpu-*'",
       Bind(&Stub::ResumeWorkers), Prints::kTable},
      {"worker drain", "Let them finish what they have, then leave",
       "twofold worker drain --pod 'fio-7*'", Bind(&Stub::DrainWorkers), Prints::kTable},
  };
}

}  // namespace twofold::cli
