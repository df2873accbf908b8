#include "kubernetes/aggregated/server.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "kubernetes/aggregated/answers.h"
#include "kubernetes/aggregated/front_proxy.h"

namespace twofold::aggregated {
namespace {

constexpr std::size_t kMostBody = 1024;  // of what is no GET, and refused then

bool IsProbe(const std::string& path) {
  return path == "/healthz" || path == "/livez" || path == "/readyz";
}

bool Reads(const std::string& method) { return method == "GET" || method == "HEAD"; }

http::Response NoSuchPath() {
  return Refusal(404, "NotFound", "the server could not find the requested resource");
}

template <typename Named>
const Named* FindNamed(const std::vector<Named>& all, const std::string Named::*name,
                       const std::string& wanted) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Named& each) { return each.*name == wanted; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

Result<std::unique_ptr<Server>> Server::Start(ServerOptions options, Api api) {
  std::unique_ptr<Server> server(new Server(std::move(options), std::move(api)));
  if (Status status = server->Listen(); !status.ok()) return status;
  return server;
}

Server::Server(ServerOptions options, Api api)
    : options_(std::move(options)),
      api_(std::move(api)),
      trust_(options_.access),
      authorizer_(options_.access) {}

Server::~Server() {
  authorizer_.Stop();
  http_.reset();
}

Status Server::Listen() {
  http::ServerOptions options;
  options.max_body = kMostBody;
  options.run_later = options_.run_later;
  options.material = options_.material;
  options.header_joint = kHeaderJoint;
  options.vouches = [this](const std::vector<std::string>& certificates) {
    const auto proxy = trust_.Get();
    return proxy.ok() && Vouches(**proxy, certificates);
  };
  auto started = http::Server::Start(
      options_.address, [this](const http::Request& request) { return Handle(request); }, options);
  if (!started.ok()) return started.status();
  http_ = *std::move(started);
  return absl::OkStatus();
}

http::Response Server::Handle(const http::Request& request) {
  std::string group;
  http::Response response = Route(request, group);
  if (!response.later) {
    Count(group, response.status);
    return response;
  }
  return http::Later([this, group, make = std::move(response.later)] {
    http::Response made = make();
    Count(group, made.status);
    return made;
  });
}

/// `group` becomes that which is asked for, if there is one and the caller may know it.
http::Response Server::Route(const http::Request& request, std::string& group) {
  if (IsProbe(request.path)) return http::PlainText(200, "ok");
  const auto proxy = trust_.Get();
  if (!proxy.ok()) return Refusal(proxy.status());
  if (!request.has_certificate) {
    return Refusal(absl::UnauthenticatedError(
        "ask the API server: only its front proxy is answered here, by its certificate"));
  }
  const auto caller = ReadCaller(**proxy, request.headers);
  if (!caller.ok()) return Refusal(caller.status());
  if (!Reads(request.method)) {
    return Refusal(405, "MethodNotAllowed", absl::StrCat(request.method, ": only GET is served"));
  }
  const auto parts = PartsOf(request.path);
  if (!parts.ok()) return Refusal(parts.status());
  if (parts->front() != "apis") return NoSuchPath();
  if (parts->size() <= 3) return Discover(*parts);
  const ServedGroup* const served = FindNamed(api_.groups, &ServedGroup::name, (*parts)[1]);
  if (served == nullptr || !FindNamed(served->versions, &ServedVersion::version, (*parts)[2])) {
    return NoSuchPath();
  }
  group = served->name;
  return AnswerLater(*caller, AttributesOf(*parts),
                     {(*parts)[1], (*parts)[2], {parts->begin() + 3, parts->end()}, request.query});
}

/// Of /apis, /apis/GROUP and /apis/GROUP/VERSION.
http::Response Server::Discover(const std::vector<std::string>& parts) const {
  if (parts.size() == 1) return Answer(GroupList(api_.groups));
  const ServedGroup* const group = FindNamed(api_.groups, &ServedGroup::name, parts[1]);
  if (group == nullptr) return NoSuchPath();
  if (parts.size() == 2) return Answer(GroupDocument(*group));
  const ServedVersion* const version =
      FindNamed(group->versions, &ServedVersion::version, parts[2]);
  return version == nullptr ? NoSuchPath() : Answer(ResourceList(group->name, *version));
}

http::Response Server::AnswerLater(const Caller& caller, Attributes attributes, Asked asked) {
  return http::Later([this, caller, attributes = std::move(attributes), asked = std::move(asked)] {
    const Status status = authorizer_.Check(caller, attributes);
    return status.ok() ? api_.answer(asked) : Refusal(status);
  });
}

void Server::Count(const std::string& group, int status) {
  const MutexLock lock(mutex_);
  ++counts_[{group, status}];
}

std::vector<RequestCount> Server::Counts() const {
  const MutexLock lock(mutex_);
  std::vector<RequestCount> all;
  for (const auto& [key, requests] : counts_) all.push_back({key.first, key.second, requests});
  return all;
}

}  // namespace twofold::aggregated
