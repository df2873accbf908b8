#include "cli/local/remote.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/strip.h>

#include <thread>

#include "cli/local/cluster.h"
#include "cli/local/plan.h"
#include "lib/http/client.h"

namespace twofold::local {
namespace {

using Json = nlohmann::ordered_json;

constexpr Duration kAnswerWithin = std::chrono::seconds(10);
constexpr Duration kEndsWithin = std::chrono::seconds(10);
constexpr Duration kLookWhetherSettled = std::chrono::milliseconds(50);

Status Check(const http::Response& response) {
  if (response.status < 300) return absl::OkStatus();
  const std::string message(absl::StripTrailingAsciiWhitespace(response.body));
  if (response.status == 404) return absl::NotFoundError(message);
  return absl::InvalidArgumentError(message);
}

Result<Json> Parse(const Result<http::Response>& response) {
  if (!response.ok()) return response.status();
  if (const Status status = Check(*response); !status.ok()) return status;
  Json json = Json::parse(response->body, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return absl::InternalError("the supervisor answered no JSON");
  return json;
}

}  // namespace

Remote::Remote(const StateFolder::Door& door)
    : url_("http://" + door.http), secret_(security::Client::WithToken(door.secret)) {}

Result<Remote> Remote::Find(const StateFolder& folder) {
  const Result<StateFolder::Door> door = folder.FindDoor();
  if (absl::IsPermissionDenied(door.status())) return door.status();
  if (!door.ok() || door->http.empty() || !folder.Locked()) {
    return absl::NotFoundError(absl::StrCat("no local cluster runs in ", folder.dir(),
                                            " (start one with `twofold local up`, or give --dir)"));
  }
  return Remote(*door);
}

Result<Json> Remote::Get(const std::string& path) const {
  return Parse(http::Get(url_ + path, kAnswerWithin, secret_));
}

Result<std::string> Remote::FrontendAddress() const {
  const auto service = Get(absl::StrCat("/services/", kFrontendName));
  if (!service.ok()) return service.status();
  const std::string first = service->at("addresses").value("client", "");
  if (first.empty()) return first;
  const auto all = Deployments();
  if (!all.ok()) return all.status();
  std::string contacts = first;
  for (const Json& deployment : *all) {
    if (!absl::StartsWith(deployment.value("name", ""), kFrontendName)) continue;
    const std::string address = deployment.at("addresses").value("client", "");
    if (!address.empty() && address != first) absl::StrAppend(&contacts, ",", address);
  }
  return contacts;
}

Result<std::string> Remote::ServiceUrl(const std::string& name) const {
  const auto service = Get(absl::StrCat("/services/", name));
  if (!service.ok()) return service.status();
  return service->value("url", "");
}

Result<Json> Remote::Put(const std::string& path) const {
  return Parse(http::Put(url_ + path, "", kAnswerWithin, secret_));
}

Result<Json> Remote::Scale(const std::string& name, int replicas) const {
  return Put(absl::StrCat("/deployments/", name, "/scale?replicas=", replicas));
}

Result<Json> Remote::Kill(const std::string& name, int signal) const {
  return Put(absl::StrCat("/deployments/", name, "/kill?signal=", signal));
}

Result<Json> Remote::Start(const std::string& name) const {
  return Put(absl::StrCat("/deployments/", name, "/start"));
}

// Also if it is not so at the deadline.
Result<Json> Remote::Await(const std::string& name, Duration timeout,
                           bool (*is_so)(const Json&)) const {
  const Instant deadline = Now() + timeout;
  for (;; std::this_thread::sleep_for(kLookWhetherSettled)) {
    Result<Json> deployment = Deployment(name);
    if (!deployment.ok() || is_so(*deployment) || Now() >= deadline) return deployment;
  }
}

Result<Json> Remote::Settled(const std::string& name, Duration timeout) const {
  Result<Json> deployment = Await(name, timeout, IsSettled);
  if (!deployment.ok() || IsSettled(*deployment)) return deployment;
  return absl::DeadlineExceededError(absl::StrCat(
      name, " has ", deployment->at("ready").dump(), " of ", deployment->at("replicas").dump(),
      " ready (", deployment->at("terminating").dump(), " are ending) after ", ToSeconds(timeout),
      " seconds; see `twofold local logs ", name, "`"));
}

Result<Json> Remote::Ended(const std::string& name) const {
  return Await(name, kEndsWithin,
               [](const Json& deployment) { return deployment.at("pids").empty(); });
}

Status Remote::Down() const {
  const auto response = http::Post(url_ + "/down", "", kAnswerWithin, secret_);
  return response.ok() ? Check(*response) : response.status();
}

}  // namespace twofold::local
