#include "cli/lifecycle/follower.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "cli/lifecycle/record.h"

namespace twofold::lifecycle {
namespace {

using Told = kube::WatchEvent::Kind;

/// Whether trying again cannot help.
bool IsFinal(const Status& trouble) {
  return absl::IsPermissionDenied(trouble) || absl::IsNotFound(trouble) ||
         absl::IsInvalidArgument(trouble) || absl::IsUnauthenticated(trouble);
}

Event EventOf(Told told) {
  if (told == Told::kAdded) return Event::kAdded;
  if (told == Told::kModified) return Event::kModified;
  return told == Told::kDeleted ? Event::kDeleted : Event::kListed;
}

}  // namespace

Follower::Follower(const kube::Access& access, const Kind& kind, std::string run,
                   const std::vector<kube::Selection>& selections,
                   const kube::WatchOptions& options)
    : run_(std::move(run)), observer_(kind, run_) {
  for (const kube::Selection& selection : selections) {
    auto stream = std::make_unique<Stream>();
    stream->kind = selection.resource.kind;
    stream->watcher = kube::Watcher::Start(access, selection, options);
    streams_.push_back(std::move(stream));
  }
  for (const auto& stream : streams_) {
    threads_.emplace_back([this, &stream = *stream] { Follow(stream); });
  }
}

Follower::~Follower() { Stop(); }

void Follower::Stop() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
  }
  for (const auto& stream : streams_) stream->watcher->Stop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

std::uint64_t Follower::breaks() {
  std::uint64_t sum = 0;
  for (const auto& stream : streams_) sum += stream->watcher->counts().breaks;
  return sum;
}

bool Follower::sees_all() {
  MutexLock lock(mutex_);
  return std::all_of(streams_.begin(), streams_.end(),
                     [](const auto& stream) { return stream->trouble.ok(); });
}

Status Follower::AwaitSync(Instant deadline) {
  MutexLock lock(mutex_);
  for (const auto& stream : streams_) {
    while (!stream->synced) {
      if (stopped_) return absl::CancelledError("interrupted before the watches were up");
      if (IsFinal(stream->trouble)) return stream->trouble;
      if (!changed_.WaitUntil(mutex_, deadline) && !stream->synced) {
        return absl::DeadlineExceededError(
            absl::StrCat("the watch of ", stream->kind, " does not come up: ",
                         stream->trouble.ok() ? "the server sends nothing"
                                              : std::string(stream->trouble.message())));
      }
    }
  }
  return absl::OkStatus();
}

void Follower::Follow(Stream& stream) {
  constexpr Duration kBetweenLooks = std::chrono::seconds(1);
  for (;;) {
    if (const auto event = stream.watcher->Next(Now() + kBetweenLooks)) {
      Take(stream, *event);
      continue;
    }
    MutexLock lock(mutex_);
    if (stopped_) return;
  }
}

void Follower::Take(Stream& stream, const kube::WatchEvent& event) {
  MutexLock lock(mutex_);
  if (event.kind != Told::kListing && event.kind != Told::kListed) stream.trouble = {};
  switch (event.kind) {
    case Told::kTrouble:
      return TakeTrouble(stream, event.trouble);
    case Told::kListing:
      return observer_.Listing(stream.kind);
    case Told::kSynced:
      observer_.Listed(stream.kind, event.arrived);
      stream.synced = true;
      changed_.NotifyAll();
      return;
    case Told::kBookmark:
      return observer_.Alive(stream.kind, event.arrived);
    case Told::kListed:
    case Told::kAdded:
    case Told::kModified:
    case Told::kDeleted:
      return Show(stream, event);
  }
}

void Follower::TakeTrouble(Stream& stream, const Status& trouble) {
  stream.trouble = trouble;
  changed_.NotifyAll();
  if (!stream.synced) return;
  if (const auto left_out = log_.Admit(Now())) {
    spdlog::warn("{}; tried again{}", std::string(trouble.message()), *left_out);
  }
}

void Follower::Show(const Stream& stream, const kube::WatchEvent& event) {
  if (stream.kind != kube::kConfigMaps.kind) {
    observer_.Seen(EventOf(event.kind), event.object, event.arrived, event.blind_since);
    return;
  }
  const std::string tick = TickOf(event.object);
  const bool as_it_happened = event.kind == Told::kModified && !event.blind_since;
  if (as_it_happened && !tick.empty() && kube::NameOf(event.object).name == run_) {
    observer_.CanarySeen(tick, event.arrived);
  }
}

}  // namespace twofold::lifecycle
