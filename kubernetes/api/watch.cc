#include "kubernetes/api/watch.h"

#include <absl/functional/function_ref.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "kubernetes/api/errors.h"
#include "kubernetes/api/list.h"
#include "kubernetes/api/watch_lines.h"
#include "lib/common/backoff.h"
#include "lib/common/mutex.h"
#include "lib/common/printable.h"

namespace twofold::kube {
namespace {

using Kind = WatchEvent::Kind;

// A stream that ends before is one that ended at once.
constexpr auto kShortLife = std::chrono::seconds(1);

// What happened during a gap comes at the beginning of the next stream, before what is new; all of
// it by then, unless a bookmark says so earlier. What comes later, or not at all, proves nothing.
constexpr auto kCatchUp = std::chrono::seconds(1);

constexpr auto kGoodLife = std::chrono::minutes(2);
constexpr std::size_t kShownLine = 200;

constexpr std::array<std::pair<std::string_view, Kind>, 4> kTypes = {{
    {"ADDED", Kind::kAdded},
    {"MODIFIED", Kind::kModified},
    {"DELETED", Kind::kDeleted},
    {"BOOKMARK", Kind::kBookmark},
}};

/// An event on its way: the object still is the text of a line, unless it came by a list.
struct Queued {
  WatchEvent event;
  std::shared_ptr<const std::string> line;
  std::size_t bytes = 0;  // that it takes in memory
};

/// Events between the thread that reads and the one that takes them.
///
/// Threads  Any.
class EventQueue {
 public:
  explicit EventQueue(std::size_t most) : most_(most) {}

  /// Waits while there is no room, after a call of `pause`, which must not call the queue. The
  /// moment since when it had to; nullopt: there was room.
  std::optional<Instant> Push(Queued queued, absl::FunctionRef<void()> pause);
  std::optional<Queued> Pop(Instant deadline);

  /// Nobody waits any more.
  void Close();
  bool closed();

 private:
  const std::size_t most_;
  Mutex mutex_;
  Condition changed_;
  std::deque<Queued> queue_ ABSL_GUARDED_BY(mutex_);
  std::size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

std::optional<Instant> EventQueue::Push(Queued queued, absl::FunctionRef<void()> pause) {
  queued.bytes =
      sizeof(Queued) + (queued.line ? queued.line->size() : 0) + MemoryOf(queued.event.object);
  const std::size_t size = queued.bytes;
  std::optional<Instant> since;
  const MutexLock lock(mutex_);
  while (!closed_ && bytes_ > 0 && bytes_ + size > most_) {
    if (!since) {
      since = Now();
      pause();
    }
    changed_.Wait(mutex_);
  }
  if (closed_) return since;
  bytes_ += size;
  queue_.push_back(std::move(queued));
  changed_.NotifyAll();
  return since;
}

std::optional<Queued> EventQueue::Pop(Instant deadline) {
  const MutexLock lock(mutex_);
  while (queue_.empty()) {
    if (closed_ || Now() >= deadline) return std::nullopt;
    if (deadline == Instant::max()) {
      changed_.Wait(
          mutex_);  // the standard library adds to a deadline, and so must not get this one
    } else {
      changed_.WaitUntil(mutex_, deadline);
    }
  }
  Queued queued = std::move(queue_.front());
  queue_.pop_front();
  bytes_ -= queued.bytes;
  changed_.NotifyAll();
  return queued;
}

void EventQueue::Close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  changed_.NotifyAll();
}

bool EventQueue::closed() {
  const MutexLock lock(mutex_);
  return closed_;
}

class ThreadWatcher : public Watcher {
 public:
  ThreadWatcher(Access access, Selection selection, WatchOptions options)
      : selection_(std::move(selection)),
        options_(options),
        connection_(std::move(access), options.connection),
        queue_(options.max_queued),
        backoff_(2 * options.first_wait, 2 * options.longest_wait, std::random_device{}()),
        initial_events_(options.initial_events),
        thread_([this] { Run(); }) {}

