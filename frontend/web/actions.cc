#include "frontend/web/actions.h"

#include <absl/strings/match.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "frontend/services/changes.h"
#include "frontend/web/answers.h"
#include "lib/common/printable.h"
#include "lib/http/guard.h"

namespace twofold::frontend {
namespace {

using show::Json;

// For the disk. The change is made in any case.
constexpr auto kPatience = std::chrono::seconds(10);

constexpr std::size_t kMostShown = 100;  // bytes of a name in the log

std::optional<security::Tokens::Holder> HolderOf(const ActionRules& rules,
                                                 const http::Request& request) {
  const std::string* header = http::Find(request.headers, "authorization");
  if (rules.gate == nullptr || header == nullptr) return std::nullopt;
  return rules.gate->HolderOf(*header);
}

bool AsksToken(const ActionRules& rules) {
  return rules.gate != nullptr && rules.gate->asks_token();
}

std::string Who(const ActionRules& rules, const http::Request& request) {
  const auto holder = HolderOf(rules, request);
  if (!holder) return "somebody on this machine";
  return fmt::format("{} ({})", holder->name, security::Name(holder->role));
}

http::Response Me(const ActionRules& rules, const http::Request& request) {
  using enum security::Role;
  return http::WhoAsks(rules.gate, rules.is_local ? kAdmin : kReadOnly, request);
}

/// Why this request may change nothing; nullopt: it may.
std::optional<http::Response> WhyRefused(const ActionRules& rules, const http::Request& request) {
  if (!AsksToken(rules) && !rules.is_local) {
    return Failed(absl::PermissionDeniedError(
        "changes by HTTP need tokens (--token-file), or an --http-address on loopback"));
  }
  const std::string* type = http::Find(request.headers, "content-type");
  if (type != nullptr && (absl::EqualsIgnoreCase(*type, "application/json") ||
                          absl::StartsWithIgnoreCase(*type, "application/json;"))) {
    return std::nullopt;
  }
  return JsonPage(415, Json{{"error", "Content-Type has to be application/json"}});
}

/// What `start` answers later, waited for on a thread that may block.
template <typename Message>
Result<Message> Await(const std::function<void(std::function<void(Result<Message>)> done)>& start) {
  const auto answer = std::make_shared<std::promise<Result<Message>>>();
  std::future<Result<Message>> future = answer->get_future();
  start([answer](Result<Message> result) { answer->set_value(std::move(result)); });
  if (future.wait_for(kPatience) == std::future_status::ready) return future.get();
  return absl::DeadlineExceededError("it is done, but the disk has yet to take it");
}

/// `act` for those who may; on a thread that may block. `verb` and the last part of the path but
/// one are what the log says.
http::Handler Guarded(const ActionRules& rules, std::string verb, std::string param,
                      std::function<http::Response(const http::Request&)> act) {
  return [rules, verb = std::move(verb), param = std::move(param),
          act = std::move(act)](const http::Request& request) {
    if (auto refusal = WhyRefused(rules, request)) return *std::move(refusal);
    return http::Later([=] {
      http::Response response = act(request);
      spdlog::info("{} asked by HTTP to {} {}: {}", Who(rules, request), verb,
                   Printable(request.params.at(param), kMostShown), response.status);
      return response;
    });
  };
}

http::Response CancelJobOf(const Api& api, const http::Request& request) {
  const Result<std::uint64_t> id = JobIdOf(request);
  if (!id.ok()) return Failed(id.status());
  v1::CancelJobRequest cancel;
  cancel.set_id(*id);
  return Reply(api.Get<v1::Job>(&request, "/twofold.v1.Clients/CancelJob", cancel, [&] {
    return Await<v1::Job>([&](auto done) { CancelJob(api.queues, *id, std::move(done)); });
  }));
}

http::Response CancelRunOf(const Api& api, Storage* storage, const http::Request& request) {
  v1::CancelRunRequest cancel;
  cancel.set_id(request.params.at("id"));
  return Reply(api.Get<v1::CancelRunReply>(&request, "/twofold.v1.Results/CancelRun", cancel, [&] {
    auto reply = Await<v1::CancelRunReply>(
        [&](auto done) { CancelRun(api.queues, storage, cancel.id(), std::move(done)); });
    if (!reply.ok()) return reply;
    const Status known = IsKnown(*reply, cancel.id(), storage != nullptr);
    return known.ok() ? reply : Result<v1::CancelRunReply>(known);
  }));
}

struct QueueAction {
  const char* verb;
  QueueChange change;
  const char* method;
};
constexpr QueueAction kQueueActions[] = {
    {"pause", &QueueHost::Turn::Pause, "/twofold.v1.Admin/PauseQueue"},
    {"resume", &QueueHost::Turn::Resume, "/twofold.v1.Admin/ResumeQueue"},
    {"drain", &QueueHost::Turn::Drain, "/twofold.v1.Admin/DrainQueue"}};

http::Response ChangeQueueOf(const Api& api, const QueueAction& action,
                             const http::Request& request) {
  v1::QueueRequest change;
  change.set_queue(request.params.at("name"));
  return Reply(api.Get<v1::Queue>(&request, action.method, change, [&] {
    return ChangeQueue(api.queues, change.queue(), action.change);
  }));
}

}  // namespace

std::vector<http::Route> ActionRoutes(const Api& api, Storage* storage, ActionRules rules) {
  std::vector<http::Route> routes;
  for (const QueueAction& action : kQueueActions) {
    const std::string verb = action.verb;
    routes.push_back(
        {"POST", "/api/v1/queues/{name}/" + verb,
         Guarded(rules, verb + " queue", "name", [api, &action](const http::Request& request) {
           return ChangeQueueOf(api, action, request);
         })});
  }
  routes.push_back({"POST", "/api/v1/jobs/{id}/cancel",
                    Guarded(rules, "cancel job", "id", [api](const http::Request& request) {
                      return CancelJobOf(api, request);
                    })});
  routes.push_back(
      {"POST", "/api/v1/runs/{id}/cancel",
       Guarded(rules, "cancel run", "id", [api, storage](const http::Request& request) {
         return CancelRunOf(api, storage, request);
       })});
  routes.push_back(
      {"GET", "/api/v1/me", [rules](const http::Request& request) { return Me(rules, request); }});
  return routes;
}

}  // namespace twofold::frontend
