#include "kubernetes/api/credentials.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <string_view>

#include "kubernetes/api/call.h"
#include "lib/security/reloaded.h"

namespace twofold::kube {
namespace {

constexpr auto kPluginTime = std::chrono::seconds(60);
constexpr auto kBetweenLooks = std::chrono::milliseconds(20);  // whether a waiter has given up

// As client-go: the kubelet writes a new token after 80 % of the life of the old one.
constexpr auto kTokenFileLife = std::chrono::seconds(50);

// Before credentials of a plugin expire, so that none expires on its way.
constexpr auto kLeeway = std::chrono::seconds(5);

/// No header may end where another one begins.
bool FitsHeader(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c < 0x7f; });
}

void AddImpersonation(const Identity& identity, Proof& proof) {
  if (identity.as.empty()) return;
  proof.headers.emplace_back("Impersonate-User", identity.as);
  if (!identity.as_uid.empty()) proof.headers.emplace_back("Impersonate-Uid", identity.as_uid);
  for (const std::string& group : identity.as_groups) {
    proof.headers.emplace_back("Impersonate-Group", group);
  }
  for (const auto& [key, values] : identity.as_extra) {
    const std::string name = "Impersonate-Extra-" + Escape(absl::AsciiStrToLower(key));
    for (const std::string& value : values) proof.headers.emplace_back(name, value);
  }
}

Result<std::string> ReadToken(const std::string& path) {
  Result<std::string> text = security::ReadFile("tokenFile", path);
  if (!text.ok()) return absl::UnauthenticatedError(std::string(text.status().message()));
  absl::StripAsciiWhitespace(&*text);
  if (text->empty())
    return absl::UnauthenticatedError(absl::StrCat("tokenFile: ", path, " is empty"));
  return text;
}

std::string AuthorizationOf(const Identity& identity, const std::string& token) {
  if (!token.empty()) return "Bearer " + token;
  if (identity.username.empty()) return {};
  return "Basic " + absl::Base64Escape(absl::StrCat(identity.username, ":", identity.password));
}

Status CheckHeaders(const Proof& proof) {
  for (const auto& [name, value] : proof.headers) {
    if (!FitsHeader(value)) {
      return absl::UnauthenticatedError(absl::StrCat(
          "credentials: ", name, " would have line breaks or characters beyond ASCII"));
    }
  }
  return absl::OkStatus();
}

/// Where `expires` is on our clock.
Instant GoodUntil(const ExecCredential& credential, Instant now) {
  if (!credential.expires) return Instant::max();
  const auto left = *credential.expires - std::chrono::system_clock::now();
  // A clock that is wrong must not make a plugin run for each call, nor the sum overflow.
  const auto bounded =
      std::clamp<Duration>(left - kLeeway, std::chrono::seconds(1), std::chrono::hours(24 * 365));
  return now + bounded;
}

}  // namespace

Credentials::Credentials(Config config) : config_(std::move(config)) {}

Credentials::~Credentials() {
  std::thread runner;
  {
    const MutexLock lock(mutex_);
    if (run_ != nullptr) run_->given_up = true;
    runner = std::move(runner_);
  }
  if (runner.joinable()) runner.join();
}

Result<std::shared_ptr<const Proof>> Credentials::Get(Instant now,
                                                      const std::function<bool()>& given_up) {
  const MutexLock lock(mutex_);
  for (;;) {
    if (proof_ != nullptr && now < good_until_) return proof_;
    if (!config_.identity.exec) return Keep(Make(now, {}), now);
    if (run_ == nullptr) StartRun(now);
    if (!run_->given_up) return AwaitRun(given_up);
    // It was given up by those before us: its end is theirs.
    if (given_up && given_up()) return absl::CancelledError("interrupted");
    run_ended_.WaitUntil(mutex_, Now() + kBetweenLooks);
  }
}

void Credentials::StartRun(Instant now) {
  if (runner_.joinable()) runner_.join();  // it has let go of the lock, as its last act
  run_ = std::make_shared<PluginRun>();
  runner_ = std::thread([this, run = run_, now] { Run(*run, now); });
}

void Credentials::Run(PluginRun& run, Instant now) {
  const Result<ExecCredential> printed = RunExecPlugin(
      *config_.identity.exec, config_.cluster, kPluginTime, [&run] { return run.given_up.load(); });
  const MutexLock lock(mutex_);
  run.outcome = Keep(printed.ok() ? Make(now, *printed) : Outcome(printed.status()), now);
  run_ = nullptr;
  run_ended_.NotifyAll();
}

Credentials::Outcome Credentials::AwaitRun(const std::function<bool()>& given_up) {
  const std::shared_ptr<PluginRun> run = run_;
  ++run->waiting;
  while (!run->outcome) {
    if (given_up && given_up()) break;
    run_ended_.WaitUntil(mutex_, Now() + kBetweenLooks);
  }
  if (--run->waiting == 0 && !run->outcome) run->given_up = true;
  return run->outcome ? *run->outcome : absl::CancelledError("interrupted");
}

/// What counts from now on: the proof that was made, or else perhaps the one before.
Credentials::Outcome Credentials::Keep(Outcome made, Instant now) {
  if (made.ok()) {
    proof_ = *made;
    return made;
  }
  if (proof_ == nullptr || refused_) return made;
  // What was good a minute ago may still be.
  spdlog::warn("keeping the present credentials: {}", std::string(made.status().message()));
  good_until_ = now + kTokenFileLife;
  return proof_;
}

/// `printed`: by the plugin, if there is one.
Credentials::Outcome Credentials::Make(Instant now, const ExecCredential& printed) {
  const Identity& identity = config_.identity;
  auto proof = std::make_shared<Proof>();
  security::TlsMaterial tls{identity.cert, identity.key, config_.cluster.ca};
  std::string token = identity.token;
  Instant good_until = Instant::max();
  if (!identity.token_file.empty()) {
    Result<std::string> read = ReadToken(identity.token_file);
    if (!read.ok()) return read.status();
    token = *std::move(read);
    good_until = now + kTokenFileLife;
  }
  if (identity.exec) {
    if (!printed.token.empty()) token = printed.token;
    if (!printed.cert.empty()) {
      tls.cert = printed.cert;
      tls.key = printed.key;
    }
    good_until = GoodUntil(printed, now);
  }
  if (const std::string authorization = AuthorizationOf(identity, token); !authorization.empty()) {
    proof->headers.emplace_back("Authorization", authorization);
  }
  AddImpersonation(identity, *proof);
  if (Status status = CheckHeaders(*proof); !status.ok()) return status;
  const bool same =
      proof_ != nullptr && proof_->tls->cert == tls.cert && proof_->tls->key == tls.key;
  proof->tls = same ? proof_->tls : std::make_shared<const security::TlsMaterial>(std::move(tls));
  proof->number = proof_ == nullptr ? 1 : proof_->number + 1;
  good_until_ = good_until;
  refused_ = false;
  return proof;
}

bool Credentials::Refuse(const Proof& proof) {
  const MutexLock lock(mutex_);
  if (proof_ == nullptr || proof_->number != proof.number) return true;
  if (config_.identity.token_file.empty() && !config_.identity.exec) return false;
  good_until_ = Instant::min();
  refused_ = true;
  return true;
}

}  // namespace twofold::kube