  ~ThreadWatcher() override {
    Stop();
    thread_.join();
  }

  std::optional<WatchEvent> Next(Instant deadline) override;

  void Stop() override {
    queue_.Close();
    connection_.Interrupt();
  }

  WatchCounts counts() override {
    const MutexLock lock(mutex_);
    return counts_;
  }

 private:
  void Run();
  Status Round();
  Status SyncByList();
  Status Follow();
  Status ReadLines();
  [[nodiscard]] Status EndOf(const std::string& rest) const;
  Status Take(Line line);
  Status TakeBookmark(const std::string& text, Instant arrived);
  Status TakeError(const std::string& text);
  void Tell(Kind kind, Instant arrived, std::shared_ptr<const std::string> line = nullptr,
            Json object = {});
  void TellTrouble(Status status);
  void Push(Queued queued);
  std::uint32_t StreamSeconds();
  void SetBlind(Instant since, Instant until);
  void Hold(Instant since);
  void SetIntact(Instant at);
  [[nodiscard]] std::optional<Instant> BlindSince(Instant arrived) const;
  void Count(std::uint64_t WatchCounts::*count) {
    const MutexLock lock(mutex_);
    ++(counts_.*count);
  }

  const Selection selection_;
  const WatchOptions options_;
  Connection connection_;
  EventQueue queue_;

  // Used by the thread only.
  Backoff backoff_;
  bool initial_events_;  // the server can, as far as we know
  std::mt19937_64 random_{std::random_device{}()};
  std::string version_;   // to go on from; empty: a list is needed
  std::string what_;      // of the stream, for messages
  bool listing_ = false;  // by the stream: the initial events have not ended
  bool had_line_ = false;
  std::shared_ptr<const std::string> newest_;  // line that tells a version
  std::optional<Instant> intact_;              // the last moment at which nothing was missed
  std::optional<Instant> blind_since_;         // of what arrives up to blind_until_
  Instant blind_until_{};
  std::optional<Instant> held_since_;    // reading has paused; what came waits in the socket
  std::optional<Instant> stream_begun_;  // of this round: it told changes from then on

  Mutex mutex_;
  WatchCounts counts_ ABSL_GUARDED_BY(mutex_);

