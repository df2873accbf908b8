#include "tests/fakes/kube_api.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "kubernetes/api/credentials.h"
#include "tests/fakes/kube_server.h"

namespace twofold::fakes {

void KubeApi::Server::OnChange(std::function<void(const std::string&, const Json&)> on_change) {
  const MutexLock lock(mutex_);
  on_change_ = std::move(on_change);
}

void KubeApi::Server::OnText(
    std::function<std::optional<std::string>(const std::string&)> on_text) {
  const MutexLock lock(mutex_);
  on_text_ = std::move(on_text);
}

void KubeApi::Server::OnReview(std::function<bool(const Json&)> on_review) {
  const MutexLock lock(mutex_);
  on_review_ = std::move(on_review);
}

void KubeApi::Server::EndWatches(bool in_mid_line) {
  const MutexLock lock(mutex_);
  ++(in_mid_line ? breaks_ : ends_);
  changed_.NotifyAll();
}

void KubeApi::Server::Bookmark() {
  const MutexLock lock(mutex_);
  ++bookmarks_;
  changed_.NotifyAll();
}

void KubeApi::Server::Add(KubeFault fault) {
  const MutexLock lock(mutex_);
  faults_.push_back(std::move(fault));
}

std::set<KubeUse> KubeApi::Server::used() {
  const MutexLock lock(mutex_);
  return used_;
}

std::vector<std::string> KubeApi::Server::requests() {
  const MutexLock lock(mutex_);
  return requests_;
}

int KubeApi::Server::connections() {
  const MutexLock lock(mutex_);
  return connections_;
}

bool KubeApi::Server::AwaitWatches(int count, Instant deadline) {
  const MutexLock lock(mutex_);
  while (watches_ != count && Now() < deadline) changed_.WaitUntil(mutex_, deadline);
  return watches_ == count;
}

void KubeApi::Server::SetStorage(std::optional<std::uint64_t> bytes) {
  const MutexLock lock(mutex_);
  storage_ = bytes;
}

std::vector<KubeSend> KubeApi::Server::sends() {
  const MutexLock lock(mutex_);
  keeps_sends_ = true;
  return sends_;
}

void KubeApi::Server::SetTokens(std::set<std::string> tokens) {
  const MutexLock lock(mutex_);
  options_.tokens = std::move(tokens);
}

KubeApi::KubeApi(KubeApiOptions options) : server_(std::make_unique<Server>(std::move(options))) {}
KubeApi::~KubeApi() = default;

std::uint16_t KubeApi::port() const { return server_->port(); }

std::string KubeApi::url() const {
  return absl::StrCat(server_->options().cert.empty() ? "http" : "https", "://127.0.0.1:", port());
}

kube::Access KubeApi::access(const std::string& ca) const {
  kube::Config config;
  config.cluster.server = url();
  config.cluster.ca = ca;
  const auto& tokens = server_->options().tokens;
  if (!tokens.empty()) config.identity.token = *tokens.begin();
  return kube::Open(std::move(config));
}

Json KubeApi::Put(const Resource& resource, Json object) {
  return server_->With([&](KubeObjects& all) { return all.Put(resource, std::move(object)); });
}

Json KubeApi::Change(const Resource& resource, const ObjectName& name,
                     const std::function<void(Json&)>& change) {
  return server_->With([&](KubeObjects& all) {
    Json object = all.Get(resource, name);
    change(object);
    return all.Put(resource, std::move(object));
  });
}

void KubeApi::Remove(const Resource& resource, const ObjectName& name) {
  server_->With([&](KubeObjects& all) { all.Remove(resource, name); });
}

std::optional<Json> KubeApi::Find(const Resource& resource, const ObjectName& name) const {
  return server_->With([&](KubeObjects& all) {
    const Json* object = all.Find(resource, name);
    return object == nullptr ? std::nullopt : std::optional<Json>(*object);
  });
}

std::vector<Json> KubeApi::All(const Resource& resource) const {
  return server_->With([&](KubeObjects& all) { return all.List(resource, "", "", ""); });
}

void KubeApi::OnText(std::function<std::optional<std::string>(const std::string&)> on_text) {
  server_->OnText(std::move(on_text));
}

void KubeApi::OnReview(std::function<bool(const Json&)> on_review) {
  server_->OnReview(std::move(on_review));
}

void KubeApi::OnChange(std::function<void(const std::string&, const Json&)> on_change) {
  server_->OnChange(std::move(on_change));
}

void KubeApi::Compact() {
  server_->With([](KubeObjects& all) { all.Compact(); });
}

void KubeApi::EndWatches() { server_->EndWatches(false); }
void KubeApi::BreakWatches() { server_->EndWatches(true); }
void KubeApi::Bookmark() { server_->Bookmark(); }
void KubeApi::Add(KubeFault fault) { server_->Add(std::move(fault)); }
std::set<KubeUse> KubeApi::used() const { return server_->used(); }
std::vector<std::string> KubeApi::requests() const { return server_->requests(); }
int KubeApi::connections() const { return server_->connections(); }
bool KubeApi::AwaitWatches(int count, Instant deadline) const {
  return server_->AwaitWatches(count, deadline);
}
void KubeApi::SetStorage(std::optional<std::uint64_t> bytes) { server_->SetStorage(bytes); }
std::vector<KubeSend> KubeApi::sends() { return server_->sends(); }
void KubeApi::SetTokens(std::set<std::string> tokens) { server_->SetTokens(std::move(tokens)); }

}  // namespace twofold::fakes
