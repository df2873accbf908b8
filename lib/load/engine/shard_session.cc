#include "lib/load/engine/shard_session.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/common/shard_name.h"

namespace twofold::load {
namespace {

// How often a thread that waits for a connection looks whether it should stop.
constexpr Duration kConnectSlice = std::chrono::milliseconds(100);

// For a connection; then a frontend that was named is given up, and the first contact asked anew.
constexpr Duration kPatience = std::chrono::seconds(2);

constexpr std::size_t kMostTroubles = 100;  // remembered

// `job` with the shard in place of the queue.
JobTemplate OfShard(JobTemplate job, std::uint32_t number) {
  job.options.set_queue(ShardName(job.options.queue(), number));
  return job;
}

std::string Again(std::size_t jobs) {
  return jobs > 0 ? absl::StrCat("; ", jobs, " jobs submitted again") : "";
}

}  // namespace

ShardSession::ShardSession(rpc::LoopOwner& loop, const std::string& frontend,
                           const JobTemplate& job, Generator::Lane lane, Generator& generator,
                           const SessionOptions& options, HasShards has_shards)
    : queue_(job.options.queue()),
      lane_(lane),
      job_(OfShard(job, lane)),
      for_(lane > 0 ? " for " + job_.options.queue() : ""),
      generator_(generator),
      options_(options),
      has_shards_(std::move(has_shards)),
      route_(frontend, std::random_device{}(), options_.pauses),
      dialer_(loop, frontend, options_.security) {
  static_assert(kMostShards <= LoadLoop::kMostLanes);
  generator_.Open(lane_);
}

ShardSession::~ShardSession() {
  Stop(Instant());
  Join();
}

void ShardSession::Start() {
  thread_ = std::thread([this] { Run(); });
}

void ShardSession::Stop(Instant give_up) {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    give_up_ = give_up;
  }
  changed_.NotifyAll();
}

void ShardSession::Join() {
  if (thread_.joinable()) thread_.join();
}

// ---- the thread

void ShardSession::Run() {
  while (!Stopping()) {
    PauseUntil(route_.dial().at);
    auto channel = Reach(route_.dial());
    if (channel == nullptr) continue;
    Open(std::move(channel));
    Serve();
    if (!Stopping()) Depart();
  }
  FinishStreams();
}

bool ShardSession::Stopping() {
  const MutexLock lock(mutex_);
  return stopping_;
}

void ShardSession::PauseUntil(Instant when) {
  const MutexLock lock(mutex_);
  while (!stopping_ && changed_.WaitUntil(mutex_, when)) {
  }
}

// Null: stopping, or the route leads elsewhere. There is nothing but the first contact to wait for;
// a frontend that was named may be gone. While the other lanes have a load already, a connection
// that takes its time is not to look like a loss.
std::shared_ptr<rpc::Channel> ShardSession::Reach(const rpc::Dial& dial) {
  rpc::Dialer& dialer = dialer_.Of(dial);
  const Instant give_up = Now() + kPatience;
  const bool patient = dial.named || (lane_ > 0 && !connected_before_);
  while (!Stopping()) {
    if (auto channel = dialer.Connected(kConnectSlice)) return channel;
    TendLeft();
    if (patient && Now() < give_up) continue;
    generator_.Disconnected(lane_);
    if (IsNew("no connection to " + dial.address)) SayUnreachable(dial);
    if (!dial.named) continue;
    route_.Lost(Now());
    break;
  }
  return nullptr;
}

// Asking why blocks, as long as a name server does not answer: no reason to be late where it is not
// TLS.
void ShardSession::SayUnreachable(const rpc::Dial& dial) const {
  const bool may_be_tls = dial.named ? options_.security.has_tls() : !connected_before_;
  std::string tls =
      may_be_tls ? security::DiagnoseTls(dial.address, rpc::SecurityFor(dial, options_.security))
                 : "";
  if (!tls.empty()) tls.insert(0, "; ");
  if (dial.named) {
    spdlog::warn("no connection to {}, which is said to serve queue {}{}", dial.address,
                 job_.options.queue(), tls);
  } else {
    spdlog::info("waiting for the frontend at {}{}{}", dial.address, for_, tls);
  }
}

void ShardSession::Open(std::shared_ptr<rpc::Channel> channel) {
  const rpc::Dial& dial = route_.dial();
  connected_before_ = true;
  SubmitStream::Owner& owner = *this;
  current_ = std::make_shared<SubmitStream>(dial, job_, options_.load_key, owner);
  {
    const MutexLock lock(mutex_);
    streams_.push_back({.stream = current_});
  }
  current_->Start(std::move(channel), options_.security);
  const std::size_t again = generator_.Connected(current_, lane_);
  if (quiet_) return;
  if (dial.named) {
    spdlog::info("queue {} is served by {} now{}", job_.options.queue(), dial.address,
                 Again(again));
  } else {
    spdlog::info("connected to the frontend at {}{}{}", dial.address, for_, Again(again));
  }
}

