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
  if (!holder) return rules.is_local ? "somebody on this machine" : "somebody without a token";
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

/// `act` for those who may; on a thread that may block.
http::Handler Guarded(const ActionRules& rules,
                      std::function<http::Response(const http::Request&)> act) {
  return [rules, act = std::move(act)](const http::Request& request) {
    if (auto refusal = WhyRefused(rules, request)) return *std::move(refusal);
    return http::Later([=] { return act(request); });
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

void PostLog::Note(const std::string& who, std::string_view path, int status) {
  const auto more = status < kFirst
                        ? std::optional<std::string>("")
                        : refusals_.at(static_cast<std::size_t>(status - kFirst)).Admit(Now());
  if (!more) return;
  spdlog::info("{} asked by HTTP to POST {}: {}{}", who, Printable(path, kMostShown), status,
               *more);
}

http::Handler PostLog::Around(std::shared_ptr<PostLog> log, http::Handler handler) {
  return [log = std::move(log), handler = std::move(handler)](http::Request request) {
    if (request.method != "POST") return handler(std::move(request));
    const std::string who = Who(log->rules_, request);
    const std::string path = request.path;
    http::Response response = handler(std::move(request));
    if (!response.later) {
      log->Note(who, path, response.status);
      return response;
    }
    return http::Later([=, make = std::move(response.later)] {
      http::Response made = make();
      log->Note(who, path, made.status);
      return made;
    });
  };
}

void PostLog::Refused(const std::string& request, int status) {
  constexpr std::string_view kPost = "POST ";
  if (!request.starts_with(kPost)) return;
  Note("somebody", std::string_view(request).substr(kPost.size()), status);
}

std::vector<http::Route> ActionRoutes(const Api& api, Storage* storage, ActionRules rules) {
  std::vector<http::Route> routes;
  for (const QueueAction& action : kQueueActions) {
    const std::string verb = action.verb;
    routes.push_back({"POST", "/api/v1/queues/{name}/" + verb,
                      Guarded(rules, [api, &action](const http::Request& request) {
                        return ChangeQueueOf(api, action, request);
                      })});
  }
  routes.push_back(
      {"POST", "/api/v1/jobs/{id}/cancel",
       Guarded(rules, [api](const http::Request& request) { return CancelJobOf(api, request); })});
  routes.push_back({"POST", "/api/v1/runs/{id}/cancel",
                    Guarded(rules, [api, storage](const http::Request& request) {
                      return CancelRunOf(api, storage, request);
                    })});
  routes.push_back(
      {"GET", "/api/v1/me", [rules](const http::Request& request) { return Me(rules, request); }});
  return routes;
}

}  // namespace twofold::frontend
