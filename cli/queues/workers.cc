#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <iostream>
#include <map>
#include <memory>

#include "cli/command/command.h"
#include "cli/queues/frontend.h"
#include "lib/common/options.h"
#include "lib/show/json.h"
#include "lib/show/table.h"

namespace twofold::cli {
namespace {

using Stub = v1::Admin::Stub;
using Labels = std::map<std::string, std::string>;

// The first that is true counts.
std::string State(const v1::Worker& worker) {
  const std::pair<bool, const char*> states[] = {{!worker.connected(), "away"},
                                                 {worker.silent(), "silent"},
                                                 {worker.draining(), "draining"},
                                                 {worker.paused(), "paused"}};
  for (const auto& [is, name] : states) {
    if (is) return name;
  }
  return "open";
}

Labels LabelsOf(const v1::Worker& worker) {
  return {worker.labels().begin(), worker.labels().end()};
}

Json ToJson(const v1::Worker& worker) {
  return {{"queue", worker.queue()},      {"node", worker.node()},
          {"pod", worker.pod()},          {"device", worker.device()},
          {"address", worker.address()},  {"labels", LabelsOf(worker)},
          {"slots", worker.slots()},      {"busy", worker.busy()},
          {"state", State(worker)},       {"connected", worker.connected()},
          {"silent", worker.silent()},    {"paused", worker.paused()},
          {"draining", worker.draining()}};
}

std::vector<std::string> Row(const v1::Worker& worker) {
  return {worker.queue(),
          worker.node(),
          worker.pod(),
          OrDash(worker.device()),
          State(worker),
          absl::StrCat(worker.slots()),
          absl::StrCat(worker.busy()),
          OrDash(absl::StrJoin(LabelsOf(worker), ",", absl::PairFormatter("=")))};
}

void Print(const v1::ListWorkersReply& reply, const Globals& globals) {
  Json json = Json::array();
  std::vector<std::vector<std::string>> rows = {
      {"QUEUE", "NODE", "POD", "DEVICE", "STATE", "SLOTS", "BUSY", "LABELS"}};
  for (const v1::Worker& worker : reply.workers()) {
    json.push_back(ToJson(worker));
    rows.push_back(Row(worker));
  }
  std::cout << (globals.json ? JsonLine(json) : Table(rows));
}

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
      Print(*reply, globals);
      return absl::OkStatus();
    };
  };
}

}  // namespace

std::vector<Command> WorkerCommands() {
  return {
      {"worker list", "Worker processes: where they are and what they do",
       "twofold worker list --queue sleep", Bind(&Stub::ListWorkers)},
      {"worker pause", "Hand no more jobs to matching workers, nor to those that join later",
       "twofold worker pause --node 'gpu-*'", Bind(&Stub::PauseWorkers)},
      {"worker resume", "End their pause", "twofold worker resume --node 'gpu-*'",
       Bind(&Stub::ResumeWorkers)},
      {"worker drain", "Let them finish what they have, then leave",
       "twofold worker drain --pod 'fio-7*'", Bind(&Stub::DrainWorkers)},
  };
}

}  // namespace twofold::cli