  std::thread thread_;  // last: it uses all of the above
};

void ThreadWatcher::Run() {
  while (!queue_.closed()) {
    stream_begun_.reset();
    Status status = Round();
    if (queue_.closed()) return;
    // Without the list, which may take long: else there would be one list after the other.
    const Duration life = stream_begun_ ? Now() - *stream_begun_ : Duration::zero();
    if (life >= kGoodLife) backoff_.Reset();
    const bool refused = HttpStatusOf(status) != 0;
    const Duration asked = RetryAfterOf(status).value_or(Duration::zero());
    if (!status.ok()) TellTrouble(std::move(status));
    if (refused || life < kShortLife) connection_.Sleep(std::max(backoff_.Next(), asked));
  }
}

/// A list if one is needed, and one stream. OK: it ended as it should.
Status ThreadWatcher::Round() {
  if (version_.empty() && !initial_events_) {
    if (Status status = SyncByList(); !status.ok()) return status;
  }
  const bool resumed = !version_.empty();
  Status status = Follow();
  if (!resumed && absl::IsInvalidArgument(status)) {
    initial_events_ = false;  // 422 of servers before 1.32: a list does it as well
    return Round();
  }
  return status;
}

Status ThreadWatcher::SyncByList() {
  Count(&WatchCounts::lists);
  const Instant begin = Now();
  SetBlind(intact_.value_or(Instant::min()), Instant::max());
  Tell(Kind::kListing, begin);
  ListEvents events;
  events.object = [this](Json object, Instant arrived) {
    Tell(Kind::kListed, arrived, nullptr, std::move(object));
  };
  events.restart = [this] { Tell(Kind::kListing, Now()); };
  const Result<ListEnd> end = List(connection_, selection_, events, {.page = options_.page});
  if (!end.ok()) return end.status();
  if (end->resource_version.empty()) {
    return absl::UnavailableError("the list has no resourceVersion to watch from");
  }
  Tell(Kind::kSynced, Now());
  version_ = end->resource_version;
  SetIntact(begin);
  return absl::OkStatus();
}

/// One stream, from its beginning to its end.
Status ThreadWatcher::Follow() {
  listing_ = version_.empty();
  had_line_ = false;
  newest_ = nullptr;
  const Call call = Watch(selection_, {version_, listing_, StreamSeconds()});
  what_ = call.what;
  Count(&WatchCounts::streams);
  const std::optional<Instant> before = intact_;
  const Result<Instant> opened = connection_.OpenStream(call);
  if (!opened.ok()) {
    if (absl::IsOutOfRange(opened.status())) version_.clear();
    return opened.status();
  }
  if (listing_) {
    Count(&WatchCounts::lists);
    SetBlind(intact_.value_or(Instant::min()), Instant::max());
    Tell(Kind::kListing, *opened);
  } else {
    stream_begun_ = *opened;
    if (intact_) SetBlind(*intact_, *opened + kCatchUp);
  }
  const Status status = ReadLines();
  if (newest_ != nullptr && !version_.empty()) {
    version_ = TextAt(ObjectOf(*newest_), "/metadata/resourceVersion");
  }
  // A version that the server has never had is answered by silence, a stale one perhaps by an end.
  if (!had_line_ && (status.ok() || absl::IsDeadlineExceeded(status))) version_.clear();
  // Such a stream, or one whose only line says that the version has expired, has shown nothing.
  if (!had_line_ && version_.empty()) intact_ = before;
  if (!status.ok()) Count(&WatchCounts::breaks);
  return status;
}

Status ThreadWatcher::ReadLines() {
  LineSplitter splitter(options_.max_line);
  std::string bytes;
  std::vector<Line> lines;
  for (;;) {
    const auto read = connection_.ReadStream(bytes, options_.longest_silence);
    if (!read.ok()) {
      return {read.status().code(),
              absl::StrCat(what_, ": the stream broke: ", std::string(read.status().message()))};
    }
    if (!read->has_value()) return EndOf(splitter.begun());
    if (Status status = splitter.Append(bytes, **read, lines); !status.ok()) return status;
    bytes.clear();
    for (Line& line : lines) {
      if (Status status = Take(std::move(line)); !status.ok()) return status;
    }
    lines.clear();
  }
}

/// A stream has ended as HTTP has it, with `rest` after its last line.
Status ThreadWatcher::EndOf(const std::string& rest) const {
  if (rest.empty()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(
      what_, ": the stream ended in the middle of a line: ", Printable(rest, kShownLine)));
}

Status ThreadWatcher::Take(Line line) {
  const std::string type = TypeOf(line.text);
  if (type == "ERROR") return TakeError(line.text);
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&](const auto& row) { return row.first == type; });
  if (found == kTypes.end()) {
    return absl::UnavailableError(
        absl::StrCat(what_, ": a line is no event: ", Printable(line.text, kShownLine)));
  }
  had_line_ = true;
  const bool is_bookmark = found->second == Kind::kBookmark;
  const bool has_caught_up =
      !blind_since_ || line.arrived > blind_until_ || (is_bookmark && !held_since_);
  if (!listing_ && has_caught_up) SetIntact(line.arrived);
  if (is_bookmark) {
    if (Status status = TakeBookmark(line.text, line.arrived); !status.ok()) return status;
  }
  auto text = std::make_shared<const std::string>(std::move(line.text));
  if (!is_bookmark) newest_ = text;
  const bool is_listed = listing_ && found->second == Kind::kAdded;
  Tell(is_listed ? Kind::kListed : found->second, line.arrived, std::move(text));
  return absl::OkStatus();
}

