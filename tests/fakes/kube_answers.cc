#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <utility>

#include "tests/fakes/kube_server.h"

namespace twofold::fakes {

using kube::NameOf;

/// As much of it as anybody reads here; other lines stand around it as in life.
Answer KubeApi::Server::Metrics() {
  const MutexLock lock(mutex_);
  Answer answer;
  answer.content_type = "text/plain; version=0.0.4";
  answer.body = "# HELP apiserver_requested_deprecated_apis none\ngo_threads 12\n";
  if (storage_) {
    absl::StrAppend(&answer.body, "apiserver_storage_size_bytes{storage_cluster_id=\"etcd-0\"} ",
                    static_cast<double>(*storage_), "\n");
  }
  absl::StrAppend(&answer.body, "workqueue_adds_total{name=\"x\"} 3\n");
  return answer;
}

Answer KubeApi::Server::Text(const std::string& target) {
  std::function<std::optional<std::string>(const std::string&)> on_text;
  {
    const MutexLock lock(mutex_);
    on_text = on_text_;
  }
  auto text = on_text ? on_text(target) : std::nullopt;
  if (!text) throw Refusal{404, "NotFound", "the server could not find the requested resource"};
  Answer answer;
  answer.content_type = "text/plain";
  answer.body = *std::move(text);
  return answer;
}

Answer KubeApi::Server::Review(const WireRequest& request) {
  std::function<bool(const Json&)> on_review;
  {
    const MutexLock lock(mutex_);
    on_review = on_review_;
  }
  Json review = Json::parse(request.body(), nullptr, false);
  const Json* const spec = kube::At(review, "/spec");
  if (spec == nullptr) throw Refusal{400, "BadRequest", "the review has no spec"};
  review["status"] = {{"allowed", on_review && on_review(*spec)}};
  Answer answer;
  answer.status = 201;
  answer.body = review.dump();
  return answer;
}

Answer KubeApi::Server::Discover(const Asked& asked) {
  Json found = {{"kind", "APIResourceList"}, {"resources", Json::array()}};
  for (const Resource& resource : objects_.resources()) {
    if (resource.group != asked.resource.group || resource.version != asked.resource.version) {
      continue;
    }
    found["resources"].push_back({{"name", resource.plural + "/status"},
                                  {"kind", resource.kind},
                                  {"namespaced", resource.namespaced}});
    found["resources"].push_back(
        {{"name", resource.plural}, {"kind", resource.kind}, {"namespaced", resource.namespaced}});
  }
  Answer answer;
  answer.body = found.dump();
  return answer;
}

Answer KubeApi::Server::Act(const Asked& asked, const WireRequest& request) {
  Answer answer;
  std::vector<ObjectChange> changes;
  std::function<void(const std::string&, const Json&)> tell;
  {
    const MutexLock lock(mutex_);
    const std::size_t before = objects_.history().size();
    if (asked.verb == "discover") {
      answer = Discover(asked);
    } else if (asked.verb == "version") {
      answer.body = Json{{"major", "1"}, {"minor", "36"}, {"gitVersion", "v1.36.1"}}.dump();
    } else if (asked.verb == "list") {
      answer = List(asked);
    } else if (asked.verb == "get") {
      answer.body = objects_.Get(asked.resource, asked.name).dump();
    } else {
      answer = Write(asked, request, objects_);
    }
    // Those of this request: what others change meanwhile is told by them.
    const auto& history = objects_.history();
    tell = on_change_;
    if (tell) changes.assign(history.begin() + static_cast<std::ptrdiff_t>(before), history.end());
    changed_.NotifyAll();
  }
  // Controllers that a test plays are told without the lock: they call us.
  for (const ObjectChange& change : changes) tell(change.type, change.object);
  return answer;
}

Answer KubeApi::Server::Write(const Asked& asked, const WireRequest& request,
                              KubeObjects& objects) {
  const std::string type(request[boost::beast::http::field::content_type]);
  const Json body = Json::parse(request.body().empty() ? "{}" : request.body(), nullptr, false);
  if (body.is_discarded()) throw Refusal{400, "BadRequest", "the body is no JSON"};
  Writing writing{asked.Query("fieldManager"), asked.Query("dryRun") == "All",
                  asked.Query("fieldValidation") == "Strict", asked.Query("force") == "true",
                  asked.subresource};
  Answer answer;
  if (asked.verb == "create") {
    answer.status = 201;
    if (asked.subresource == "binding") {
      answer.body = objects.Bind(asked.name, body, writing).dump();
    } else if (asked.subresource.empty()) {
      answer.body = objects.Create(asked.resource, asked.name.space, body, writing).dump();
    } else {
      throw Refusal{404, "NotFound", "the server could not find the requested resource"};
    }
  } else if (asked.verb == "patch") {
    bool created = false;
    answer.body = objects.Patch(asked.resource, asked.name, type, body, writing, created).dump();
    if (created) answer.status = 201;
  } else if (asked.verb == "delete") {
    const Json left = objects.Delete(asked.resource, asked.name, body);
    answer.body = left.is_null() ? Json{{"kind", "Status"},
                                        {"apiVersion", "v1"},
                                        {"status", "Success"},
                                        {"details", {{"name", asked.name.name}}}}
                                       .dump()
                                 : left.dump();
  } else {
    throw Refusal{405, "MethodNotAllowed", "the server does not allow this method"};
  }
  return answer;
}

Answer KubeApi::Server::List(const Asked& asked) {
  const std::string wanted = asked.Query("resourceVersion");
  std::uint64_t version = objects_.version();
  std::uint64_t number = 0;
  if (absl::SimpleAtoi(wanted, &number) && number > version) {
    throw Refusal{
        504,
        "Timeout",
        absl::StrCat("Too large resource version: ", number),
        {{"causes", {{{"reason", "ResourceVersionTooLarge"}}}}, {"retryAfterSeconds", 1}}};
  }
  std::string after;
  const std::string token = asked.Query("continue");
  if (!token.empty()) {
    const std::vector<std::string> halves = absl::StrSplit(token, absl::MaxSplits(':', 1));
    if (halves.size() != 2 || !absl::SimpleAtoi(halves[0], &version)) {
      throw Refusal{400, "BadRequest", "continue key is not valid"};
    }
    if (version < objects_.compacted()) {
      throw Refusal{410, "Expired",
                    "The provided continue parameter is too old to display a consistent list "
                    "result."};
    }
    after = halves[1];
  }
  std::size_t limit = 0;
  // From the cache (resourceVersion=0) all come at once.
  if (!absl::SimpleAtoi(asked.Query("limit"), &limit) || wanted == "0") limit = 0;
  Json list = {{"kind", asked.resource.kind + "List"},
               {"apiVersion", kube::ApiVersion(asked.resource)},
               {"metadata", {{"resourceVersion", std::to_string(version)}}},
               {"items", Json::array()}};
  std::size_t left = 0;
  for (Json& object : objects_.List(asked.resource, asked.name.space, asked.Query("labelSelector"),
                                    asked.Query("fieldSelector"))) {
    const ObjectName name = NameOf(object);
    const std::string key = absl::StrCat(name.space, "/", name.name);
    if (!after.empty() && key <= after) continue;
    if (limit > 0 && list["items"].size() == limit) {
      ++left;
      continue;
    }
    list["metadata"]["continue"] = absl::StrCat(version, ":", key);
    object.erase("kind");
    object.erase("apiVersion");
    list["items"].push_back(std::move(object));
  }
  if (left == 0) {
    list["metadata"].erase("continue");
  } else {
    list["metadata"]["remainingItemCount"] = left;
  }
  Answer answer;
  answer.body = list.dump();
  return answer;
}

}  // namespace twofold::fakes
