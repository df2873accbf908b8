#include "tests/fuzz/fake_call.h"

#include <optional>
#include <utility>
#include <vector>

#include "lib/common/mutex.h"
#include "tests/fuzz/target.h"

namespace twofold::fuzz {

/// What the session has ordered, and waits for.
class FakeCall::Orders final : public rpc::Wire {
 public:
  void Read() override { reads = true; }
  void Write(const google::protobuf::MessageLite& message) override {
    written = message.SerializeAsString();
  }
  void Write(const std::string& bytes) override { written = bytes; }
  void Finish(Status status, h2::Metadata) override {
    if (!finished) finished = std::move(status);
  }
  void Charge(std::size_t) override {}
  /// Time stands still: what is for later never comes.
  void After(Duration pause, std::function<void()> task) override {
    const MutexLock lock(mutex_);
    if (pause == Duration(0)) tasks_.push_back(std::move(task));
  }

  /// What other threads want done on this one.
  void RunTasks() {
    std::vector<std::function<void()>> tasks;
    {
      const MutexLock lock(mutex_);
      tasks.swap(tasks_);
    }
    for (const auto& task : tasks) task();
  }

  void BreakOff() override { Finish(absl::CancelledError("broken off"), {}); }

  bool reads = false;
  std::optional<std::string> written;
  std::optional<Status> finished;

 private:
  Mutex mutex_;
  std::vector<std::function<void()>> tasks_ ABSL_GUARDED_BY(mutex_);
};

FakeCall::FakeCall(std::shared_ptr<rpc::ByteStream> session, OnWrite on_write)
    : orders_(std::make_shared<Orders>()),
      on_write_(std::move(on_write)),
      session_(std::move(session)) {
  session_->Begin(orders_);
}

FakeCall::~FakeCall() {
  if (!ended()) Break();
}

bool FakeCall::reads() const { return !ended() && orders_->reads && !orders_->finished; }

const Status& FakeCall::status() const { return *orders_->finished; }

void FakeCall::Receive(std::string_view bytes) {
  orders_->reads = false;
  session_->OnRead(bytes);
}

void FakeCall::Settle() {
  if (ended()) return;
  orders_->RunTasks();
  TakeWrites();
  EndIfFinished();
}

void FakeCall::HalfClose() {
  if (!reads()) return;
  orders_->reads = false;
  session_->OnReadEnd();
}

void FakeCall::Break() {
  if (ended()) return;
  session_->OnCancel();
  End();
  Require(orders_->finished.has_value(), "a session finishes when its connection is lost");
}

void FakeCall::TakeWrites() {
  while (orders_->written) {
    on_write_(*std::exchange(orders_->written, std::nullopt));
    session_->OnWritten(true);
  }
}

void FakeCall::EndIfFinished() {
  if (orders_->finished) End();
}

/// What is under way fails first.
void FakeCall::End() {
  const std::shared_ptr<rpc::ByteStream> session = std::exchange(session_, nullptr);
  if (std::exchange(orders_->reads, false)) session->OnReadEnd();
  if (std::exchange(orders_->written, std::nullopt)) session->OnWritten(false);
  session->OnDone();
}

}  // namespace twofold::fuzz