Status ThreadWatcher::TakeBookmark(const std::string& text, Instant arrived) {
  const Json bookmark = ObjectOf(text);
  const std::string version = TextAt(bookmark, "/metadata/resourceVersion");
  if (version.empty()) {
    return absl::UnavailableError(absl::StrCat(what_, ": a bookmark without a resourceVersion"));
  }
  newest_ = nullptr;
  if (!listing_) {
    version_ = version;
  } else if (EndsInitialEvents(bookmark)) {
    version_ = version;
    Tell(Kind::kSynced, Now());
    listing_ = false;
    stream_begun_ = Now();
    const auto held = std::exchange(held_since_, std::nullopt);
    SetIntact(held.value_or(arrived));
    if (held) Hold(*held);
  }
  return absl::OkStatus();
}

Status ThreadWatcher::TakeError(const std::string& text) {
  const Status status = ErrorOfStatusObject(what_, ObjectOf(text));
  if (absl::IsOutOfRange(status)) {
    version_.clear();
    newest_ = nullptr;
  }
  return status;
}

void ThreadWatcher::Tell(Kind kind, Instant arrived, std::shared_ptr<const std::string> line,
                         Json object) {
  if (kind != Kind::kListing && kind != Kind::kSynced) Count(&WatchCounts::events);
  Queued queued;
  queued.event.kind = kind;
  queued.event.arrived = arrived;
  queued.event.blind_since = BlindSince(arrived);
  queued.event.object = std::move(object);
  queued.line = std::move(line);
  Push(std::move(queued));
}

void ThreadWatcher::TellTrouble(Status status) {
  Queued queued;
  queued.event.kind = Kind::kTrouble;
  queued.event.arrived = Now();
  queued.event.trouble = std::move(status);
  Push(std::move(queued));
}

void ThreadWatcher::Push(Queued queued) {
  const auto paused = queue_.Push(std::move(queued), [this] { Count(&WatchCounts::pauses); });
  if (!paused) return;
  // What comes now has been waiting in the socket meanwhile.
  if (listing_) {
    held_since_ = held_since_.value_or(*paused);
  } else {
    Hold(*paused);
  }
}

/// The limit of a stream, by chance, so that many watches do not end together.
std::uint32_t ThreadWatcher::StreamSeconds() {
  return std::uniform_int_distribution(options_.timeout_s, 2 * options_.timeout_s)(random_);
}

/// One gap may come upon another, before what happened in the first has been told.
void ThreadWatcher::SetBlind(Instant since, Instant until) {
  blind_until_ = blind_since_ ? std::max(blind_until_, until) : until;
  blind_since_ = std::min(blind_since_.value_or(since), since);
}

/// Reading went on just now, after a pause.
void ThreadWatcher::Hold(Instant since) {
  held_since_ = since;
  SetBlind(since, Now() + kCatchUp);
}

/// All that happened before `at` has been told.
void ThreadWatcher::SetIntact(Instant at) {
  intact_ = at;
  blind_since_.reset();
  held_since_.reset();
}

std::optional<Instant> ThreadWatcher::BlindSince(Instant arrived) const {
  if (!blind_since_ || *blind_since_ == Instant::min() || arrived > blind_until_) {
    return std::nullopt;
  }
  return blind_since_;
}

std::optional<WatchEvent> ThreadWatcher::Next(Instant deadline) {
  std::optional<Queued> queued = queue_.Pop(deadline);
  if (!queued) return std::nullopt;
  WatchEvent event = std::move(queued->event);
  if (queued->line == nullptr) return event;
  event.object = ObjectOf(*queued->line);
  if (event.object.is_object()) return event;
  event.kind = Kind::kTrouble;
  event.trouble = absl::UnavailableError(
      absl::StrCat("a watch's line is no JSON: ", Printable(*queued->line, kShownLine)));
  return event;
}

}  // namespace

std::unique_ptr<Watcher> Watcher::Start(Access access, Selection selection, WatchOptions options) {
  return std::make_unique<ThreadWatcher>(std::move(access), std::move(selection), options);
}

}  // namespace twofold::kube
