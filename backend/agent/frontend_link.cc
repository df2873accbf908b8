#include "backend/agent/frontend_link.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "backend/workload/after.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/route_dialer.h"
#include "lib/security/client.h"

namespace twofold::backend {
namespace {

constexpr Duration kShortestBeat = std::chrono::milliseconds(1);
constexpr Duration kLongestBeat = std::chrono::hours(1);
constexpr std::size_t kMostReasons = 16;  // that the log has of one absence
constexpr double kBusyShare = 1.0 / 3;

// An idle process is heard after so much of its idle lease. A frontend with thousands of them pays
// for each beat, and loses nothing but capacity for a while if one comes late.
constexpr double kIdleShare = 0.93;
constexpr std::int64_t kIdleGroups = 8;

// Trying again does not help as long as nobody changes the frontend or the command line.
bool IsRefusal(const Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kUnimplemented:
      return true;
    default:
      return false;
  }
}

Status BrokeWhileLeaving(const Status& status) {
  return absl::UnavailableError(
      absl::StrCat("the stream broke while leaving, the last results may be lost: ",
                   std::string(status.message())));
}

rpc::RoutePauses PausesOf(const LinkOptions& options) {
  rpc::RoutePauses pauses;
  pauses.first = options.pause;
  pauses.most = options.pause_max;
  return pauses;
}

Duration Share(double share, std::uint64_t lease_ns) {
  const auto longest = static_cast<std::uint64_t>(kLongestBeat.count());
  const auto part = static_cast<double>(std::min(lease_ns, longest)) * share;
  return std::max(kShortestBeat, Duration(static_cast<Duration::rep>(part)));
}

// An empty message: to the frontend any message is a heartbeat. Its five bytes of header are read
// without an answer, as HTTP/2's windows are given back by the half.
std::size_t SayHeartbeat(v1::WorkerMessage& /*message*/) { return 0; }

/// Idle processes beat by the wall clock, an eighth of them at a time: a frontend that reads a
/// thousand messages that come together wakes up once, not a thousand times.
Duration UntilIdleBeat(Duration period, std::uint64_t seed) {
  const Duration unix_now = std::chrono::system_clock::now().time_since_epoch();
  const Duration group = period / kIdleGroups;
  const Duration offset = static_cast<std::int64_t>(seed % kIdleGroups) * group;
  const Duration until = period - (unix_now - offset) % period;
  return until < period / 100 ? until + period : until;  // timers have another clock
}

}  // namespace

FrontendLink::FrontendLink(boost::asio::io_context& io, rpc::LoopOwner& loop, LinkOptions options,
                           std::uint64_t seed, Listener& listener)
    : loop_(loop),
      options_(std::move(options)),
      seed_(seed),
      listener_(listener),
      route_(options_.address, seed, PausesOf(options_)),
      pause_timer_(io),
      beat_timer_(io),
      idle_timer_(io),
      patience_timer_(io),
      silence_timer_(io) {}

void FrontendLink::Start() {
  LimitAbsence();
  Connect();
}

// A new channel each time: the address may be another one, and the name known anew.
void FrontendLink::Connect() {
  state_ = State::kConnecting;
  const rpc::Dial& dial = route_.dial();
  const security::Client security = rpc::SecurityFor(dial, options_.security);
  channel_ = rpc::Channel::Connect(loop_, dial.address,
                                   {.security = security, .liveness = rpc::Liveness::kOfKernel});
  stream_ = std::make_shared<Stream>(
      [this](const v1::FrontendMessage& message) { HandleMessage(message); },
      [this](const Status& status) { HandleEnd(status); });
  stream_->Add([&](v1::WorkerMessage& message) {
    v1::Hello& hello = *message.mutable_hello();
    hello = listener_.MakeHello();
    hello.set_moved_epoch(dial.epoch);
    hello.set_beats_idle(true);
    if (!sent_to_.empty()) hello.set_queue(sent_to_);
    queue_ = hello.queue();
    return hello.ByteSizeLong();
  });
  stream_->Start(channel_, rpc::CallTo("/twofold.v1.Workers/Work", security));
  stream_->Flush();
}

