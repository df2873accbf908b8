#include "lib/load/engine/shard_session.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <random>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "lib/common/shard_name.h"
#include "lib/load/engine/reply_check.h"

namespace twofold::load {
namespace {

// For a connection; then a frontend that was named is given up, and the first contact asked anew.
constexpr Duration kPatience = std::chrono::seconds(2);

// How often whoever waits for a connection looks at what else there is to do, and how soon it looks
// whether another try is due.
constexpr Duration kConnectSlice = std::chrono::milliseconds(100);
constexpr Duration kRetrySlice = std::chrono::milliseconds(10);

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
    : loop_(loop),
      queue_(job.options.queue()),
      lane_(lane),
      job_(OfShard(job, lane)),
      for_(lane > 0 ? " for " + job_.options.queue() : ""),
      generator_(generator),
      options_(options),
      has_shards_(std::move(has_shards)),
      route_(frontend, std::random_device{}(), options_.pauses),
      dialer_(loop, frontend, options_.security),
      changed_(std::make_shared<h2::Sleeper>(loop.loop())) {
  static_assert(kMostShards <= LoadLoop::kMostLanes);
  generator_.Open(lane_);
}

void ShardSession::Start(std::function<void()> done) { twofold::Start(Run(), std::move(done)); }

void ShardSession::Stop(Instant give_up) {
  give_up_ = give_up;
  changed_->Wake();
}

// ---- the way of a stream

Task<> ShardSession::Run() {
  while (!give_up_) {
    co_await PauseUntil(route_.dial().at);
    ChannelPtr channel = co_await Reach(route_.dial());
    if (channel == nullptr) continue;
    Known& known = Open(std::move(channel));
    co_await Serve(known);
    if (!give_up_) Depart(known);
  }
  co_await EndAll();
}

Task<> ShardSession::PauseUntil(Instant when) {
  while (!give_up_ && Now() < when) co_await changed_->Until(when);
}

// Null: stopping, or the route leads elsewhere. There is nothing but the first contact to wait for;
// a frontend that was named may be gone. While the other lanes have a load already, a connection
// that takes its time is not to look like a loss.
Task<ShardSession::ChannelPtr> ShardSession::Reach(rpc::Dial dial) {
  rpc::Dialer& dialer = dialer_.Of(dial);
  const bool patient = dial.named || (lane_ > 0 && !connected_before_);
  const Instant lost = Now() + (patient ? kPatience : kConnectSlice);
  bool said = false;
  while (!give_up_) {
    const ChannelPtr channel = dialer.Get();
    channel->Watch([changed = std::weak_ptr(changed_)] {
      if (const auto alive = changed.lock()) alive->Wake();
    });
    const bool is_over = channel->state() > rpc::Channel::State::kReady;
    if (channel->state() == rpc::Channel::State::kReady) co_return channel;
    co_await changed_->Until(Now() + (is_over ? kRetrySlice : kConnectSlice));
    TendLeft();
    if (Now() < lost) continue;
    generator_.Disconnected(lane_);
    if (!std::exchange(said, true) && IsNew("no connection to " + dial.address)) {
      co_await SayUnreachable(dial);
    }
    if (!dial.named) continue;
    route_.Lost(Now());
    break;
  }
  co_return nullptr;
}

// Asking why takes as long as a name server does not answer: no reason to be late where it is not
// TLS.
Task<> ShardSession::SayUnreachable(rpc::Dial dial) {
  const bool may_be_tls = dial.named ? options_.security.has_tls() : !connected_before_;
  std::string tls;
  if (may_be_tls) tls = co_await Diagnosis(dial);
  if (!tls.empty()) tls.insert(0, "; ");
  if (dial.named) {
    spdlog::warn("no connection to {}, which is said to serve queue {}{}", dial.address,
                 job_.options.queue(), tls);
  } else {
    spdlog::info("waiting for the frontend at {}{}{}", dial.address, for_, tls);
  }
}

// On a thread of its own, as it blocks.
Task<std::string> ShardSession::Diagnosis(rpc::Dial dial) {
  std::thread asking;
  const Later<std::string> answer([&](auto done) {
    const auto ask = [this, dial, done] {
      std::string tls =
          security::DiagnoseTls(dial.address, rpc::SecurityFor(dial, options_.security));
      loop_.Post([done, tls = std::move(tls)] { done(tls); });
    };
    try {
      asking = std::thread(ask);
    } catch (const std::system_error&) {  // there may be a limit of processes
      done("");
    }
  });
  Result<std::string> tls = co_await answer;
  if (asking.joinable()) asking.join();  // it has nothing else to do
  co_return *std::move(tls);
}

ShardSession::Known& ShardSession::Open(ChannelPtr channel) {
  const rpc::Dial& dial = route_.dial();
  connected_before_ = true;
  Known& known = streams_.emplace_back();
  has_current_ = true;
  known.stream = std::make_shared<SubmitStream>(
      dial, job_, options_.load_key,
      [this, &known](const v1::SubmitReply& reply) { OnReply(known, reply); },
      [this, &known](const Status& status) { OnEnd(known, status); });
  known.stream->Start(std::move(channel), options_.security);
  const std::size_t again = generator_.Connected(known.stream, lane_);
  if (quiet_) return known;
  if (dial.named) {
    spdlog::info("queue {} is served by {} now{}", job_.options.queue(), dial.address,
                 Again(again));
  } else {
    spdlog::info("connected to the frontend at {}{}{}", dial.address, for_, Again(again));
  }
  return known;
}

// Until the stream ends, is to be left, or is to end.
Task<> ShardSession::Serve(const Known& known) {
  while (!known.ended && !known.moved && !give_up_) co_await changed_->Until(TendLeft());
}

// The stream delivers what it still has beside the next one. If it ended as it began, the generator
// did not know it then.
void ShardSession::Depart(Known& known) {
  has_current_ = false;
  known.give_up = Now() + options_.left_patience;
  if (known.answered) {
    route_.Served(*known.answered);
    troubles_.clear();
  }
  if (known.moved) {
    known.stream->Close();
    return Follow(*known.moved);
  }
  known.unanswered += generator_.Ended(*known.stream, lane_);
  if (IsNew(known.reason)) {
    spdlog::warn("lost the frontend at {}{}: {}; {} jobs without an answer will be submitted again",
                 known.stream->dial().address, for_, known.reason, known.unanswered);
  }
  route_.Lost(Now());
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

Task<> ShardSession::EndAll() {
  for (const Known& known : streams_) known.stream->Close();
  while (!AllEnded() && Now() < *give_up_) co_await changed_->Until(*give_up_);
  for (const Known& known : streams_) known.stream->Cancel();
  while (!AllEnded()) co_await changed_->Until(Instant::max());
}

bool ShardSession::AllEnded() const { return std::ranges::all_of(streams_, &Known::ended); }

// ---- what its frontend says

void ShardSession::OnReply(Known& known, const v1::SubmitReply& reply) {
  if (const Status status = CheckReply(reply, queue_); !status.ok()) {
    spdlog::error("the frontend at {} sent a bad batch: {}", known.stream->dial().address,
                  std::string(status.message()));
    return known.stream->Cancel();
  }
  if (reply.shards() > 1) has_shards_(reply.shards());
  // First, for what comes in place of jobs that have ended should not be sent there.
  GiveBack(known, reply);
  generator_.OnReply(reply, lane_);
  const bool is_answer = reply.has_results() || reply.has_accepted();
  if (is_answer && !known.answered) known.answered = Now();
}

// Jobs of this shard, which has moved, and of others.
void ShardSession::GiveBack(Known& known, const v1::SubmitReply& reply) {
  for (const v1::Moved& moved : reply.moved()) {
    const std::span tags(moved.tags().data(), static_cast<std::size_t>(moved.tags_size()));
    const std::uint32_t shard = ParseShardName(moved.queue())->number;
    if (shard != lane_) {
      generator_.Belong(tags, static_cast<Generator::Lane>(shard), *known.stream, lane_);
      has_shards_(shard + 1);
      continue;
    }
    generator_.Moved(*known.stream, tags, lane_);
    if (known.moved) continue;
    known.moved = moved;
    known.moved->clear_tags();
    changed_->Wake();
  }
}

void ShardSession::OnEnd(Known& known, const Status& status) {
  known.unanswered = give_up_ ? 0 : generator_.Ended(*known.stream, lane_);
  known.reason = status.ok() ? "it ended the stream" : std::string(status.message());
  known.ended = true;
  changed_->Wake();
}

// ---- those that were left

// Drops those that have ended, and breaks off those that have had their time. Returns when the next
// one has; Instant::max(): none is to end.
Instant ShardSession::TendLeft() {
  streams_.remove_if([this](const Known& known) { return CanDrop(known); });
  if (streams_.size() > kMostLeft + (has_current_ ? 1 : 0)) streams_.front().give_up = Instant();
  Instant next = Instant::max();
  for (Known& known : streams_) {
    if (known.give_up && *known.give_up <= Now()) {
      known.give_up.reset();
      known.stream->Cancel();
    }
    next = std::min(next, known.give_up.value_or(next));
  }
  return next;
}

// Whether the stream was left and has ended.
bool ShardSession::CanDrop(const Known& known) const {
  if (!known.ended || (has_current_ && &known == &streams_.back())) return false;
  if (known.moved && known.unanswered > 0) {
    spdlog::warn("lost the frontend at {}{}, where jobs still ran: {}{}",
                 known.stream->dial().address, for_, known.reason, Again(known.unanswered));
  }
  return true;
}

// Whether this trouble has not been logged yet. If it has, the next stream is not logged either.
bool ShardSession::IsNew(const std::string& trouble) {
  if (troubles_.size() >= kMostTroubles) troubles_.clear();
  quiet_ = !troubles_.insert(trouble).second;
  return !quiet_;
}

}  // namespace twofold::load
