#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "cli/command/command.h"
#include "cli/queues/frontend.h"
#include "lib/show/json.h"
#include "lib/show/table.h"

namespace twofold::cli {
namespace {

/// What is 0 most of the time: a column of the table only if it is not, for some queue.
struct Extra {
  const char* heading;
  const char* name;
  std::uint64_t (v1::Queue::*get)() const;
};

constexpr Extra kExtras[] = {
    {"DELAYED", "delayed", &v1::Queue::delayed},
    {"KEY LIMITED", "key_limited", &v1::Queue::key_limited},
    {"GANGS", "gangs_waiting", &v1::Queue::gangs_waiting},
    {"RESERVED", "workers_reserved", &v1::Queue::workers_reserved},
    {"PAUSED", "workers_paused", &v1::Queue::workers_paused},
};

std::string State(const v1::Queue& queue) {
  if (queue.draining()) return "draining";
  return queue.paused() ? "paused" : "open";
}

Json ToJson(const v1::Queue& queue) {
  Json finished = Json::object();
  for (const auto& [outcome, jobs] : queue.finished()) finished[outcome] = jobs;
  Json json = {{"name", queue.name()},
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
               {"limit", queue.limit()},
               {"durable", queue.durable()}};
  for (const Extra& extra : kExtras) json[extra.name] = (queue.*extra.get)();
  return json;
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

std::string TableOf(const std::vector<v1::Queue>& queues) {
  std::vector<std::vector<std::string>> rows = {kHeading};
  for (const v1::Queue& queue : queues) rows.push_back(Row(queue));
  for (const Extra& extra : kExtras) {
    const auto get = [&](const v1::Queue& queue) { return (queue.*extra.get)(); };
    if (std::all_of(queues.begin(), queues.end(), [&](auto& queue) { return get(queue) == 0; })) {
      continue;
    }
    rows[0].emplace_back(extra.heading);
    for (std::size_t i = 0; i < queues.size(); ++i) {
      rows[i + 1].push_back(absl::StrCat(get(queues[i])));
    }
  }
  return Table(rows);
}

Action BindQueues(CLI::App&, const Globals& globals) {
  return [&globals]() -> Status {
    const auto reply =
        Frontend(globals).Call<v1::Admin>(&v1::Admin::Stub::ListQueues, v1::ListQueuesRequest());
    if (!reply.ok()) return reply.status();
    Json json = Json::array();
    for (const v1::Queue& queue : reply->queues()) json.push_back(ToJson(queue));
    std::cout << (globals.json ? JsonLine(json)
                               : TableOf({reply->queues().begin(), reply->queues().end()}));
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
      std::cout << (globals.json ? JsonLine(ToJson(*queue)) : TableOf({*queue}));
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
