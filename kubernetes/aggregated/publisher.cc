#include "kubernetes/aggregated/publisher.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace twofold::aggregated {
namespace {

kube::UnixTime WallNow() { return std::chrono::system_clock::now(); }

}  // namespace

Publisher::Publisher(Options options)
    : options_(std::move(options)), connection_(options_.access) {}

Result<std::unique_ptr<Publisher>> Publisher::Start(Options options) {
  std::unique_ptr<Publisher> publisher(new Publisher(std::move(options)));
  if (publisher->options_.makes_certificate) {
    if (Status status = publisher->Renew(WallNow()); !status.ok()) return status;
    publisher->Settle(true, Instant::max(), WallNow());  // nobody is served by an older one
  }
  publisher->thread_ = std::thread([self = publisher.get()] { self->Run(); });
  return publisher;
}

Publisher::~Publisher() {
  end_.Interrupt();
  connection_.Interrupt();
  if (thread_.joinable()) thread_.join();
}

std::shared_ptr<const security::TlsMaterial> Publisher::Material() const {
  const MutexLock lock(mutex_);
  return material_;
}

Publisher::State Publisher::Look() const {
  const MutexLock lock(mutex_);
  return state_;
}

/// Makes the next certificate.
Status Publisher::Renew(kube::UnixTime now) {
  const std::string name = absl::StrCat(options_.service.name, ".", options_.service.space, ".svc");
  auto made = MakeCertificate(name, options_.maker, now, options_.lasts);
  if (!made.ok()) return made.status();
  next_ = *std::move(made);
  published_.reset();
  return absl::OkStatus();
}

void Publisher::Run() {
  Duration pause{0};
  while (end_.Pause(Now() + pause)) {
    const kube::UnixTime wall = WallNow();
    const bool is_due = current_ && !next_ && wall >= current_->expires - options_.renew_before;
    if (is_due) Say("certificate", std::string(Renew(wall).message()));
    const bool is_published = PublishAll(wall);
    Settle(is_published, Now(), wall);
    // A certificate that waits to be served is looked after sooner.
    pause = next_ ? std::min(options_.settle, options_.period) : options_.period;
  }
}

/// Whether each APIService of ours trusts all our certificates.
bool Publisher::PublishAll(kube::UnixTime now) {
  bool is_published = true;
  for (const std::string& name : options_.api_services) {
    const Result<bool> leads_here = Publish(name, now);
    if (!leads_here.ok()) {
      Say(name, std::string(leads_here.status().message()));
      is_published = false;
    }
    const MutexLock lock(mutex_);
    state_.leads_here[name] = leads_here.ok() && *leads_here;
  }
  return is_published;
}

/// Whether it leads here; then it trusts us.
Result<bool> Publisher::Publish(const std::string& name, kube::UnixTime now) {
  const auto found = connection_.Do(kube::Get(kApiServices, {"", name}));
  if (!found.ok() && !absl::IsNotFound(found.status())) return found.status();
  const Held held = WhoHolds(found.ok() ? &found->body : nullptr, options_.service);
  if (held.by == Holder::kSomebody) {
    Say(name, absl::StrCat("APIService ", name, " is that of ", held.owner,
                           ", and is left as it is. ", options_.advice));
    return false;
  }
  if (held.by == Holder::kNobody) {
    Say(name, "");
    return false;
  }
  if (options_.makes_certificate) {
    std::vector<std::string> own;
    for (const auto* each : {&current_, &next_}) {
      if (*each) own.push_back((*each)->ca);
    }
    if (const auto patch = TrustCas(found->body, own, now)) {
      const Status status = connection_.Do(*patch).status();
      // Another process was faster: the next look has both.
      if (!status.ok()) return status;
      spdlog::info("APIService {} trusts this process", name);
    }
  }
  Say(name, "");
  return true;
}

/// Serves the next certificate if its time has come.
void Publisher::Settle(bool is_published, Instant now, kube::UnixTime wall) {
  if (!next_) return;
  if (is_published && !published_) published_ = now;
  const bool is_first = !current_;
  const bool is_trusted = published_ && now - *published_ >= options_.settle;
  const bool is_late = current_ && wall >= current_->expires;
  if (!is_first && !is_trusted && !is_late) return;
  current_ = std::exchange(next_, std::nullopt);
  published_.reset();
  const MutexLock lock(mutex_);
  material_ = std::make_shared<const security::TlsMaterial>(current_->tls);
  state_.expires = current_->expires;
}

/// Logs it if it is new. Empty: all is well.
void Publisher::Say(const std::string& name, const std::string& what) {
  if (std::exchange(said_[name], what) != what && !what.empty()) spdlog::warn("{}", what);
}

}  // namespace twofold::aggregated
