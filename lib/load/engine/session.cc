#include "lib/load/engine/session.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "lib/rpc/batches.h"
#include "lib/rpc/channel.h"
#include "lib/security/client.h"

namespace twofold::load {
namespace {

constexpr Duration kFirstPause = std::chrono::milliseconds(100);
constexpr Duration kLongestPause = std::chrono::seconds(5);

// How often a thread that waits for a connection looks whether it should stop.
constexpr Duration kConnectSlice = std::chrono::milliseconds(100);

// Bytes added to an outbox at a time: it looks at the size of a message only in between.
constexpr std::size_t kChunkBytes = 256 << 10;
constexpr std::size_t kRowBytes = 16;

/// Packs jobs into the stream. If it has ended meanwhile they stay without an answer, and the
/// generator gives them to the next stream.
class StreamSink final : public JobSink {
 public:
  using Stream = rpc::ClientStream<v1::SubmitRequest, v1::SubmitReply>;

  StreamSink(std::shared_ptr<Stream> stream, const JobTemplate& job,
             std::function<void(Instant)> tick_at)
      : stream_(std::move(stream)),
        job_(job),
        tick_at_(std::move(tick_at)),
        chunk_(std::max<std::size_t>(kChunkBytes / (kRowBytes + job.spec.size()), 1)) {}

  void Add(std::span<const LoadLoop::Tag> tags, const JobTemplate* job) override {
    const JobTemplate& made_from = job == nullptr ? job_ : *job;
    while (!tags.empty()) {
      const auto chunk = tags.first(std::min(tags.size(), chunk_));
      tags = tags.subspan(chunk.size());
      stream_->Add([&](v1::SubmitRequest& request) { return Pack(chunk, made_from, request); });
    }
  }

  void Flush() override { stream_->Flush(); }

  void TickAt(Instant when) override { tick_at_(when); }

 private:
  std::size_t Pack(std::span<const LoadLoop::Tag> tags, const JobTemplate& job,
                   v1::SubmitRequest& request) {
    const std::uint32_t option = OptionOf(&job, request);
    std::size_t bytes = 0;
    for (const LoadLoop::Tag tag : tags) {
      bytes += rpc::Append(request, {.tag = tag, .option = option, .spec = job.spec});
    }
    return bytes;
  }

  // The index of the job's options in the batch. A batch begins empty, and has few of them.
  std::uint32_t OptionOf(const JobTemplate* job, v1::SubmitRequest& request) {
    if (request.options().empty()) options_.clear();
    const auto same = std::find(options_.begin(), options_.end(), job);
    const auto index = static_cast<std::uint32_t>(same - options_.begin());
    if (same == options_.end()) {
      *request.add_options() = job->options;
      options_.push_back(job);
    }
    return index;
  }

  const std::shared_ptr<Stream> stream_;
  const JobTemplate& job_;
  const std::function<void(Instant)> tick_at_;
  const std::size_t chunk_;                  // jobs
  std::vector<const JobTemplate*> options_;  // of the present batch; used in Add only
};

}  // namespace

Session::Session(const std::string& frontend, JobTemplate job, Generator& generator,
                 security::Client security)
    : frontend_(frontend),
      job_(std::move(job)),
      generator_(generator),
      security_(std::move(security)),
      dialer_(frontend_, security_),
      backoff_(kFirstPause, kLongestPause, std::random_device{}()) {}

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
  while (AwaitConnection()) {
    RunStream();
    Pause(backoff_.Next());
  }
}

// False: stopping.
bool Session::AwaitConnection() {
  bool said = false;
  for (;;) {
    {
      const MutexLock lock(mutex_);
      if (stopping_) return false;
    }
    if (const auto channel = dialer_.Connected(kConnectSlice)) {
      stub_ = v1::Clients::NewStub(channel);
      return true;
    }
    if (!said) {
      // It blocks, as long as a name server does not answer: no reason to be late once it worked.
      const std::string tls = stub_ ? "" : security::DiagnoseTls(frontend_, security_);
      spdlog::info("waiting for the frontend at {}{}", frontend_, tls.empty() ? "" : "; " + tls);
    }
    said = true;
  }
}

