#include "kubernetes/controller/leadership.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "kubernetes/api/errors.h"
#include "lib/common/host_name.h"

namespace twofold::controller {
namespace {

kube::UnixTime Wall() { return std::chrono::system_clock::now(); }

/// A try must not outlast the time in which a leader has to renew.
kube::ConnectionOptions Hurried(const ElectionOptions& options) {
  kube::ConnectionOptions hurried;
  hurried.timeout = options.renew_within / 4;
  return hurried;
}

}  // namespace

std::string MakeIdentity() {
  std::random_device random;
  return absl::StrCat(HostName(), "_", absl::Hex(random(), absl::kZeroPad8),
                      absl::Hex(random(), absl::kZeroPad8));
}

Leadership::Leadership(kube::Access access, ElectionOptions options,
                       std::function<void(bool)> on_change)
    : election_(options),
      on_change_(std::move(on_change)),
      connection_(std::move(access), Hurried(options)),
      thread_([this] { Run(); }) {}

Leadership::~Leadership() {
  end_.Interrupt();
  thread_.join();
}

void Leadership::Run() {
  do {
    Say(Try());
    until_ = election_.LeadsUntil().value_or(Instant::min());
    Tell();
  } while (end_.Pause(Now() + Pause()));
  const auto release = election_.Release(Now(), Wall());
  until_ = Instant::min();
  Tell();
  if (release) Say(connection_.Do(*release).status());
}

/// Looks at the lease, and claims it if it is free or ours.
Status Leadership::Try() {
  const auto seen = connection_.Do(kube::Get(kube::kLeases, election_.options().lease));
  if (!seen.ok() && !absl::IsNotFound(seen.status())) return seen.status();
  election_.See(seen.ok() ? std::optional(seen->body) : std::nullopt, Now());
  const Instant sent = Now();
  const auto claim = election_.Claim(sent, Wall());
  if (!claim) return absl::OkStatus();
  const auto answer = connection_.Do(*claim);
  if (answer.ok()) {
    election_.Claimed(answer->body, sent);
    return absl::OkStatus();
  }
  // Somebody else was faster; whoever it is, the next look shows it.
  const bool is_late = absl::IsAborted(answer.status()) || absl::IsAlreadyExists(answer.status());
  return is_late ? absl::OkStatus() : answer.status();
}

void Leadership::Tell() {
  const bool is_leader = leads();
  if (std::exchange(told_, is_leader) == is_leader) return;
  spdlog::info("{} lease {}/{}", is_leader ? "leads by" : "leads no more by",
               election_.options().lease.space, election_.options().lease.name);
  on_change_(is_leader);
}

void Leadership::Say(const Status& status) {
  const std::string what(status.message());
  if (what != std::exchange(said_, what) && !what.empty()) spdlog::warn("{}", what);
}

/// A follower's is up to a fifth longer by chance, so that not all try at one moment. A leader's
/// ends when its lease does, at the latest.
Duration Leadership::Pause() {
  const Duration retry = election_.options().retry;
  return retry +
         Duration(std::uniform_int_distribution<Duration::rep>(0, retry.count() / 5)(random_));
}

}  // namespace twofold::controller
