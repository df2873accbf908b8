#include "cli/local/supervisor_api.h"

#include <absl/strings/str_cat.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/local/supervisor.h"
#include "lib/common/options.h"
#include "lib/http/router.h"

namespace twofold::local {
namespace {

using http::Request;
using http::Response;

constexpr int kMostReplicas = 10'000;

// The one list of the keys, for both forms.
std::vector<std::pair<const char*, nlohmann::json>> Fields(const DeploymentStatus& status) {
  return {{"name", status.name},
          {"kind", ToString(status.kind)},
          {"queue", status.queue},
          {"replicas", status.replicas},
          {"running", status.running},
          {"ready", status.ready},
          {"terminating", status.terminating},
          {"waiting", status.waiting},
          {"restarts", status.restarts},
          {"last_exit", status.last_exit}};
}

nlohmann::ordered_json Object(const DeploymentStatus& status) {
  nlohmann::ordered_json object;
  for (const auto& [key, value] : Fields(status)) object[key] = value;
  object["addresses"] = status.addresses;
  object["pids"] = status.pids;
  return object;
}

bool WantsPlain(const Request& request) {
  const std::string* type = http::Find(request.query, "type");
  return type != nullptr && *type == "plain";
}

Response Refuse(const Status& status) {
  const bool unknown = status.code() == absl::StatusCode::kNotFound;
  return http::PlainText(unknown ? 404 : 400, absl::StrCat(std::string(status.message()), "\n"));
}

Response Show(const Result<DeploymentStatus>& status, const Request& request) {
  if (!status.ok()) return Refuse(status.status());
  return WantsPlain(request) ? http::PlainText(200, ToPlain(*status))
                             : http::Json(200, ToJson(*status));
}

Response List(Supervisor& supervisor) {
  auto all = nlohmann::ordered_json::array();
  for (const DeploymentStatus& status : supervisor.Snapshot()) all.push_back(Object(status));
  return http::Json(200, all.dump() + "\n");
}

Response Scale(Supervisor& supervisor, const Request& request) {
  const std::string& name = request.params.at("name");
  const std::string* replicas = http::Find(request.query, "replicas");
  std::string text = replicas == nullptr ? "" : *replicas;
  const std::string problem = WholeNumber(0, kMostReplicas)(text);
  if (!problem.empty()) return http::PlainText(400, "replicas: " + problem + "\n");
  const Status status = supervisor.Scale(name, std::stoi(text));
  if (!status.ok()) return Refuse(status);
  return Show(supervisor.Find(name), request);
}

Response Service(Supervisor& supervisor, const Request& request) {
  const std::string& name = request.params.at("name");
  const Result<DeploymentStatus> status = supervisor.Find(name);
  if (!status.ok()) return Refuse(status.status());
  const auto http = status->addresses.find("http");
  if (http == status->addresses.end()) {
    return http::PlainText(404, absl::StrCat(name, " serves no HTTP (yet)\n"));
  }
  const std::string url = "http://" + http->second;
  if (WantsPlain(request)) return http::PlainText(200, url + "\n");
  const nlohmann::ordered_json object = {
      {"name", name}, {"url", url}, {"addresses", status->addresses}};
  return http::Json(200, object.dump() + "\n");
}

}  // namespace

std::string ToPlain(const DeploymentStatus& status) {
  std::string text;
  for (const auto& [key, value] : Fields(status)) {
    const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
    absl::StrAppend(&text, key, " ", shown, "\n");
  }
  return text;
}

std::string ToJson(const DeploymentStatus& status) { return Object(status).dump() + "\n"; }

http::Handler SupervisorApi(Supervisor& supervisor) {
  return http::Router({
      {"GET", "/deployments", [&](const Request&) { return List(supervisor); }},
      {"GET", "/deployments/{name}",
       [&](const Request& request) {
         return Show(supervisor.Find(request.params.at("name")), request);
       }},
      {"PUT", "/deployments/{name}/scale",
       [&](const Request& request) { return Scale(supervisor, request); }},
      {"GET", "/services/{name}",
       [&](const Request& request) { return Service(supervisor, request); }},
      {"POST", "/down",
       [&](const Request&) {
         supervisor.Down();
         return http::PlainText(202, "ending\n");
       }},
  });
}

}  // namespace twofold::local
