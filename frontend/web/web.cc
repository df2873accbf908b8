#include "frontend/web/web.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/services/lookup.h"
#include "frontend/web/answers.h"
#include "frontend/web/live.h"
#include "frontend/web/run_pages.h"
#include "lib/http/message.h"
#include "lib/http/router.h"
#include "lib/metrics/family.h"
#include "lib/show/message.h"
#include "lib/words/job_filter.h"
#include "web/assets.h"

namespace twofold::frontend {
namespace {

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

Result<v1::ListQueuesReply> Queues(const Api& api, const http::Request& request) {
  return api.Get<v1::ListQueuesReply>(&request, "/twofold.v1.Admin/ListQueues",
                                      v1::ListQueuesRequest(),
                                      [&] { return ListQueues(api.queues); });
}

http::Response QueuesPage(const Api& api, const http::Request& request) {
  const auto reply = Queues(api, request);
  if (!reply.ok()) return Failed(reply.status());
  std::string page = kPageHead;
  for (const v1::Queue& queue : reply->queues()) page += Row(queue);
  return http::Html(200, page + kPageFoot);
}

// ---- JSON

// `page` of the queues, or of the store's runs, made on a thread that may block.
template <typename Source>
http::Handler Of(const Source& source,
                 http::Response (*page)(const Source&, const http::Request&)) {
  return [&source, page](const http::Request& request) {
    return http::Later([&source, page, request] { return page(source, request); });
  };
}

http::Handler Of(const std::shared_ptr<const Api>& api,
                 http::Response (*page)(const Api&, const http::Request&)) {
  return [api, page](const http::Request& request) {
    return http::Later([api, page, request] { return page(*api, request); });
  };
}

http::Handler OfRuns(const Storage* storage,
                     http::Response (*page)(const results::RunReader&, const http::Request&)) {
  if (storage != nullptr) return Of(storage->run_reader(), page);
  return [](const http::Request&) { return Failed(NoRuns()); };
}

Result<v1::ListJobsRequest> ListOf(const http::Request& request) {
  v1::ListJobsRequest list;
  list.set_queue(QueryOf(request, "queue"));
  list.set_run(QueryOf(request, "run"));
  list.set_finished(QueryOf(request, "finished") == "true");
  list.set_page_token(QueryOf(request, "page_token"));
  const std::vector<std::string> states =
      absl::StrSplit(QueryOf(request, "state"), ',', absl::SkipEmpty());
  for (const std::string& word : states) {
    if (Status status = AddToFilter(word, list); !status.ok()) return status;
  }
  const std::string size = QueryOf(request, "page_size");
  if (size.empty()) return list;
  std::uint32_t jobs = 0;
  if (!absl::SimpleAtoi(size, &jobs) || jobs == 0 || jobs > kMostJobsAPage) {
    return absl::InvalidArgumentError(
        absl::StrCat("page_size has to be a whole number from 1 to ", kMostJobsAPage));
  }
  list.set_page_size(jobs);
  return list;
}

http::Response JobsJson(const Api& api, const http::Request& request) {
  const Result<v1::ListJobsRequest> list = ListOf(request);
  if (!list.ok()) return Failed(list.status());
  return Reply(api.Get<v1::ListJobsReply>(&request, "/twofold.v1.Clients/ListJobs", *list,
                                          [&] { return ListJobs(api.queues, *list); }));
}

/// What `here` answers about one job.
template <typename Message>
http::Response OfJob(const Api& api, const http::Request& request, const char* method,
                     Result<Message> (*here)(const QueueSet& queues, std::uint64_t id)) {
  const auto id = JobIdOf(request);
  if (!id.ok()) return Failed(id.status());
  v1::GetJobRequest get;
  get.set_id(*id);
  return Reply(api.Get<Message>(&request, method, get, [&] { return here(api.queues, *id); }));
}

http::Response JobJson(const Api& api, const http::Request& request) {
  return OfJob(api, request, "/twofold.v1.Clients/GetJob", FindJob);
}

http::Response ExplainJson(const Api& api, const http::Request& request) {
  return OfJob(api, request, "/twofold.v1.Clients/ExplainJob", ExplainJob);
}

http::Response QueuesJson(const Api& api, const http::Request& request) {
  return Reply(Queues(api, request));
}

http::Response WorkersJson(const Api& api, const http::Request& request) {
  return Reply(api.Get<v1::ListWorkersReply>(&request, "/twofold.v1.Admin/ListWorkers",
                                             v1::WorkersRequest(),
                                             [&] { return ListWorkers(api.queues, {}); }));
}

http::Response Shown(const Result<show::Json>& json) {
  return json.ok() ? JsonPage(200, *json) : Failed(json.status());
}

http::Response RunsJson(const results::RunReader& reader, const http::Request& request) {
  return Shown(RunsPage(reader, QueryOf(request, "page_token")));
}

http::Response RunJson(const results::RunReader& reader, const http::Request& request) {
  return Reply(reader.Find(request.params.at("id")));
}

http::Response ResultsJson(const results::RunReader& reader, const http::Request& request) {
  const std::string text = QueryOf(request, "from");
  std::uint64_t from = 0;
  if (!text.empty() && !absl::SimpleAtoi(text, &from)) {
    return Failed(absl::InvalidArgumentError("from is no number of a permutation"));
  }
  const bool series = QueryOf(request, "series") == "true";
  return Shown(ResultsPage(reader, request.params.at("id"), from, series));
}

http::Response RunReport(const results::RunReader& reader, const http::Request& request) {
  auto page = ReportPage(reader, request.params.at("id"));
  return page.ok() ? http::Html(200, *std::move(page)) : Failed(page.status());
}

// ---- probes

/// A line for each reason; empty: durable jobs can be stored.
std::string WhyNotStored(const QueueSet& queues) {
  const std::string all = queues.journal() == nullptr ? "" : queues.journal()->trouble();
  if (!all.empty()) return "durable jobs cannot be stored now: " + all + "\n";
  std::string lines;
  if (queues.directory() == nullptr) return lines;
  for (const auto& host : queues.all()) {
    const QueueHost::Snapshot snapshot = host->Look(Now());
    const std::string trouble = StoreTrouble(snapshot);
    if (!snapshot.served || trouble.empty()) continue;
    lines += "durable jobs of queue " + host->name() + " cannot be stored now: " + trouble + "\n";
  }
  return lines;
}

/// Not ready while nobody can connect or durable jobs are refused, so that an operator sees a full
/// disk where she looks first. It is no reason to restart the process: what waits for the disk is
/// in its memory.
http::Response Ready(const QueueSet& queues, const std::string& stalled) {
  if (!stalled.empty()) {
    return http::PlainText(503, "connections cannot be taken now: " + stalled + "\n");
  }
  const std::string trouble = WhyNotStored(queues);
  if (trouble.empty()) return http::PlainText(200, "ok\n");
  // Several frontends miss the database together, and volatile work goes on.
  return http::PlainText(queues.directory() == nullptr ? 503 : 200, trouble);
}

}  // namespace

const std::vector<http::AppFile>& AppFiles() {
  static const std::vector<http::AppFile> files = http::FilesOf(web::FrontendAssets());
  return files;
}

http::Handler MakeWeb(const WebParts& parts) {
  const QueueSet& queues = parts.queues;
  Storage* const storage = parts.storage;
  const auto ok = [](const http::Request&) { return http::PlainText(200, "ok\n"); };
  const auto api = std::make_shared<const Api>(Api{queues, parts.ask});
  // What asks others must not keep the thread of connections waiting; what does not is quicker so.
  const auto of_queues = [&](http::Response (*page)(const Api&, const http::Request&)) {
    if (parts.ask) return Of(api, page);
    return http::Handler([api, page](const http::Request& request) { return page(*api, request); });
  };
  const auto plain = of_queues(QueuesPage);
  const auto live = std::make_shared<Live>(*api, storage, parts.run_later);
  // The page is served only once clients and workers can connect, and no longer when they cannot:
  // the HTTP server starts last and stops first.
  std::vector<http::Route> routes = {
      {"GET", "/metrics",
       [&queues, storage, gates = parts.gates, loops = parts.loops,
        further = parts.further](const http::Request&) {
         auto families = CollectMetrics(queues, storage, gates, loops);
         if (further) std::ranges::move(further(), std::back_inserter(families));
         return metrics::Page(families);
       }},
      {"GET", "/healthz", ok},
      {"GET", "/readyz",
       [&queues, stalled = parts.stalled](const http::Request&) {
         return Ready(queues, stalled());
       }},
      {"GET", "/api/v1/stream", [live](const auto& request) { return live->Stream(request); }},
      {"GET", "/api/v1/jobs", Of(api, JobsJson)},
      {"GET", "/api/v1/jobs/{id}", Of(api, JobJson)},
      {"GET", "/api/v1/jobs/{id}/explain", Of(api, ExplainJson)},
      {"GET", "/api/v1/workers", Of(api, WorkersJson)},
      {"GET", "/api/v1/runs", OfRuns(storage, RunsJson)},
      {"GET", "/api/v1/runs/{id}", OfRuns(storage, RunJson)},
      {"GET", "/api/v1/runs/{id}/results", OfRuns(storage, ResultsJson)},
      {"GET", "/api/v1/runs/{id}/report", OfRuns(storage, RunReport)},
      {"GET", "/api/v1/queues", of_queues(QueuesJson)},
      {"GET", "/plain", plain},
  };
  std::ranges::move(http::AppRoutes(AppFiles(), plain), std::back_inserter(routes));
  std::ranges::move(ActionRoutes(*api, storage, parts.rules), std::back_inserter(routes));
  return http::Router(std::move(routes));
}

}  // namespace twofold::frontend
