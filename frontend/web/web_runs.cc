#include "frontend/web/web_runs.h"

#include <absl/strings/numbers.h>

#include <string>

#include "frontend/services/job_lookup.h"
#include "frontend/services/worker_list.h"
#include "lib/results/result_messages.h"
#include "lib/show/message.h"

namespace twofold::frontend {
namespace {

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

}  // namespace

http::Handler WithRuns(const Storage* storage, RunsPage page) {
  return [storage, page](const http::Request& request) {
    if (storage == nullptr) {
      return JsonPage(409, Json{{"error", "this frontend keeps no runs; start it with --store"}});
    }
    return http::Later([storage, page, request] { return page(storage->run_reader(), request); });
  };
}

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

}  // namespace twofold::frontend
