#include "lib/load/engine/session.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <random>
#include <string_view>
#include <utility>

#include "lib/common/printable.h"
#include "lib/rpc/batches.h"
#include "lib/rpc/limits.h"

namespace twofold::load {
namespace {

// How often a thread that waits for a connection looks whether it should stop.
constexpr Duration kConnectSlice = std::chrono::milliseconds(100);

// For a connection to a frontend that was named; then the first contact is asked anew.
constexpr Duration kNamedPatience = std::chrono::seconds(2);

constexpr std::size_t kMostTroubles = 100;  // remembered

std::optional<Instant> Earlier(std::optional<Instant> a, std::optional<Instant> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

std::string Again(std::size_t jobs) {
  return jobs > 0 ? absl::StrCat("; ", jobs, " jobs submitted again") : "";
}

}  // namespace

Session::Session(std::string frontend, JobTemplate job, Generator& generator,
                 SessionOptions options)
    : job_(std::move(job)),
      generator_(generator),
      options_(std::move(options)),
      route_(frontend, std::random_device{}(), options_.pauses),
      dialer_(std::move(frontend), options_.security) {}

Session::~Session() { Stop(Duration(0)); }

void Session::Start() {
  thread_ = std::thread([this] { Run(); });
}

void Session::Stop(Duration patience) {
  if (!thread_.joinable()) return;
  generator_.Finish();
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    give_up_ = Now() + patience;
  }
  changed_.NotifyAll();
  thread_.join();
}

// ---- the thread

void Session::Run() {
  while (!Stopping()) {
    PauseUntil(route_.dial().at);
    const auto channel = Reach(route_.dial());
    if (channel == nullptr) continue;
    Open(channel);
    Serve();
    if (!Stopping()) Depart();
  }
  FinishStreams();
}

bool Session::Stopping() {
  const MutexLock lock(mutex_);
  return stopping_;
}

void Session::PauseUntil(Instant when) {
  const MutexLock lock(mutex_);
  while (!stopping_ && changed_.WaitUntil(mutex_, when)) {
  }
}

// Null: stopping, or the route leads elsewhere. There is nothing but the first contact to wait for;
// a frontend that was named may be gone.
std::shared_ptr<grpc::Channel> Session::Reach(const rpc::Dial& dial) {
  rpc::Dialer& dialer = dialer_.Of(dial);
  const Instant give_up = Now() + kNamedPatience;
  while (!Stopping()) {
    if (auto channel = dialer.Connected(kConnectSlice)) return channel;
    TendLeft();
    if (dial.named && Now() < give_up) continue;
    generator_.Disconnected();
    if (IsNew("no connection to " + dial.address)) SayUnreachable(dial);
    if (!dial.named) continue;
    route_.Lost(Now());
    break;
  }
  return nullptr;
}

// Asking why blocks, as long as a name server does not answer: no reason to be late where it is not
// TLS.
void Session::SayUnreachable(const rpc::Dial& dial) const {
  const bool may_be_tls = dial.named ? options_.security.has_tls() : !connected_before_;
  std::string tls =
      may_be_tls ? security::DiagnoseTls(dial.address, rpc::SecurityFor(dial, options_.security))
                 : "";
  if (!tls.empty()) tls.insert(0, "; ");
  if (dial.named) {
    spdlog::warn("no connection to {}, which is said to serve queue {}{}", dial.address,
                 job_.options.queue(), tls);
  } else {
    spdlog::info("waiting for the frontend at {}{}", dial.address, tls);
  }
}

void Session::Open(const std::shared_ptr<grpc::Channel>& channel) {
  const rpc::Dial& dial = route_.dial();
  connected_before_ = true;
  SubmitStream::Owner& owner = *this;
  current_ = std::make_shared<SubmitStream>(dial, channel, job_, owner);
  {
    const MutexLock lock(mutex_);
    news_[current_.get()] = {};
    tick_at_ = Now();  // what is due on the new stream
  }
  current_->Start(options_.security);
  const std::size_t again = generator_.Connected(current_);
  if (quiet_) return;
  if (dial.named) {
    spdlog::info("queue {} is served by {} now{}", job_.options.queue(), dial.address,
                 Again(again));
  } else {
    spdlog::info("connected to the frontend at {}{}", dial.address, Again(again));
  }
}

// Until the stream ends, is to be left, or is to end.
void Session::Serve() {
  for (;;) {
    const std::optional<Instant> tend_at = TendLeft();
    const MutexLock lock(mutex_);
    const News& news = news_[current_.get()];
    if (news.ended || news.moved || stopping_) return;
    if (tick_at_ && *tick_at_ <= Now()) {
      tick_at_.reset();
      mutex_.Unlock();
      const std::optional<Instant> next = generator_.Tick();
      mutex_.Lock();
      tick_at_ = Earlier(tick_at_, next);
    } else if (const auto wake_at = Earlier(tick_at_, tend_at)) {
      changed_.WaitUntil(mutex_, *wake_at);
    } else {
      changed_.Wait(mutex_);
    }
  }
}

// The stream delivers what it still has beside the next one.
void Session::Depart() {
  News news;
  {
    const MutexLock lock(mutex_);
    news = news_[current_.get()];
  }
  if (news.answered) {
    route_.Served(*news.answered);
    troubles_.clear();
  }
  if (news.moved) {
    current_->Close();
    Follow(*news.moved);
  } else {
    if (IsNew(news.reason)) {
      spdlog::warn("lost the frontend at {}: {}; {} jobs without an answer will be submitted again",
                   current_->dial().address, news.reason, news.unanswered);
    }
    route_.Lost(Now());
  }
  left_.push_back({std::move(current_), Now() + options_.left_patience});
}

void Session::Follow(const v1::Moved& moved) {
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

// Drops left streams that have ended, and breaks those off that have had their time. Returns when
// the next one has.
std::optional<Instant> Session::TendLeft() {
  std::optional<Instant> next;
  if (left_.empty()) return next;
  left_.erase(
      std::remove_if(left_.begin(), left_.end(), [this](const Left& left) { return Reap(left); }),
      left_.end());
  if (left_.size() > kMostLeft) left_.front().give_up = Instant();
  const Instant now = Now();
  for (Left& left : left_) {
    if (left.give_up && *left.give_up <= now) {
      left.stream->Cancel();
      left.give_up.reset();
    }
    next = Earlier(next, left.give_up);
  }
  return next;
}

// Whether the stream can be dropped. The generator may still flush it, on a thread of another
// stream, which must not destroy it.
bool Session::Reap(const Left& left) {
  const MutexLock lock(mutex_);
  const auto news = news_.find(left.stream.get());
  if (!news->second.ended || left.stream.use_count() > 1) return false;
  if (news->second.moved && news->second.unanswered > 0) {
    spdlog::warn("lost the frontend at {}, where jobs still ran: {}{}", left.stream->dial().address,
                 news->second.reason, Again(news->second.unanswered));
  }
  news_.erase(news);
  return true;
}

void Session::FinishStreams() {
  if (current_) left_.push_back({std::move(current_), std::nullopt});
  for (const Left& left : left_) left.stream->Close();
  {
    const MutexLock lock(mutex_);
    while (!AllEnded() && changed_.WaitUntil(mutex_, give_up_)) {
    }
  }
  for (const Left& left : left_) left.stream->Cancel();
  const MutexLock lock(mutex_);
  while (!AllEnded()) changed_.Wait(mutex_);
}

bool Session::AllEnded() const {
  return std::all_of(news_.begin(), news_.end(), [](const auto& one) { return one.second.ended; });
}

// Whether this trouble has not been logged yet. If it has, the next stream is not logged either.
bool Session::IsNew(const std::string& trouble) {
  if (troubles_.size() >= kMostTroubles) troubles_.clear();
  quiet_ = !troubles_.insert(trouble).second;
  return !quiet_;
}

// ---- on threads of gRPC

void Session::OnReply(SubmitStream& stream, const v1::SubmitReply& reply) {
  if (const Status status = Check(reply); !status.ok()) {
    spdlog::error("the frontend at {} sent a bad batch: {}", stream.dial().address,
                  std::string(status.message()));
    return stream.Cancel();
  }
  // First, for what comes in place of jobs that have ended should not be sent there.
  for (const v1::Moved& moved : reply.moved()) {
    generator_.Moved(stream, {moved.tags().data(), static_cast<std::size_t>(moved.tags_size())});
  }
  const std::optional<Instant> tick = generator_.OnReply(reply);
  {
    const MutexLock lock(mutex_);
    News& news = news_[&stream];
    const bool is_answer = reply.has_results() || reply.has_accepted();
    if (is_answer && !news.answered) news.answered = Now();
    if (!reply.moved().empty() && !news.moved) {
      news.moved = reply.moved(0);
      news.moved->clear_tags();
      changed_.NotifyAll();
    }
  }
  if (tick) TickAt(*tick);
}

Status Session::Check(const v1::SubmitReply& reply) const {
  if (Status status = rpc::Check(reply.results()); !status.ok()) return status;
  for (const v1::Moved& moved : reply.moved()) {
    if (moved.queue() == job_.options.queue()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("moved.queue is '", Printable(moved.queue(), rpc::kMaxNameBytes),
                     "', our jobs are for '", job_.options.queue(), "'"));
  }
  return absl::OkStatus();
}

// The earliest counts.
void Session::TickAt(Instant when) {
  const MutexLock lock(mutex_);
  if (tick_at_ && *tick_at_ <= when) return;
  tick_at_ = when;
  changed_.NotifyAll();
}

// The generator hears of it before the thread does, which would connect it anew.
void Session::OnEnd(SubmitStream& stream, const grpc::Status& status) {
  const std::size_t unanswered = Stopping() ? 0 : generator_.Ended(stream);
  const MutexLock lock(mutex_);
  News& news = news_[&stream];
  news.unanswered = unanswered;
  news.reason = status.ok() ? "it ended the stream" : status.error_message();
  news.ended = true;
  changed_.NotifyAll();
}

}  // namespace twofold::load
