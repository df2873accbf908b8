#include "frontend/web/web.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "frontend/queues/convert.h"
#include "frontend/web/metrics.h"
#include "frontend/web/web_runs.h"
#include "lib/http/message.h"
#include "lib/http/router.h"
#include "lib/metrics/family.h"
#include "lib/show/message.h"

namespace twofold::frontend {
namespace {

v1::ListQueuesReply Queues(const QueueSet& queues) {
  v1::ListQueuesReply reply;
  for (const auto& host : queues.all()) *reply.add_queues() = ToProto(*host, host->Look(Now()));
  return reply;
}

http::Response QueuesJson(const QueueSet& queues) {
  return http::Json(200, show::Line(show::ToJson(Queues(queues))));
}

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
                      std::function<std::int64_t()> clients,
                      std::vector<const security::Gate*> gates,
                      std::function<std::string()> stalled) {
  // The page is served only once clients and workers can connect, and no longer when they cannot:
  // the HTTP server starts last and stops first.
  const auto ok = [](const http::Request&) { return http::PlainText(200, "ok\n"); };
  return http::Router({
      {"GET", "/metrics",
       [&queues, storage, clients = std::move(clients),
        gates = std::move(gates)](const http::Request&) {
         auto families = CollectMetrics(queues, clients(), Now());
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
