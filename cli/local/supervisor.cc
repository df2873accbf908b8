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
#include <thread>
#include <utility>

#include "cli/local/supervisor_api.h"
#include "lib/common/program.h"
#include "lib/http/client.h"
#include "lib/http/guard.h"
#include "lib/http/server.h"
#include "lib/security/gate.h"
#include "lib/security/reloaded.h"
#include "lib/security/tokens.h"

namespace twofold::local {
namespace {

// How long after an answer the frontend is asked again; less often if nothing is expected to
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

bool IsSettled(const std::vector<DeploymentStatus>& all) {
  return std::all_of(all.begin(), all.end(), [](const DeploymentStatus& status) {
    return status.ready == status.replicas && status.terminating == 0;
  });
}

}  // namespace

Registrations ParseRegistrations(std::string_view metrics) {
  constexpr std::string_view kSeries = "\ntwofold_worker_processes{queue=\"";
  Registrations result;
  const std::string text = absl::StrCat("\n", std::string(metrics));
  for (std::size_t at = text.find(kSeries); at != std::string::npos; at = text.find(kSeries, at)) {
    at += kSeries.size();
    const std::size_t quote = text.find("\"} ", at);
    if (quote == std::string::npos) break;
    double count = 0;
    const auto [end, error] =
        std::from_chars(text.data() + quote + 3, text.data() + text.size(), count);
    if (error == std::errc()) result[text.substr(at, quote - at)] = static_cast<int>(count);
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
  auto server = http::Server::Start({"127.0.0.1", 0}, Guarded(*secret, SupervisorApi(*this)));
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

// What changes while a question is under way makes its answer void, by the generation.
void Supervisor::AskFrontend() {
  for (Question question; NextQuestion(question);) {
    const auto page =
        http::Get(absl::StrCat("http://", question.frontend, "/metrics"), kMetricsWithin);
    Registrations registrations = page.ok() ? ParseRegistrations(page->body) : Registrations();
    const MutexLock lock(mutex_);
    cluster_.SetRegistrations(question.generation, std::move(registrations));
  }
}

// Waits a little, and until the frontend serves; false: all is over.
bool Supervisor::NextQuestion(Question& question) {
  const MutexLock lock(mutex_);
  do {
    const Instant next = Now() + (IsSettled(cluster_.Snapshot()) ? kAskWhenSettled : kAsk);
    while (!ended_ && ended_changed_.WaitUntil(mutex_, next)) {
    }
    question = {cluster_.FrontendHttp(), cluster_.generation()};
  } while (!ended_ && question.frontend.empty());
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

void Supervisor::Wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto size = write(wake_, &one, sizeof one);
}

std::vector<DeploymentStatus> Supervisor::Snapshot() {
  const MutexLock lock(mutex_);
  return cluster_.Snapshot();
}

Result<DeploymentStatus> Supervisor::Find(const std::string& name) {
  const MutexLock lock(mutex_);
  return cluster_.Find(name);
}

Status Supervisor::Scale(const std::string& name, int replicas) {
  const MutexLock lock(mutex_);
  const Status status = cluster_.Scale(name, replicas);
  if (status.ok()) Wake();
  return status;
}

void Supervisor::Down() {
  const MutexLock lock(mutex_);
  cluster_.Stop(Now());
  Wake();
}

}  // namespace twofold::local
