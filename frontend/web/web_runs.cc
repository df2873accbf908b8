#include "frontend/web/web_runs.h"

#include <absl/strings/numbers.h>

#include <string>

#include "lib/results/result_messages.h"
#include "lib/runs/json.h"

namespace twofold::frontend {
namespace {

using runs::Json;

http::Response JsonPage(int status, const Json& json) {
  return http::Json(status, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
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

http::Response RunsJson(const results::RunReader& reader, const http::Request& request) {
  v1::ListRunsRequest list;
  list.set_page_token(QueryOf(request, "page_token"));
  const auto reply = reader.List(list);
  if (!reply.ok()) return Failed(reply.status());
  Json all = Json::array();
  for (const v1::Run& run : reply->runs()) all.push_back(runs::ToJson(run));
  return JsonPage(200, {{"runs", all}, {"next_page_token", reply->next_page_token()}});
}

http::Response RunJson(const results::RunReader& reader, const http::Request& request) {
  const auto run = reader.Find(request.params.at("id"));
  return run.ok() ? JsonPage(200, runs::ToJson(*run)) : Failed(run.status());
}

http::Response ResultsJson(const results::RunReader& reader, const http::Request& request) {
  const std::string text = QueryOf(request, "from");
  std::uint64_t from = 0;
  if (!text.empty() && !absl::SimpleAtoi(text, &from)) {
    return Failed(absl::InvalidArgumentError("from is no number of a permutation"));
  }
  v1::RunResultsRequest results;
  results.set_id(request.params.at("id"));
  auto messages = results::ResultMessages::Of(reader, results, from);
  if (!messages.ok()) return Failed(messages.status());
  const auto page = messages->Next();
  if (!page.ok()) return Failed(page.status());
  Json json = {{"run", results.id()}, {"permutations", Json::array()}, {"next", nullptr}};
  if (!*page) return JsonPage(200, json);
  for (const v1::PermutationResult& each : (*page)->permutations()) {
    json["permutations"].push_back(runs::ToJson(each));
  }
  json["next"] = (*page)->permutations().rbegin()->number() + 1;
  return JsonPage(200, json);
}

}  // namespace twofold::frontend
