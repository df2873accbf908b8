#include "kubernetes/controller/controller.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <random>
#include <utility>

namespace twofold::controller {
namespace {

std::string TextOf(const ObjectName& name) {
  return name.space.empty() ? name.name : absl::StrCat(name.space, "/", name.name);
}

}  // namespace

Controller::Controller(kube::Access access, ControllerOptions options, Reconcile reconcile,
                       Related related)
    : access_(std::move(access)),
      options_(std::move(options)),
      reconcile_(std::move(reconcile)),
      related_(std::move(related)),
      cache_(options_.cache_bytes, options_.part),
      queue_(options_.queue, std::random_device{}()) {}

Controller::~Controller() { Stop(); }

void Controller::Stop() {
  if (watcher_) watcher_->Stop();
  std::vector<std::thread> workers;
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    workers.swap(workers_);
    changed_.NotifyAll();
  }
  if (follower_.joinable()) follower_.join();
  for (std::thread& worker : workers) worker.join();
}

void Controller::Watch() {
  watcher_ = kube::Watcher::Start(access_, options_.selection, options_.watch);
  follower_ = std::thread([this] { Follow(); });
}

void Controller::Work() {
  const MutexLock lock(mutex_);
  if (ending_) return;
  for (int i = 0; i < options_.workers; ++i) workers_.emplace_back([this] { Serve(); });
}

void Controller::Follow() {
  watcher_->ForEach([this](const kube::WatchEvent& event) {
    if (event.kind == kube::WatchEvent::Kind::kTrouble) return SayTrouble(event.trouble);
    if (event.kind == kube::WatchEvent::Kind::kSynced) trouble_.clear();
    std::vector<ObjectName> names;
    {
      const MutexLock lock(mutex_);
      names = cache_.Take(event);
    }
    // All objects of a list are looked at in any case.
    const bool is_listed = event.kind == kube::WatchEvent::Kind::kListed;
    for (std::size_t i = 0, changed = is_listed || !related_ ? 0 : names.size(); i < changed; ++i) {
      for (ObjectName& other : related_(names[i])) names.push_back(std::move(other));
    }
    const MutexLock lock(mutex_);
    for (const ObjectName& name : names) queue_.Add(name, Now());
    changed_.NotifyAll();
  });
}

/// What is said each time is said once.
void Controller::SayTrouble(const Status& status) {
  std::string text(status.message());
  if (text == trouble_) return;
  spdlog::warn("{}: {}; trying again", options_.name, text);
  trouble_ = std::move(text);
}

/// nullopt: the end. Before the first list has come whole, nobody knows what there is.
std::optional<ObjectName> Controller::TakeKey() {
  const MutexLock lock(mutex_);
  while (!ending_) {
    if (cache_.synced()) {
      if (auto key = queue_.Take(Now())) {
        ++counts_.busy;
        return key;
      }
    }
    const auto due = cache_.synced() ? queue_.NextDue() : std::nullopt;
    if (due) {
      changed_.WaitUntil(mutex_, *due);
    } else {
      changed_.Wait(mutex_);
    }
  }
  return std::nullopt;
}

void Controller::Serve() {
  kube::Connection connection(access_);
  while (const auto name = TakeKey()) {
    const Instant begun = Now();
    const Result<Next> result = reconcile_(*name, connection);
    End(*name, result, Now() - begun);
  }
}

void Controller::End(const ObjectName& name, const Result<Next>& result, Duration took) {
  if (!result.ok()) {
    const auto level =
        absl::IsAborted(result.status()) ? spdlog::level::debug : spdlog::level::warn;
    spdlog::log(level, "{} {}: {}; trying again", options_.name, TextOf(name),
                std::string(result.status().message()));
  }
  const MutexLock lock(mutex_);
  --counts_.busy;
  counts_.times.Record(took);
  if (!result.ok()) {
    ++counts_.failed;
    queue_.Retry(name, Now());
  } else {
    ++counts_.succeeded;
    if (result->again) ++counts_.again;
    queue_.Done(name, result->again, Now());
  }
  changed_.NotifyAll();
}

bool Controller::synced() const {
  const MutexLock lock(mutex_);
  return cache_.synced();
}

Snapshot Controller::Find(const ObjectName& name) const {
  const MutexLock lock(mutex_);
  return cache_.Find(name);
}

std::vector<Snapshot> Controller::All() const {
  const MutexLock lock(mutex_);
  return cache_.All();
}

void Controller::Add(const ObjectName& name) {
  const MutexLock lock(mutex_);
  queue_.Add(name, Now());
  changed_.NotifyAll();
}

void Controller::Note(const Json& answer) {
  const MutexLock lock(mutex_);
  cache_.Note(answer);
}

ControllerCounts Controller::counts() const {
  const MutexLock lock(mutex_);
  ControllerCounts counts = counts_;
  counts.cache = cache_.counts();
  counts.queue = queue_.counts(Now());
  if (watcher_) counts.watch = watcher_->counts();
  counts.workers = options_.workers;
  return counts;
}

}  // namespace twofold::controller