// Until the stream ends, is to be left, or is to end.
void ShardSession::Serve() {
  for (;;) {
    const std::optional<Instant> tend_at = TendLeft();
    const MutexLock lock(mutex_);
    const Known& known = Of(*current_);
    if (known.ended || known.moved || stopping_) return;
    if (tend_at) {
      changed_.WaitUntil(mutex_, *tend_at);
    } else {
      changed_.Wait(mutex_);
    }
  }
}

// The stream delivers what it still has beside the next one. The generator hears again of a stream
// that moved or ended before it knew of it.
void ShardSession::Depart() {
  Known known;
  {
    const MutexLock lock(mutex_);
    Of(*current_).give_up = Now() + options_.left_patience;
    known = Of(*current_);
  }
  if (known.answered) {
    route_.Served(*known.answered);
    troubles_.clear();
  }
  if (known.moved) {
    generator_.Moved(*current_, {}, lane_);
    current_->Close();
    Follow(*known.moved);
  } else {
    known.unanswered += generator_.Ended(*current_, lane_);
    if (IsNew(known.reason)) {
      spdlog::warn(
          "lost the frontend at {}{}: {}; {} jobs without an answer will be submitted again",
          current_->dial().address, for_, known.reason, known.unanswered);
    }
    route_.Lost(Now());
  }
  current_.reset();
}

void ShardSession::Follow(const v1::Moved& moved) {
  std::vector<std::string_view> addresses;
  for (const v1::Shard& shard : moved.shards()) addresses.emplace_back(shard.client_address());
  const rpc::Dial dial = route_.Follow(moved.epoch(), addresses, Now());
  const std::string trouble =
      addresses.empty() ? "nobody serves it at this moment, asking again" : dial.skipped;
  if (trouble.empty()) {
    IsNew("moved to " + dial.address);
  } else if (IsNew(trouble)) {
    spdlog::warn("queue {}: {}", job_.options.queue(), trouble);
  }
}

// Drops the streams that were left and have ended, and breaks off those that have had their time.
// Returns when the next one has.
std::optional<Instant> ShardSession::TendLeft() {
  std::vector<StreamPtr> late;
  std::optional<Instant> next;
  {
    const MutexLock lock(mutex_);
    streams_.remove_if([this](const Known& known) { return CanDrop(known); });
    if (streams_.size() > kMostLeft + (current_ ? 1 : 0)) streams_.front().give_up = Instant();
    for (Known& known : streams_) {
      if (known.give_up && *known.give_up <= Now()) {
        late.push_back(known.stream);
        known.give_up.reset();
      }
      if (known.give_up && (!next || *known.give_up < *next)) next = known.give_up;
    }
  }
  for (const StreamPtr& stream : late) stream->Cancel();
  return next;
}

// Whether the stream was left and has ended. The generator may still flush it.
bool ShardSession::CanDrop(const Known& known) const {
  if (!known.ended || known.stream.use_count() > 1) return false;
  if (known.moved && known.unanswered > 0) {
    spdlog::warn("lost the frontend at {}{}, where jobs still ran: {}{}",
                 known.stream->dial().address, for_, known.reason, Again(known.unanswered));
  }
  return true;
}

void ShardSession::FinishStreams() {
  for (const StreamPtr& stream : Streams()) stream->Close();
  {
    const MutexLock lock(mutex_);
    while (!AllEnded() && changed_.WaitUntil(mutex_, give_up_)) {
    }
  }
  for (const StreamPtr& stream : Streams()) stream->Cancel();
  const MutexLock lock(mutex_);
  while (!AllEnded()) changed_.Wait(mutex_);
}

// To be used without the lock.
std::vector<ShardSession::StreamPtr> ShardSession::Streams() {
  const MutexLock lock(mutex_);
  std::vector<StreamPtr> streams;
  for (const Known& known : streams_) streams.push_back(known.stream);
  return streams;
}

ShardSession::Known& ShardSession::Of(const SubmitStream& stream) {
  return *std::ranges::find_if(streams_,
                               [&](const Known& known) { return known.stream.get() == &stream; });
}

bool ShardSession::AllEnded() const { return std::ranges::all_of(streams_, &Known::ended); }

// Whether this trouble has not been logged yet. If it has, the next stream is not logged either.
bool ShardSession::IsNew(const std::string& trouble) {
  if (troubles_.size() >= kMostTroubles) troubles_.clear();
  quiet_ = !troubles_.insert(trouble).second;
  return !quiet_;
}

}  // namespace twofold::load
