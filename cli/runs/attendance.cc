#include "cli/runs/attendance.h"

#include <absl/strings/str_cat.h>
#include <grpcpp/support/client_callback.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "twofold/v1/runs.grpc.pb.h"

namespace twofold::cli {
namespace {

constexpr std::chrono::seconds kAnswerWithin{10};

/// "node-7, process 4711"
std::string Who() {
  std::array<char, 128> host{};
  gethostname(host.data(), host.size() - 1);
  return absl::StrCat(host.data(), ", process ", getpid());
}

}  // namespace

class Attendance::Stream final : public grpc::ClientReadReactor<v1::AttendRunReply> {
 public:
  explicit Stream(std::unique_ptr<v1::Results::Stub> stub) : stub_(std::move(stub)) {}
  ~Stream() override {
    if (!started_) return;
    context_.TryCancel();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_; });
  }

  grpc::ClientContext& context() { return context_; }

  void Start(const std::string& run) {
    request_.set_id(run);
    request_.set_who(Who());
    started_ = true;
    stub_->async()->AttendRun(&context_, &request_, this);
    StartRead(&reply_);
    StartCall();
  }

  /// Whether the run is ours. False: it has ended, status() says why; or there was no answer.
  bool AwaitTaken() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kAnswerWithin, [this] { return taken_ || ended_; });
    return taken_ && !ended_;
  }

  [[nodiscard]] bool ended() const {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  [[nodiscard]] grpc::Status status() const {
    const std::lock_guard lock(mutex_);
    return ended_ ? status_ : grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, "");
  }

 private:
  void OnReadDone(bool ok) override {
    if (!ok) return;
    const std::lock_guard lock(mutex_);
    taken_ = true;
    changed_.notify_all();
    StartRead(&reply_);
  }
  void OnDone(const grpc::Status& status) override {
    const std::lock_guard lock(mutex_);
    status_ = status;
    ended_ = true;
    changed_.notify_all();
  }

  const std::unique_ptr<v1::Results::Stub> stub_;
  grpc::ClientContext context_;
  v1::AttendRunRequest request_;
  v1::AttendRunReply reply_;
  bool started_ = false;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool taken_ = false;
  bool ended_ = false;
  grpc::Status status_;
};

Attendance::Attendance(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}
Attendance::~Attendance() = default;

Result<std::unique_ptr<Attendance>> Attendance::Take(const Frontend& frontend,
                                                     const std::string& run) {
  auto stub = frontend.NewStub<v1::Results>();
  if (!stub.ok()) return stub.status();
  auto stream = std::make_unique<Stream>(*std::move(stub));
  frontend.Prepare(stream->context(), Duration::zero());
  stream->Start(run);
  if (!stream->AwaitTaken()) return frontend.Explain(stream->status());
  return std::unique_ptr<Attendance>(new Attendance(std::move(stream)));
}

bool Attendance::lost() const { return stream_->ended(); }

}  // namespace twofold::cli
