#include "frontend/web/web.h"

#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include <string>
#include <utility>

#include "frontend/queues/convert.h"
#include "frontend/services/job_lookup.h"
#include "frontend/services/worker_list.h"
#include "frontend/web/metrics.h"
#include "lib/http/message.h"
#include "lib/http/router.h"
#include "lib/metrics/family.h"
#include "lib/results/result_messages.h"
#include "lib/show/message.h"

namespace twofold::frontend {
namespace {

v1::ListQueuesReply Queues(const QueueSet& queues) {
  v1::ListQueuesReply reply;
  for (const auto& host : queues.all()) *reply.add_queues() = ToProto(*host, host->Look(Now()));
  return reply;
}

// ---- the page

std::string Row(const v1::Queue& queue) {
  const std::string state = show::ToJson(queue)["state"];
  const auto& finished = queue.finished();
  return fmt::format(
      "<tr><td>{}<td>{}<td>{}<td>{}<td>{:.1f}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}</tr>\n",
      http::Escape(queue.name()), state, queue.waiting(), queue.running(),
      static_cast<double>(queue.oldest_waiting_ns()) / 1e9, queue.workers_idle(),
      queue.workers_busy(), queue.workers_draining(), finished.at("succeeded"),
      finished.at("failed") + finished.at("timed_out"),
      finished.at("lost") + finished.at("abandoned") + finished.at("rejected"));
}

constexpr const char* kPageHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2">
<title>Twofold frontend</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2em; color: #222 }
table { border-collapse: collapse }
th, td { padding: .3em 1em; text-align: right; border-bottom: 1px solid #ddd }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left }
</style></head><body>
<h1>Queues</h1>
<table><tr><th>queue<th>state<th>waiting<th>running<th>oldest, s<th>idle<th>busy<th>draining<th>succeeded<th>failed<th>lost</tr>
)";

constexpr const char* kPageFoot = R"(</table>
<p>idle, busy, draining: workers. failed: failed or timed out. lost: lost, abandoned or rejected.
<br><a href="/metrics">/metrics</a> <a href="/api/v1/queues">/api/v1/queues</a></p>
</body></html>
)";

http::Response QueuesPage(const QueueSet& queues) {
  std::string page = kPageHead;
  const v1::ListQueuesReply reply = Queues(queues);
  for (const v1::Queue& queue : reply.queues()) page += Row(queue);
  return http::Html(200, page + kPageFoot);
}

// ---- JSON: that of lib/show/message.h, so the command line prints the same

using show::Json;

http::Response JsonPage(int status, const Json& json) {
  return http::Json(status, show::Line(json));
}

http::Response Failed(const Status& status) {
  const int code = absl::IsNotFound(status) ? 404 : absl::IsInvalidArgument(status) ? 400 : 503;
  return JsonPage(code, Json{{"error", std::string(status.message())}});
}

std::string QueryOf(const http::Request& request, const char* name) {
  const std::string* const value = http::Find(request.query, name);
  return value == nullptr ? std::string() : *value;
}

http::Response QueuesJson(const QueueSet& queues) {
  return JsonPage(200, show::ToJson(Queues(queues)));
}

using RunsPage = http::Response (*)(const results::RunReader& reader, const http::Request& request);

// `page` of the store's runs, made on a thread that may block; 409 if there is no store.
http::Handler WithRuns(const Storage* storage, RunsPage page) {
  return [storage, page](const http::Request& request) {
    if (storage == nullptr) {
      return JsonPage(409, Json{{"error", "this frontend keeps no runs; start it with --store"}});
    }
    return http::Later([storage, page, request] { return page(storage->run_reader(), request); });
  };
}

using JobsPage = http::Response (*)(const QueueSet& queues, const http::Request& request);

// `page` of the queues, made on a thread that may block: finished jobs are read from the store.
http::Handler OfQueues(const QueueSet& queues, JobsPage page) {
  return [&queues, page](const http::Request& request) {
    return http::Later([&queues, page, request] { return page(queues, request); });
  };
}

http::Response JobsJson(const QueueSet& queues, const http::Request& request) {
  v1::ListJobsRequest list;
  list.set_queue(QueryOf(request, "queue"));
  list.set_run(QueryOf(request, "run"));
  list.set_finished(QueryOf(request, "finished") == "true");
  list.set_page_token(QueryOf(request, "page_token"));
  const auto reply = ListJobs(queues, list);
  return reply.ok() ? JsonPage(200, show::ToJson(*reply)) : Failed(reply.status());
}

http::Response JobJson(const QueueSet& queues, const http::Request& request) {
  std::uint64_t id = 0;
  if (!absl::SimpleAtoi(request.params.at("id"), &id)) {
    return Failed(absl::InvalidArgumentError("id is not the number of a job"));
  }
  const auto job = FindJob(queues, id);
  return job.ok() ? JsonPage(200, show::ToJson(*job)) : Failed(job.status());
}

http::Response WorkersJson(const QueueSet& queues, const http::Request&) {
  const auto reply = ListWorkers(queues, {});
  return reply.ok() ? JsonPage(200, show::ToJson(*reply)) : Failed(reply.status());
}

http::Response RunsJson(const results::RunReader& reader, const http::Request& request) {
  v1::ListRunsRequest list;
  list.set_page_token(QueryOf(request, "page_token"));
  const auto reply = reader.List(list);
  if (!reply.ok()) return Failed(reply.status());
  return JsonPage(200, show::ToJson(*reply));
}

http::Response RunJson(const results::RunReader& reader, const http::Request& request) {
  const auto run = reader.Find(request.params.at("id"));
  return run.ok() ? JsonPage(200, show::ToJson(*run)) : Failed(run.status());
}

http::Response ResultsJson(const results::RunReader& reader, const http::Request& request) {
  const std::string text = QueryOf(request, "from");
  std::uint64_t from = 0;
  if (!text.empty() && !absl::SimpleAtoi(text, &from)) {
    return Failed(absl::InvalidArgumentError("from is no number of a permutation"));
  }
  const auto run = reader.Find(request.params.at("id"));
  if (!run.ok()) return Failed(run.status());
  v1::RunResultsRequest results;
  results.set_id(request.params.at("id"));
  auto messages = results::ResultMessages::Of(reader, results, from);
  if (!messages.ok()) return Failed(messages.status());
  const auto page = messages->Next();
  if (!page.ok()) return Failed(page.status());
  Json json = {{"run", show::ToJson(*run)}, {"permutations", Json::array()}, {"next", nullptr}};
  if (!*page) return JsonPage(200, json);
  json["permutations"] = show::ListOf((*page)->permutations());
  json["next"] = (*page)->permutations().rbegin()->number() + 1;
  return JsonPage(200, json);
}

// ---- probes

/// Not ready while nobody can connect or durable jobs are refused, so that an operator sees a full
/// disk where she looks first. It is no reason to restart the process: what waits for the disk is
/// in its memory.
http::Response Ready(const QueueSet& queues, const std::string& stalled) {
  if (!stalled.empty()) {
    return http::PlainText(503, "connections cannot be taken now: " + stalled + "\n");
  }
  const std::string trouble = queues.journal() == nullptr ? "" : queues.journal()->trouble();
  if (trouble.empty()) return http::PlainText(200, "ok\n");
  return http::PlainText(503, "durable jobs cannot be stored now: " + trouble + "\n");
}

}  // namespace

