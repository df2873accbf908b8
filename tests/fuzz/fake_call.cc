#include "tests/fuzz/fake_call.h"

#include <optional>
#include <utility>
#include <vector>

#include "lib/common/mutex.h"

namespace twofold::fuzz {

/// What the session has ordered, and waits for.
class FakeCall::Orders final : public rpc::Wire {
 public:
  void Read() override { reads = true; }
  void WantPull() override { wants_pull = true; }
  void Finish(Status status, h2::Metadata) override {
    if (!finished) finished = std::move(status);
  }
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
  void HandOver(std::shared_ptr<rpc::ByteStream>, std::optional<std::string>) override {}

  bool reads = false;
  bool wants_pull = false;
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
  orders_->Finish(absl::CancelledError("the connection is lost"), {});
  session_->OnCancel();
  End();
}

void FakeCall::TakeWrites() {
  if (!std::exchange(orders_->wants_pull, false)) return;
  for (std::string_view rest = Pulled(); !rest.empty(); rest = Pulled()) {
    while (!rest.empty()) {
      const std::size_t size = h2::ReadMessageHead(rest).size;
      on_write_(rest.substr(h2::kMessageHead, size));
      rest.remove_prefix(h2::kMessageHead + size);
    }
  }
}

/// The messages that the session adds, with their heads.
std::string_view FakeCall::Pulled() {
  constexpr std::size_t kMost = 64 << 20;
  constexpr std::size_t kEnough = 256 << 10;
  pulled_.clear();
  h2::MessageWriter out(pulled_, kMost, kEnough);
  session_->Pull(out);
  return pulled_;
}

void FakeCall::EndIfFinished() {
  if (orders_->finished) End();
}

/// A read that is under way fails first.
void FakeCall::End() {
  const std::shared_ptr<rpc::ByteStream> session = std::exchange(session_, nullptr);
  if (std::exchange(orders_->reads, false)) session->OnReadEnd();
  session->End();
}

}  // namespace twofold::fuzz