void FrontendLink::FlushThisTurn() {
  if (std::exchange(flush_posted_, true)) return;
  loop_.Post([this] {
    if (up()) listener_.OnFlush();
    flush_posted_ = false;
    if (stream_) stream_->Flush();
  });
}

void FrontendLink::HandleMessage(const v1::FrontendMessage& message) {
  if (message.has_welcome() && state_ == State::kConnecting) HandleWelcome(message.welcome());
  if (state_ == State::kUp || state_ == State::kClosing) listener_.OnMessage(message);
  if (message.has_moved()) HandleMoved(message.moved());
}

void FrontendLink::HandleWelcome(const v1::Welcome& welcome) {
  state_ = State::kUp;
  ever_up_ = true;
  route_.Served(Now());
  patience_timer_.cancel();
  SayServed();
  spdlog::debug("welcomed by {}, lease {} s", served_by_,
                static_cast<double>(welcome.lease_ns()) / 1e9);
  CheckSilence();
  silence_timer_.cancel();
  silence_.SetLimits(BoundedNs(welcome.lease_ns()), BoundedNs(welcome.grace_ns()));
  silence_.Spoke(Now());
  Beat(Share(kBusyShare, welcome.lease_ns()));
  if (welcome.idle_lease_ns() > 0) BeatIdle(Share(kIdleShare, welcome.idle_lease_ns()));
}

void FrontendLink::SayServed() {
  const rpc::Dial& dial = route_.dial();
  const bool was_away = !std::exchange(away_reasons_, {}).empty();
  const bool has_moved = dial.named && dial.address != served_by_;
  served_by_ = dial.address;
  said_trouble_ = false;
  if (has_moved) {
    spdlog::info("queue {} is served by {} now", queue_, served_by_);
  } else if (was_away) {
    spdlog::info("frontend {} is back", served_by_);
  }
}

// The stream ends first: what was added to it still counts there, and is not said twice.
void FrontendLink::HandleMoved(const v1::Moved& moved) {
  if (state_ != State::kUp && state_ != State::kConnecting) return;  // it ends anyway
  if (state_ == State::kUp) LimitAbsence();
  if (state_ == State::kUp) StreamBroke();
  state_ = State::kMoving;
  StopBeats();
  std::vector<std::string_view> addresses;
  for (const v1::Shard& shard : moved.shards()) addresses.emplace_back(shard.worker_address());
  if (!moved.queue().empty() && moved.queue() != queue_ &&
      moved.queue().size() <= rpc::kMaxNameBytes) {
    sent_to_ = queue_ = moved.queue();
    route_.Forget();  // epochs are those of one shard
  }
  const rpc::Dial dial = route_.Follow(moved.epoch(), addresses, Now());
  away_reason_ = absl::StrCat("queue ", queue_, " is said to be served by ", dial.address);
  if (addresses.empty()) SayTrouble("nobody serves it at this moment");
  if (!dial.skipped.empty()) SayTrouble(dial.skipped);
  stream_->Close();
  CancelAfterPatience(pause_timer_);
}

void FrontendLink::SayTrouble(const std::string& trouble) {
  away_reason_ = absl::StrCat("queue ", queue_, ": ", trouble);
  if (!std::exchange(said_trouble_, true)) spdlog::warn("{}", away_reason_);
}

void FrontendLink::CancelAfterPatience(boost::asio::steady_timer& timer) {
  After(timer, options_.close_patience, [this] {
    if (stream_) stream_->Cancel();
  });
}

void FrontendLink::Beat(Duration period) {
  After(beat_timer_, period, [this, period] {
    if (!up()) return;
    CheckSilence();  // this process may have been stopped
    silence_.Spoke(Now());
    if (listener_.HoldsAttempts()) Add(SayHeartbeat);
    Beat(period);
  });
}

void FrontendLink::StreamBroke() {
  CheckSilence();
  silence_.Broke(Now());
  if (silence_.limit() == Duration::zero()) return;
  After(silence_timer_, silence_.limit(), [this] { CheckSilence(); });
}

void FrontendLink::CheckSilence() {
  if (silence_.IsOver(Now())) listener_.OnSilence();
}

