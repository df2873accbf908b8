#include "kubernetes/lifecycle/watching/follower.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "kubernetes/lifecycle/journal/record.h"
#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/stamps.h"
#include "kubernetes/lifecycle/sending/canaries.h"

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

Follower::Follower(const kube::Access& access, Following following,
                   const kube::WatchOptions& options, Observed& observed)
    : following_(std::move(following)), observed_(observed) {
  for (const kube::Selection& selection : following_.selections) {
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

SenderSign Follower::sender() {
  MutexLock lock(mutex_);
  return sender_;
}

/// What is listed of the workloads themselves says when they were sent, which bounds all else. The
/// other watches are read meanwhile.
void Follower::AwaitTurn(const Stream& stream) {
  MutexLock lock(mutex_);
  const Stream& first = *streams_.front();
  while (!stopped_ && &stream != &first && !first.synced) changed_.Wait(mutex_);
}

void Follower::Follow(Stream& stream) {
  AwaitTurn(stream);
  stream.watcher->ForEach([&](const kube::WatchEvent& event) { Take(stream, event); });
}

void Follower::Take(Stream& stream, const kube::WatchEvent& event) {
  if (event.kind == Told::kTrouble) return TakeTrouble(stream, event.trouble);
  Show(stream, event);
  MutexLock lock(mutex_);
  if (event.kind != Told::kListing && event.kind != Told::kListed) stream.trouble = {};
  if (event.kind == Told::kSynced) {
    stream.synced = true;
    changed_.NotifyAll();
  }
}

void Follower::TakeTrouble(Stream& stream, const Status& trouble) {
  MutexLock lock(mutex_);
  stream.trouble = trouble;
  changed_.NotifyAll();
  if (!stream.synced) return;
  if (const auto left_out = log_.Admit(Now())) {
    spdlog::warn("{}; tried again{}", std::string(trouble.message()), *left_out);
  }
}

void Follower::Show(const Stream& stream, const kube::WatchEvent& event) {
  const bool has_object = event.object.is_object() && event.kind != Told::kBookmark;
  if (has_object && stream.kind == kube::kConfigMaps.kind) return ShowConfigMap(event);
  observed_.With([&](Observer& observer) {
    if (event.kind == Told::kListing)
      return observer.Tell(input::Listing{stream.kind, event.arrived});
    if (event.kind == Told::kSynced)
      return observer.Tell(input::Listed{stream.kind, event.arrived});
    if (!has_object) return observer.Tell(input::Alive{stream.kind, event.arrived});
    if (following_.stamps) ReadStamps(event.object, observer);
    observer.Tell(input::Seen{EventOf(event.kind), event.object, event.arrived, event.blind_since});
  });
  const bool is_new = event.kind == Told::kAdded && &stream == streams_.front().get();
  if (is_new) NoteSign(event, false);
}

void Follower::ShowConfigMap(const kube::WatchEvent& event) {
  const std::string name = kube::NameOf(event.object).name;
  const std::string tick = TickOf(event.object);
  if (name == following_.run) NoteSign(event, ReadRecord(event.object).all_sent);
  const bool as_it_happened = event.kind == Told::kModified && !event.blind_since;
  if (!as_it_happened || tick.empty() || name != following_.canary) return;
  observed_.With([&](Observer& observer) {
    observer.Tell(input::CanarySeen{CanaryName(name, tick), event.arrived});
  });
}

/// The first stamps count: those of an object of the same name that comes later are its own.
void Follower::ReadStamps(const Object& object, Observer& observer) const {
  if (TextAt(object, "/kind") != observed_.kind().own.kind) return;
  if (LabelOf(object, kRunLabel) != following_.run) return;
  const auto [space, name] = kube::NameOf(object);
  const Life* const life = observer.LifeNamed(space, name);
  if (life == nullptr || !life->uid.empty()) return;
  const Stamps stamps = StampsOf(object);
  if (stamps.planned_ns && !Of(life->own, Moment::kPlanned)) {
    (void)observer.Tell(input::Plan{space, name, life->slots,
                                    observed_.anchor().At(*stamps.planned_ns), life->planned});
  }
  if (stamps.sent_ns && !Of(life->own, Moment::kSent)) {
    observer.Tell(input::Sent{space, name, observed_.anchor().At(*stamps.sent_ns)});
  }
}

/// What is listed may be old.
void Follower::NoteSign(const kube::WatchEvent& event, bool all_sent) {
  MutexLock lock(mutex_);
  if (event.kind == Told::kAdded || event.kind == Told::kModified) sender_.last = event.arrived;
  sender_.all_sent = sender_.all_sent || all_sent;
}

}  // namespace twofold::lifecycle
