#include "cli/local/supervisor.h"

#include <absl/strings/str_cat.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "lib/common/options.h"
#include "lib/common/program.h"
#include "lib/http/client.h"
#include "lib/http/guard.h"
#include "lib/http/router.h"
#include "lib/http/server.h"
#include "lib/security/gate.h"
#include "lib/security/reloaded.h"
#include "lib/security/tokens.h"

namespace twofold::local {
namespace {

// How long after an answer the frontends are asked again; less often if nothing is expected to
// change.
constexpr Duration kAsk = std::chrono::milliseconds(50);
constexpr Duration kAskWhenSettled = std::chrono::seconds(1);
constexpr Duration kMetricsWithin = std::chrono::seconds(1);

// Blocked before any thread starts, so that only the loop sees them.
int BlockSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT}) sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int Milliseconds(Duration duration) {
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(duration).count());
}

// For those who have the secret: what it can do is for who has started it.
http::Handler Guarded(const std::string& secret, http::Handler api) {
  auto tokens = security::Reloaded<security::Tokens>::Open(
      {}, [secret] { return security::Tokens::Parse("admin owner " + secret); });
  const auto roles = [](const http::Request&) { return security::Roles{security::Role::kAdmin}; };
  return http::Guard(std::make_shared<security::Gate>("supervisor", *std::move(tokens)),
                     /*asks_certificate=*/false, roles, std::move(api));
}

// Of what is held nothing is expected.
bool AllSettled(const nlohmann::ordered_json& deployments) {
  return std::all_of(deployments.begin(), deployments.end(), [](const auto& deployment) {
    return deployment.at("held") == true || IsSettled(deployment);
  });
}

// ---- API

using http::Request;
using http::Response;

constexpr int kMostReplicas = 10'000;

bool WantsPlain(const Request& request) {
  const std::string* type = http::Find(request.query, "type");
  return type != nullptr && *type == "plain";
}

Response Refuse(const Status& status) {
  const bool unknown = status.code() == absl::StatusCode::kNotFound;
  return http::PlainText(unknown ? 404 : 400, absl::StrCat(std::string(status.message()), "\n"));
}

// The whole number `name` of the query. Errors: kInvalidArgument.
Result<int> Number(const Request& request, const std::string& name, int least, int most) {
  const std::string* const given = http::Find(request.query, name);
  std::string text = given == nullptr ? "" : *given;
  const std::string problem = WholeNumber(least, most)(text);
  if (problem.empty()) return std::stoi(text);
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", problem));
}

// The `key value` lines of what has one value.
std::string ToPlain(const DeploymentStatus& deployment) {
  std::string text;
  for (const auto& [key, value] : deployment.items()) {
    if (value.is_structured()) continue;
    const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
    absl::StrAppend(&text, key, " ", shown, "\n");
  }
  return text;
}

Response ToResponse(const nlohmann::ordered_json& json) {
  return http::Json(200, json.dump() + "\n");
}

Response Show(const Cluster& cluster, const Request& request) {
  const Result<DeploymentStatus> status = cluster.Find(request.params.at("name"));
  if (!status.ok()) return Refuse(status.status());
  return WantsPlain(request) ? http::PlainText(200, ToPlain(*status)) : ToResponse(*status);
}

Response Scale(Cluster& cluster, const Request& request) {
  const Result<int> replicas = Number(request, "replicas", 0, kMostReplicas);
  if (!replicas.ok()) return Refuse(replicas.status());
  const Status status = cluster.Scale(request.params.at("name"), *replicas);
  return status.ok() ? Show(cluster, request) : Refuse(status);
}

Response Kill(Cluster& cluster, const Request& request) {
  const Result<int> signal = Number(request, "signal", 1, SIGRTMAX);
  if (!signal.ok()) return Refuse(signal.status());
  const Status status = cluster.Signal(request.params.at("name"), *signal);
  return status.ok() ? Show(cluster, request) : Refuse(status);
}

Response Start(Cluster& cluster, const Request& request) {
  const Status status = cluster.Revive(request.params.at("name"), Now());
  return status.ok() ? Show(cluster, request) : Refuse(status);
}

Response Service(const Cluster& cluster, const Request& request) {
  const std::string& name = request.params.at("name");
  const Result<DeploymentStatus> status = cluster.FindService(name);
  if (!status.ok()) return Refuse(status.status());
  const auto& addresses = status->at("addresses");
  if (!addresses.contains("http")) {
    return http::PlainText(404, absl::StrCat(name, " serves no HTTP (yet)\n"));
  }
  const std::string url = "http://" + addresses.at("http").get<std::string>();
  if (WantsPlain(request)) return http::PlainText(200, url + "\n");
  return ToResponse({{"name", name}, {"url", url}, {"addresses", addresses}});
}