http::Handler MakeWeb(const QueueSet& queues, const Storage* storage,
                      std::vector<const security::Gate*> gates,
                      std::function<std::string()> stalled) {
  // The page is served only once clients and workers can connect, and no longer when they cannot:
  // the HTTP server starts last and stops first.
  const auto ok = [](const http::Request&) { return http::PlainText(200, "ok\n"); };
  return http::Router({
      {"GET", "/metrics",
       [&queues, storage, gates = std::move(gates)](const http::Request&) {
         auto families = CollectMetrics(queues, Now());
         if (storage != nullptr) families.push_back(ReportsFamily(storage->reports()));
         families.push_back(metrics::DeniedFamily("twofold_denied_total", gates).Take());
         return metrics::Page(families);
       }},
      {"GET", "/healthz", ok},
      {"GET", "/readyz",
       [&queues, stalled = std::move(stalled)](const http::Request&) {
         return Ready(queues, stalled());
       }},
      {"GET", "/api/v1/jobs", OfQueues(queues, JobsJson)},
      {"GET", "/api/v1/jobs/{id}", OfQueues(queues, JobJson)},
      {"GET", "/api/v1/workers", OfQueues(queues, WorkersJson)},
      {"GET", "/api/v1/runs", WithRuns(storage, RunsJson)},
      {"GET", "/api/v1/runs/{id}", WithRuns(storage, RunJson)},
      {"GET", "/api/v1/runs/{id}/results", WithRuns(storage, ResultsJson)},
      {"GET", "/api/v1/queues", [&queues](const http::Request&) { return QueuesJson(queues); }},
      {"GET", "/", [&queues](const http::Request&) { return QueuesPage(queues); }},
  });
}

}  // namespace twofold::frontend
