#include "frontend/web/live.h"

#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include <optional>
#include <utility>

#include "frontend/services/lookup.h"
#include "frontend/web/answers.h"
#include "frontend/web/run_pages.h"
#include "frontend/web/worker_columns.h"
#include "lib/http/guard.h"

namespace twofold::frontend {
namespace {

using http::Topic;
using show::Json;

constexpr std::size_t kMostId = 128;  // bytes of the id of a run

/// One line without its end.
std::string Data(const Json& json) {
  std::string line = show::Line(json);
  line.pop_back();
  return line;
}

/// The queues, and a moment of a clock that never jumps: rates are differences of these.
std::string QueuesData(const v1::ListQueuesReply& queues, Instant now) {
  Json json = {{"seconds", ToSeconds(now.time_since_epoch())}};
  json.update(show::ToJson(queues));
  return Data(json);
}

/// Of all frontends, if they answer somebody without a token.
v1::ListQueuesReply AllQueues(const Api& api) {
  auto all =
      api.Get<v1::ListQueuesReply>(nullptr, "/twofold.v1.Admin/ListQueues", v1::ListQueuesRequest(),
                                   [&] { return ListQueues(api.queues); });
  return all.ok() ? *std::move(all) : ListQueues(api.queues);
}

/// Makes data of the store, when something was written since the last time, or somebody else may
/// have written.
Topic::Make WhenWritten(const QueueSet& queues, std::function<Json()> make) {
  return [&queues, make = std::move(make),
          seen = std::optional<std::uint64_t>()](Instant) mutable -> std::optional<std::string> {
    const std::uint64_t commits = queues.journal()->Stats().commits;
    const bool is_shared = queues.directory() != nullptr;
    if (std::exchange(seen, commits) == commits && !is_shared) return std::nullopt;
    return Data(make());
  };
}

Json OrError(const Result<Json>& json) {
  return json.ok() ? *json : Json{{"error", std::string(json.status().message())}};
}

std::vector<std::shared_ptr<Topic>> WorkerTopics(const QueueSet& queues) {
  const auto workers = std::make_shared<WorkerColumns>(queues);
  return {
      std::make_shared<Topic>("workers", [workers](Instant now) { return workers->Names(now); }),
      std::make_shared<Topic>("worker-states",
                              [workers](Instant now) { return workers->States(now); })};
}

}  // namespace

Live::Live(const Api& api, const Storage* storage, Topic::Run run)
    : queues_(api.queues), storage_(storage), run_(std::move(run)) {
  const QueueSet& queues = queues_;
  topics_["queues"] = {std::make_shared<Topic>(
      "queues", [api](Instant now) { return QueuesData(AllQueues(api), now); },
      api.ask ? run_ : Topic::Run())};
  topics_["workers"] = WorkerTopics(queues);
  auto& runs = topics_["runs"];  // without a store nothing ever comes
  if (storage == nullptr) return;
  const auto list = [storage] { return OrError(RunsPage(storage->run_reader(), "")); };
  runs = {std::make_shared<Topic>("runs", WhenWritten(queues, list), run_)};
}

std::shared_ptr<Topic> Live::TopicOfRun(const std::string& id) {
  std::erase_if(runs_, [](const auto& run) { return run.second.expired(); });
  std::weak_ptr<Topic>& known = runs_[id];
  std::shared_ptr<Topic> topic = known.lock();
  if (topic != nullptr) return topic;
  const auto results = [storage = storage_, id] {
    return OrError(ResultsPage(storage->run_reader(), id, 0));
  };
  topic = std::make_shared<Topic>("run", WhenWritten(queues_, results), run_);
  known = topic;
  return topic;
}

http::Response Live::Stream(const http::Request& request) {
  if (http::IsFromOtherSite(request)) {  // it could not read the stream, only hold a place
    return Failed(absl::PermissionDeniedError("pages of other sites get no streams"));
  }
  std::vector<std::shared_ptr<Topic>> topics;
  const std::vector<std::string> names =
      absl::StrSplit(QueryOf(request, "topics"), ',', absl::SkipEmpty());
  for (const std::string& name : names) {
    const auto found = topics_.find(name);
    if (found == topics_.end()) {
      const auto name_of = [](std::string* out, const auto& topic) { out->append(topic.first); };
      return Failed(absl::InvalidArgumentError(
          absl::StrCat("topics: '", name.substr(0, kMostId), "' is not one of ",
                       absl::StrJoin(topics_, ", ", name_of))));
    }
    topics.insert(topics.end(), found->second.begin(), found->second.end());
    if (topics.size() > 2 * topics_.size()) {
      return Failed(absl::InvalidArgumentError("topics: one is named twice"));
    }
  }
  if (const std::string run = QueryOf(request, "run"); !run.empty()) {
    if (storage_ == nullptr) return Failed(NoRuns());
    if (run.size() > kMostId) return Failed(absl::InvalidArgumentError("run is not an id"));
    topics.push_back(TopicOfRun(run));
  }
  if (topics.empty()) {
    return Failed(absl::InvalidArgumentError("topics, run: name at least one, as topics=queues"));
  }
  return http::Events(std::move(topics));
}

}  // namespace twofold::frontend