http::Handler Routes(Cluster& cluster) {
  return http::Router({
      {"GET", "/deployments", [&](const Request&) { return ToResponse(cluster.Snapshot()); }},
      {"GET", "/deployments/{name}",
       [&](const Request& request) { return Show(cluster, request); }},
      {"PUT", "/deployments/{name}/scale",
       [&](const Request& request) { return Scale(cluster, request); }},
      {"PUT", "/deployments/{name}/kill",
       [&](const Request& request) { return Kill(cluster, request); }},
      {"PUT", "/deployments/{name}/start",
       [&](const Request& request) { return Start(cluster, request); }},
      {"GET", "/services/{name}",
       [&](const Request& request) { return Service(cluster, request); }},
      {"POST", "/down",
       [&](const Request&) {
         cluster.Stop(Now());
         return http::PlainText(202, "ending\n");
       }},
  });
}

}  // namespace

Registrations ParseRegistrations(std::string_view metrics) {
  constexpr std::string_view kSeries = "\ntwofold_worker_processes{queue=\"";
  Registrations result;
  const std::string text = absl::StrCat("\n", std::string(metrics));
  for (std::size_t at = text.find(kSeries); at != std::string::npos; at = text.find(kSeries, at)) {
    at += kSeries.size();
    const std::size_t value = text.find("} ", at);
    if (value == std::string::npos) break;
    double count = 0;
    const auto [end, error] =
        std::from_chars(text.data() + value + 2, text.data() + text.size(), count);
    // A queue with several shards has a series for each.
    if (error == std::errc())
      result[text.substr(at, text.find('"', at) - at)] += static_cast<int>(count);
  }
  return result;
}

Supervisor::Supervisor(StateFolder folder, const std::vector<DeploymentSpec>& plan,
                       const DeploymentPolicy& policy)
    : folder_(folder),
      signals_(BlockSignals()),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      cluster_(std::move(folder), plan, policy) {}

Supervisor::~Supervisor() {
  close(signals_);
  close(wake_);
}

Status Supervisor::Run() {
  const Result<std::string> secret = folder_.WriteSecret();
  if (!secret.ok()) return secret.status();
  auto server = http::Server::Start({"127.0.0.1", 0}, Guarded(*secret, Api()));
  if (!server.ok()) return server.status();
  const Status ready = WriteReadyFile(folder_.SupervisorFile(),
                                      {{"http", absl::StrCat("127.0.0.1:", (*server)->port())}});
  if (!ready.ok()) return ready;
  std::thread asking([this] { AskFrontend(); });
  Loop();
  {
    const MutexLock lock(mutex_);
    ended_ = true;
  }
  ended_changed_.NotifyOne();
  asking.join();
  return absl::OkStatus();
}

// Requests are carried out under the lock; what they have made due is done at once.
http::Handler Supervisor::Api() {
  const MutexLock lock(mutex_);
  return [this, api = Routes(cluster_)](http::Request request) {
    const MutexLock held(mutex_);
    http::Response response = api(std::move(request));
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto size = write(wake_, &one, sizeof one);
    return response;
  };
}

// What changes while a question is under way makes its answer void, by the generation.
void Supervisor::AskFrontend() {
  for (Question question; NextQuestion(question);) {
    Registrations registrations;
    for (const std::string& frontend : question.frontends) {
      const auto page = http::Get(absl::StrCat("http://", frontend, "/metrics"), kMetricsWithin);
      if (!page.ok()) continue;
      for (const auto& [queue, count] : ParseRegistrations(page->body)) {
        registrations[queue] += count;
      }
    }
    const MutexLock lock(mutex_);
    cluster_.SetRegistrations(question.generation, std::move(registrations));
  }
}

// Waits a little, and until the frontends serve; false: all is over.
bool Supervisor::NextQuestion(Question& question) {
  const MutexLock lock(mutex_);
  do {
    const Instant next = Now() + (AllSettled(cluster_.Snapshot()) ? kAskWhenSettled : kAsk);
    while (!ended_ && ended_changed_.WaitUntil(mutex_, next)) {
    }
    question = {cluster_.FrontendsHttp(), cluster_.generation()};
  } while (!ended_ && question.frontends.empty());
  return !ended_;
}

void Supervisor::Loop() {
  std::array<pollfd, 2> sources = {pollfd{signals_, POLLIN, 0}, pollfd{wake_, POLLIN, 0}};
  Duration pause{};
  while (Advance(pause)) {
    poll(sources.data(), sources.size(), Milliseconds(pause));
    HandleSignals();
    std::uint64_t ignored = 0;
    [[maybe_unused]] const auto size = read(wake_, &ignored, sizeof ignored);
  }
}

// False when all has ended; else what is due has been done and `pause` is the time to the next.
bool Supervisor::Advance(Duration& pause) {
  const Instant now = Now();
  const MutexLock lock(mutex_);
  cluster_.Step(now);
  pause = std::max(Duration::zero(), cluster_.NextDeadline(now) - now);
  return !cluster_.Stopped();
}

void Supervisor::HandleSignals() {
  signalfd_siginfo signal{};
  bool stop = false;
  while (read(signals_, &signal, sizeof signal) == sizeof signal) {
    stop = stop || signal.ssi_signo != SIGCHLD;
  }
  const MutexLock lock(mutex_);
  cluster_.Reap(Now());  // always: several SIGCHLD may come as one
  if (stop) cluster_.Stop(Now());
}

}  // namespace twofold::local
