#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/commands/frontend.h"
#include "cli/table.h"

namespace twofold::cli {
namespace {

using Json = nlohmann::ordered_json;

double InSeconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

std::string State(const v1::Queue& queue) {
  if (queue.draining()) return "draining";
  return queue.paused() ? "paused" : "open";
}

Json ToJson(const v1::Queue& queue) {
  Json finished = Json::object();
  for (const auto& [outcome, jobs] : queue.finished()) finished[outcome] = jobs;
  return {{"name", queue.name()},
          {"state", State(queue)},
          {"waiting", queue.waiting()},
          {"running", queue.running()},
          {"oldest_waiting_seconds", InSeconds(queue.oldest_waiting_ns())},
          {"workers",
           {{"idle", queue.workers_idle()},
            {"busy", queue.workers_busy()},
            {"draining", queue.workers_draining()}}},
          {"worker_processes", queue.worker_processes()},
          {"finished", finished},
          {"requeued", queue.requeued()},
          {"refused_results", queue.refused_results()},
          {"limit", queue.limit()}};
}

std::vector<std::string> Row(const v1::Queue& queue) {
  const auto succeeded = queue.finished().find("succeeded");
  std::uint64_t ends = 0;
  for (const auto& [outcome, jobs] : queue.finished()) ends += jobs;
  const std::uint64_t good = succeeded == queue.finished().end() ? 0 : succeeded->second;
  return {queue.name(),
          State(queue),
          absl::StrCat(queue.waiting()),
          absl::StrCat(queue.running()),
          absl::StrFormat("%.1f", InSeconds(queue.oldest_waiting_ns())),
          absl::StrCat(queue.workers_idle()),
          absl::StrCat(queue.workers_busy()),
          absl::StrCat(good),
          absl::StrCat(ends - good)};
}

const std::vector<std::string> kHeading = {"QUEUE", "STATE", "WAITING",   "RUNNING",   "OLDEST S",
                                           "IDLE",  "BUSY",  "SUCCEEDED", "OTHER ENDS"};

Action BindQueues(CLI::App&, const Globals& globals) {
  return [&globals]() -> Status {
    const auto reply =
        Frontend(globals).Call<v1::Admin>(&v1::Admin::Stub::ListQueues, v1::ListQueuesRequest());
    if (!reply.ok()) return reply.status();
    Json json = Json::array();
    std::vector<std::vector<std::string>> rows = {kHeading};
    for (const v1::Queue& queue : reply->queues()) {
      json.push_back(ToJson(queue));
      rows.push_back(Row(queue));
    }
    std::cout << (globals.json ? json.dump() + "\n" : Table(rows));
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
      std::cout << (globals.json ? ToJson(*queue).dump() + "\n" : Table({kHeading, Row(*queue)}));
      return absl::OkStatus();
    };
  };
}

}  // namespace

std::vector<Command> QueueCommands() {
  return {
      {"queues", "The queues of a frontend: jobs, workers, ends", "twofold queues --output json",
       BindQueues},
      {"queue pause", "Hand out no more jobs; still accept them", "twofold queue pause sleep",
       BindChange(&v1::Admin::Stub::PauseQueue)},
      {"queue resume", "End pause and drain", "twofold queue resume sleep",
       BindChange(&v1::Admin::Stub::ResumeQueue)},
      {"queue drain", "Accept no more jobs; run what is there", "twofold queue drain sleep",
       BindChange(&v1::Admin::Stub::DrainQueue)},
  };
}

}  // namespace twofold::cli
