#include "backend/agent/frontend_link.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>

#include "backend/workload/after.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/dialer.h"
#include "lib/rpc/tcp_keepalive.h"
#include "lib/security/client.h"

namespace twofold::backend {
namespace {

constexpr Duration kFirstPause = std::chrono::milliseconds(20);  // after a stream that worked
constexpr Duration kClosePatience = std::chrono::seconds(5);     // for the end of a closed stream
constexpr Duration kShortestBeat = std::chrono::milliseconds(1);
constexpr Duration kLongestBeat = std::chrono::hours(1);
constexpr std::uint64_t kBeatsPerLease = 3;

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

Status NoConnection() {
  return absl::UnavailableError(
      absl::StrCat("no connection within ", ToSeconds(rpc::kConnectPatience), " s"));
}

Duration BeatPeriod(const v1::Welcome& welcome) {
  const auto longest = static_cast<std::uint64_t>(kLongestBeat.count());
  const std::uint64_t period = std::min(welcome.lease_ns() / kBeatsPerLease, longest);
  return std::max(kShortestBeat, Duration(static_cast<Duration::rep>(period)));
}

}  // namespace

FrontendLink::FrontendLink(boost::asio::io_context& io, LinkOptions options, std::uint64_t seed,
                           Listener& listener)
    : io_(io),
      options_(std::move(options)),
      listener_(listener),
      backoff_(options_.pause, options_.pause_max, seed),
      pause_timer_(io),
      beat_timer_(io),
      patience_timer_(io) {}

void FrontendLink::Start() {
  LimitAbsence();
  Connect();
}

// A new channel each time: its own idea of when to try again would come on top of ours.
void FrontendLink::Connect() {
  state_ = State::kConnecting;
  timed_out_ = false;
  channel_ = rpc::Connect(options_.address, options_.security, rpc::Liveness::kOfKernel);
  stub_ = v1::Workers::NewStub(channel_);
  stream_ = std::make_shared<Stream>(
      [this](const v1::FrontendMessage& message) {
        boost::asio::post(io_, [this, message] { HandleMessage(message); });
      },
      [this](const grpc::Status& status) {
        boost::asio::post(io_, [this, status] { HandleEnd(rpc::FromGrpc(status)); });
      });
  rpc::Authorize(*stream_->context(), options_.security);
  stub_->async()->Work(stream_->context(), stream_.get());
  stream_->Add([this](v1::WorkerMessage& message) {
    *message.mutable_hello() = listener_.MakeHello();
    return message.hello().ByteSizeLong();
  });
  stream_->Start();
  stream_->Flush();
  LimitConnecting();
}

// It may wait two minutes for a name server that does not answer, and then miss that it is back. A
// frontend that is slow to welcome us is something else.
void FrontendLink::LimitConnecting() {
  After(pause_timer_, rpc::kConnectPatience, [this] {
    if (state_ != State::kConnecting || !stream_) return;
    if (channel_->GetState(false) == GRPC_CHANNEL_READY) return;
    timed_out_ = true;
    stream_->Cancel();
  });
}

void FrontendLink::FlushThisTurn() {
  if (std::exchange(flush_posted_, true)) return;
  boost::asio::post(io_, [this] {
    if (up()) listener_.OnFlush();
    flush_posted_ = false;
    if (stream_) stream_->Flush();
  });
}

void FrontendLink::HandleMessage(const v1::FrontendMessage& message) {
  if (message.has_welcome() && state_ == State::kConnecting) HandleWelcome(message.welcome());
  if (state_ == State::kUp || state_ == State::kClosing) listener_.OnMessage(message);
}

void FrontendLink::HandleWelcome(const v1::Welcome& welcome) {
  state_ = State::kUp;
  ever_up_ = true;
  tls_trouble_.clear();
  backoff_.Reset();
  patience_timer_.cancel();
  if (std::exchange(said_away_, false)) spdlog::info("frontend {} is back", options_.address);
  spdlog::debug("welcomed by {}, lease {} s", options_.address,
                static_cast<double>(welcome.lease_ns()) / 1e9);
  rpc::KeepTcpAlive();
  Beat(BeatPeriod(welcome));
}

void FrontendLink::Beat(Duration period) {
  After(beat_timer_, period, [this, period] {
    if (!up()) return;
    if (listener_.HoldsAttempts()) {
      Add([](v1::WorkerMessage& message) {
        message.set_heartbeat(true);
        return std::size_t{2};
      });
    }
    Beat(period);
  });
}

void FrontendLink::HandleEnd(const Status& status) {
  const bool worked = state_ == State::kUp;
  stream_.reset();
  beat_timer_.cancel();
  if (state_ == State::kAbandoned) return Finish(gone_status_);
  if (state_ == State::kClosing) return Finish(status.ok() ? status : BrokeWhileLeaving(status));
  if (options_.give_up > Duration::zero() && IsRefusal(status)) return Finish(status);
  if (worked) LimitAbsence();
  SayAway(timed_out_ ? NoConnection() : status);
  Pause(worked ? kFirstPause : backoff_.Next());
}

void FrontendLink::SayAway(const Status& status) {
  away_reason_ = status.message().empty() ? "stream ended" : std::string(status.message());
  const bool said = std::exchange(said_away_, true);
  // It blocks this thread: only as long as no job can run on it.
  if (!said && !ever_up_) tls_trouble_ = security::DiagnoseTls(options_.address, options_.security);
  if (!tls_trouble_.empty()) away_reason_ = tls_trouble_;
  if (!said) spdlog::warn("frontend {} away, retrying ({})", options_.address, away_reason_);
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

void FrontendLink::Pause(Duration duration) {
  state_ = State::kPausing;
  After(pause_timer_, duration, [this] {
    if (state_ == State::kPausing) Connect();
  });
}

void FrontendLink::Close() {
  state_ = State::kClosing;
  beat_timer_.cancel();
  stream_->Add([](v1::WorkerMessage& message) {
    message.set_leaving(true);
    return std::size_t{2};
  });
  stream_->Close();
  After(patience_timer_, kClosePatience, [this] {
    if (stream_) stream_->Cancel();
  });
}

void FrontendLink::Abandon(Status why) {
  if (state_ == State::kAbandoned || state_ == State::kGone) return;
  gone_status_ = std::move(why);
  state_ = State::kAbandoned;
  pause_timer_.cancel();
  if (stream_) return stream_->Cancel();
  boost::asio::post(io_, [this] { Finish(gone_status_); });
}

void FrontendLink::Finish(const Status& status) {
  state_ = State::kGone;
  beat_timer_.cancel();
  pause_timer_.cancel();
  patience_timer_.cancel();
  listener_.OnGone(status);
}

}  // namespace twofold::backend
