#include <absl/strings/str_cat.h>

#include <atomic>
#include <utility>

#include "frontend/services/routed_stream.h"
#include "frontend/services/run_calls.h"

namespace twofold::frontend {
namespace {

Status Check(const v1::AttendRunRequest& request) {
  if (!request.id().empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("id: which run?");
}

/// Says once that the run is taken, and keeps it until the caller or the queue goes.
class AttendRunCall final : public RoutedStream<v1::AttendRunRequest, v1::AttendRunReply>,
                            public Resident {
 public:
  AttendRunCall(std::shared_ptr<AttendedRuns> runs, const QueueSet& queues, Peers* peers,
                const Caller& caller)
      : RoutedStream("/twofold.v1.Results/AttendRun", peers, caller),
        runs_(std::move(runs)),
        queues_(queues) {}

  void OnMoved() override { moved_ = true; }

  void Flush() override {
    RoutedStream::Flush();
    if (moved_) Close(absl::UnavailableError("its queue is served elsewhere, ask again"));
  }

 private:
  void OnRequest(const v1::AttendRunRequest& request) override {
    if (const Status status = Check(request); !status.ok()) return Close(status);
    request_ = request;
    Route(queues_.Known(request.queue()), request);
  }

  void Here() override {
    Status status = Stay();
    if (status.ok()) status = Take();
    status.ok() ? PassOn({}) : Close(status);
  }

  void PassOn(const v1::AttendRunReply& /*reply*/) override {
    Add([](v1::AttendRunReply&) { return std::size_t{1}; });
    Flush();
  }

  /// A run whose queue is not known here is this frontend's.
  Status Stay() {
    const auto host = queues_.Find(request_.queue());
    if (!host.ok()) return absl::OkStatus();
    QueueHost::Turn turn(**host, Now());
    Status served = turn.CheckServed();
    if (served.ok()) turn.Stay({shared_from_this(), static_cast<Resident*>(this)});
    return served;
  }

  Status Take() {
    const MutexLock lock(runs_->mutex);
    const auto [entry, is_new] = runs_->who.emplace(request_.id(), request_.who());
    has_it_ = is_new;
    if (is_new) return absl::OkStatus();
    return absl::AlreadyExistsError(
        absl::StrCat("run ", request_.id(), " is looked after by ", entry->second, " already"));
  }

  void OnLeft() override {
    {
      const MutexLock lock(runs_->mutex);
      if (std::exchange(has_it_, false)) runs_->who.erase(request_.id());
    }
    const auto host = queues_.Find(request_.queue());
    if (host.ok()) QueueHost::Turn(**host, Now()).Leave(this);
  }

  const std::shared_ptr<AttendedRuns> runs_;
  const QueueSet& queues_;
  v1::AttendRunRequest request_;
  bool has_it_ = false;  // guarded by the mutex of runs_
  std::atomic<bool> moved_ = false;
};

}  // namespace

std::shared_ptr<rpc::ServerStream<v1::AttendRunRequest, v1::AttendRunReply>> MakeAttendRunCall(
    std::shared_ptr<AttendedRuns> runs, const QueueSet& queues, Peers* peers,
    const Caller& caller) {
  return std::make_shared<AttendRunCall>(std::move(runs), queues, peers, caller);
}

}  // namespace twofold::frontend