void Session::RunStream() {
  std::shared_ptr<Stream> stream;  // lives until OnEnd, for which this function waits
  stream = std::make_shared<Stream>(
      [this, &stream](const v1::SubmitReply& reply) { OnMessage(*stream, reply); },
      [this](const grpc::Status& status) { OnEnd(status); });
  {
    const MutexLock lock(mutex_);
    ended_ = heard_ = false;
    tick_at_ = Now();  // what is due on the new stream
  }

  rpc::Authorize(*stream->context(), security_);
  stub_->async()->Submit(stream->context(), stream.get());
  stream->Start();
  const std::size_t again = generator_.Connected(
      std::make_shared<StreamSink>(stream, job_, [this](Instant when) { TickAt(when); }));
  if (!quiet_) {
    spdlog::info("connected to the frontend at {}{}", frontend_,
                 again > 0 ? fmt::format("; {} jobs submitted again", again) : "");
  }
  bool stopping;
  {
    const MutexLock lock(mutex_);
    Serve();
    stopping = stopping_;
  }
  if (stopping) return FinishStream(*stream);
  generator_.Disconnected();
  ReportLoss();
}

// Until the stream ends or is to end.
void Session::Serve() {
  while (!ended_ && !stopping_) {
    if (!tick_at_) {
      changed_.Wait(mutex_);
    } else if (Now() < *tick_at_) {
      changed_.WaitUntil(mutex_, *tick_at_);
    } else {
      tick_at_.reset();
      mutex_.Unlock();
      const std::optional<Instant> next = generator_.Tick();
      mutex_.Lock();
      if (next && (!tick_at_ || *next < *tick_at_)) tick_at_ = next;
    }
  }
}

void Session::FinishStream(Stream& stream) {
  stream.Close();
  {
    const MutexLock lock(mutex_);
    while (!ended_ && changed_.WaitUntil(mutex_, give_up_)) {
    }
    if (ended_) return;
  }
  stream.Cancel();
  const MutexLock lock(mutex_);
  while (!ended_) changed_.Wait(mutex_);
}

void Session::Pause(Duration duration) {
  const Instant end = Now() + duration;
  const MutexLock lock(mutex_);
  while (!stopping_ && changed_.WaitUntil(mutex_, end)) {
  }
}

// Says so once for each trouble: a frontend that refuses every stream would fill the log.
void Session::ReportLoss() {
  const MutexLock lock(mutex_);
  if (heard_) backoff_.Reset();
  quiet_ = !heard_ && end_reason_ == trouble_;
  trouble_ = end_reason_;
  if (quiet_) return;
  spdlog::warn("lost the frontend at {}: {}; {} jobs without an answer will be submitted again",
               frontend_, trouble_, generator_.outstanding());
}

// ---- on threads of gRPC

void Session::OnMessage(Stream& stream, const v1::SubmitReply& reply) {
  if (const Status status = rpc::Check(reply.results()); !status.ok()) {
    spdlog::error("the frontend at {} sent a bad batch: {}", frontend_,
                  std::string(status.message()));
    return stream.Cancel();
  }
  const std::optional<Instant> tick = generator_.OnReply(reply);
  {
    const MutexLock lock(mutex_);
    heard_ = true;
  }
  if (tick) TickAt(*tick);
}

// The earliest counts.
void Session::TickAt(Instant when) {
  const MutexLock lock(mutex_);
  if (tick_at_ && *tick_at_ <= when) return;
  tick_at_ = when;
  changed_.NotifyAll();
}

void Session::OnEnd(const grpc::Status& status) {
  const MutexLock lock(mutex_);
  ended_ = true;
  end_reason_ = status.ok() ? "it ended the stream" : status.error_message();
  changed_.NotifyAll();
}

}  // namespace twofold::load
