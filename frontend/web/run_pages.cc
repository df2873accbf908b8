#include "frontend/web/run_pages.h"

#include <utility>
#include <variant>

#include "lib/report/document/document.h"
#include "lib/report/sources/sources.h"
#include "lib/results/result_messages.h"
#include "lib/show/message.h"

namespace twofold::frontend {

using show::Json;

namespace {

// The first jobs of a run may have failed before they began.
constexpr std::size_t kSampled = 20;

/// What one of its jobs knows of versions and hosts; empty if none does.
Result<v1::BenchmarkResult> OriginOf(const results::RunReader& reader, const std::string& id) {
  const auto number = reader.NumberOf(id);
  if (!number.ok()) return number.status();
  const auto jobs = reader.FinishedJobs(*number, {}, kSampled);
  if (!jobs.ok()) return jobs.status();
  for (const results::StoredJob& job : *jobs) {
    const auto* const ended = std::get_if<results::JobEnded>(&job.state);
    const v1::BenchmarkResult* const result = ended == nullptr ? nullptr : ended->benchmark.get();
    if (result != nullptr && result->ranks_size() > 0) return *result;
  }
  return v1::BenchmarkResult();
}

}  // namespace

Result<Json> RunsPage(const results::RunReader& reader, const std::string& page_token) {
  v1::ListRunsRequest list;
  list.set_page_token(page_token);
  const auto reply = reader.List(list);
  if (!reply.ok()) return reply.status();
  return show::ToJson(*reply);
}

Result<Json> ResultsPage(const results::RunReader& reader, const std::string& id,
                         std::uint64_t from, bool series) {
  const auto run = reader.Find(id);
  if (!run.ok()) return run.status();
  v1::RunResultsRequest results;
  results.set_id(id);
  results.set_series(series);
  auto messages = results::ResultMessages::Of(reader, results, from);
  if (!messages.ok()) return messages.status();
  const auto page = messages->Next();
  if (!page.ok()) return page.status();
  Json json = {{"run", show::ToJson(*run)}, {"permutations", Json::array()}, {"next", nullptr}};
  if (!*page) return json;
  json["permutations"] = show::ListOf((*page)->permutations());
  json["next"] = (*page)->permutations().rbegin()->number() + 1;
  return json;
}

Result<std::string> ReportPage(const results::RunReader& reader, const std::string& id) {
  auto run = reader.Find(id);
  if (!run.ok()) return run.status();
  auto origin = OriginOf(reader, id);
  if (!origin.ok()) return origin.status();
  v1::RunResultsRequest request;
  request.set_id(id);
  request.set_jobs(run->jobs() <= kMostReported);
  request.set_series(run->jobs() <= kMostReported);
  auto messages = results::ResultMessages::Of(reader, request);
  if (!messages.ok()) return messages.status();
  report::RunResults results{*std::move(run), {}, *std::move(origin)};
  while (true) {
    const auto message = messages->Next();
    if (!message.ok()) return message.status();
    if (!*message) return report::ToHtml(report::DocumentOf(results));
    report::Add(**message, results);
  }
}

}  // namespace twofold::frontend
