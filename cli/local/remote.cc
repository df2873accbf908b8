#include "cli/local/remote.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/strip.h>

#include "lib/http/client.h"

namespace twofold::local {
namespace {

using Json = nlohmann::ordered_json;

constexpr Duration kAnswerWithin = std::chrono::seconds(10);

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
  const auto service = Get("/services/scalability-tester-frontend");
  if (!service.ok()) return service.status();
  return service->at("addresses").value("client", "");
}

Result<Json> Remote::Scale(const std::string& name, int replicas) const {
  return Parse(http::Put(absl::StrCat(url_, "/deployments/", name, "/scale?replicas=", replicas),
                         "", kAnswerWithin, secret_));
}

Status Remote::Down() const {
  const auto response = http::Post(url_ + "/down", "", kAnswerWithin, secret_);
  return response.ok() ? Check(*response) : response.status();
}

}  // namespace twofold::local
