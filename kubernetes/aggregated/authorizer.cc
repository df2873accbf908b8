#include "kubernetes/aggregated/authorizer.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace twofold::aggregated {
namespace {

// The API server gives up on us after ten seconds, an HPA's look takes longer then.
constexpr Duration kTimeout = std::chrono::seconds(5);
constexpr std::size_t kMostReply = 1 << 20;

constexpr const char* kMasters = "system:masters";

/// "user u cannot get resource services/q of API group g in namespace n"
Status Denial(const Caller& caller, const Attributes& attributes) {
  const auto after = [](const char* word, const std::string& text) {
    return text.empty() ? "" : absl::StrCat(word, text);
  };
  return absl::PermissionDeniedError(
      absl::StrCat("user ", caller.user, " cannot ", attributes.verb, " resource ",
                   attributes.resource, after("/", attributes.subresource), " of API group ",
                   attributes.group, after(" in namespace ", attributes.space)));
}

}  // namespace

Authorizer::~Authorizer() { Stop(); }

Status Authorizer::Check(const Caller& caller, const Attributes& attributes) {
  const auto& groups = caller.groups;
  if (std::find(groups.begin(), groups.end(), kMasters) != groups.end()) return absl::OkStatus();
  const kube::Call review = Review(caller, attributes);
  const auto known = [&] {
    const MutexLock lock(mutex_);
    return decisions_.Find(review.body, Now());
  }();
  const Result<bool> allowed = known ? Result<bool>(*known) : Ask(review);
  if (!allowed.ok()) return absl::UnavailableError(std::string(allowed.status().message()));
  return *allowed ? absl::OkStatus() : Denial(caller, attributes);
}

Result<bool> Authorizer::Ask(const kube::Call& review) {
  auto connection = Borrow();
  if (connection == nullptr) return absl::CancelledError("the program ends");
  const auto reply = connection->Do(review);
  GiveBack(std::move(connection));
  if (!reply.ok()) return reply.status();
  const kube::Json* const allowed = kube::At(reply->body, "/status/allowed");
  if (allowed == nullptr || !allowed->is_boolean()) {
    return absl::UnavailableError(absl::StrCat(review.what, ": the answer has no status.allowed"));
  }
  const MutexLock lock(mutex_);
  decisions_.Note(review.body, allowed->get<bool>(), Now());
  return allowed->get<bool>();
}

/// nullptr: it has stopped.
std::shared_ptr<kube::Connection> Authorizer::Borrow() {
  const MutexLock lock(mutex_);
  if (stopped_) return nullptr;
  if (idle_.empty()) {
    kube::ConnectionOptions options;
    options.timeout = kTimeout;
    options.max_reply = kMostReply;
    idle_.push_back(std::make_shared<kube::Connection>(access_, options));
  }
  busy_.push_back(std::move(idle_.back()));
  idle_.pop_back();
  return busy_.back();
}

void Authorizer::GiveBack(std::shared_ptr<kube::Connection> connection) {
  const MutexLock lock(mutex_);
  std::erase(busy_, connection);
  idle_.push_back(std::move(connection));
}

void Authorizer::Stop() {
  const MutexLock lock(mutex_);
  stopped_ = true;
  for (const auto& connection : busy_) connection->Interrupt();
}

}  // namespace twofold::aggregated