// Alone: nobody asks what an idle process uses.
void FrontendLink::BeatIdle(Duration period) {
  After(idle_timer_, UntilIdleBeat(period, seed_), [this, period] {
    if (!up()) return;
    if (!listener_.HoldsAttempts()) {
      stream_->Add(SayHeartbeat);
      stream_->Flush();
    }
    BeatIdle(period);
  });
}

void FrontendLink::StopBeats() {
  beat_timer_.cancel();
  idle_timer_.cancel();
}

void FrontendLink::HandleEnd(const Status& status) {
  const bool worked = state_ == State::kUp;
  stream_.reset();
  StopBeats();
  if (state_ == State::kAbandoned) return Finish(gone_status_);
  if (state_ == State::kClosing) return Finish(status.ok() ? status : BrokeWhileLeaving(status));
  if (state_ == State::kMoving) return PauseBeforeDial();
  const bool is_final = options_.give_up > Duration::zero() && !route_.dial().named;
  // The shard may be there no more, but the queue.
  const bool shard_is_gone = IsRefusal(status) && !std::exchange(sent_to_, {}).empty();
  if (is_final && IsRefusal(status) && !shard_is_gone) return Finish(status);
  if (worked) LimitAbsence();
  if (worked) StreamBroke();
  SayAway(status);
  route_.Lost(Now());
  PauseBeforeDial();
}

void FrontendLink::SayAway(const Status& status) {
  away_reason_ = status.message().empty() ? "stream ended" : std::string(status.message());
  if (away_reasons_.size() == kMostReasons) return;
  const auto [reason, is_new] = away_reasons_.try_emplace(away_reason_, away_reason_);
  const rpc::Dial& dial = route_.dial();
  // It blocks this thread: only as long as no job can run on it.
  if (is_new && !ever_up_ && absl::IsUnavailable(status)) {
    const auto tls = security::DiagnoseTls(dial.address, rpc::SecurityFor(dial, options_.security));
    if (!tls.empty()) reason->second = tls;
  }
  away_reason_ = reason->second;
  if (is_new) spdlog::warn("frontend {} away, retrying ({})", dial.address, away_reason_);
}

void FrontendLink::LimitAbsence() {
  if (options_.give_up == Duration::zero()) return;
  After(patience_timer_, options_.give_up, [this] {
    if (up()) return;
    Abandon(
        absl::UnavailableError(absl::StrCat("no frontend at ", options_.address, " for ",
                                            ToSeconds(options_.give_up), " s: ", away_reason_)));
  });
}

void FrontendLink::PauseBeforeDial() {
  state_ = State::kPausing;
  After(pause_timer_, std::max(Duration::zero(), Duration(route_.dial().at - Now())), [this] {
    if (state_ == State::kPausing) Connect();
  });
}

void FrontendLink::Close() {
  if (!IsHeard()) return Abandon(absl::OkStatus());
  state_ = State::kClosing;
  pause_timer_.cancel();
  StopBeats();
  stream_->Add([](v1::WorkerMessage& message) {
    message.set_leaving(true);
    return std::size_t{2};
  });
  stream_->Close();
  CancelAfterPatience(patience_timer_);
}

/// Hello has got to a frontend, or is on its way there.
bool FrontendLink::IsHeard() const {
  if (state_ != State::kConnecting) return up();
  if (stream_ == nullptr) return false;
  const rpc::Channel::State state = channel_->state();
  return state == rpc::Channel::State::kGreeting || state == rpc::Channel::State::kReady;
}

// A stream that is half-closed carries the last results: it ends by itself, or its timer ends it.
void FrontendLink::Abandon(Status why) {
  if (state_ == State::kAbandoned || state_ == State::kGone) return;
  gone_status_ = std::move(why);
  const bool ends_anyway = state_ == State::kMoving;
  state_ = State::kAbandoned;
  if (ends_anyway) return;
  pause_timer_.cancel();
  if (stream_) return stream_->Cancel();
  loop_.Post([this] { Finish(gone_status_); });
}

void FrontendLink::Finish(const Status& status) {
  state_ = State::kGone;
  StopBeats();
  pause_timer_.cancel();
  patience_timer_.cancel();
  silence_timer_.cancel();
  listener_.OnGone(status);
}

}  // namespace twofold::backend
