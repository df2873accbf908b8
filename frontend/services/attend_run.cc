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
    if (moved_) over_.Give(absl::UnavailableError("its queue is served elsewhere, ask again"));
  }

 private:
  void OnRequest(const v1::AttendRunRequest& request) override {
    if (const Status status = Check(request); !status.ok()) return Close(status);
    Answer(request, queues_.Known(request.queue()));
  }

  Task<Status> Here(const v1::AttendRunRequest& request) override {
    Status end = Stay(request.queue());
    if (end.ok()) end = Take(request);
    if (end.ok()) {
      PassOn({});
      end = co_await over_;
      GiveBack(request.id());
    }
    Leave(request.queue());
    co_return end;
  }

  void PassOn(const v1::AttendRunReply& /*reply*/) override {
    Add([](v1::AttendRunReply&) { return std::size_t{1}; });
    Flush();
  }

  /// A run whose queue is not known here is this frontend's.
  Status Stay(const std::string& queue) {
    const auto host = queues_.Find(queue);
    if (!host.ok()) return absl::OkStatus();
    QueueHost::Turn turn(**host, Now());
    Status served = turn.CheckServed();
    if (served.ok()) turn.Stay({shared_from_this(), static_cast<Resident*>(this)});
    return served;
  }

  void Leave(const std::string& queue) {
    const auto host = queues_.Find(queue);
    if (host.ok()) QueueHost::Turn(**host, Now()).Leave(this);
  }

  Status Take(const v1::AttendRunRequest& request) {
    const MutexLock lock(runs_->mutex);
    const auto [entry, is_new] = runs_->who.emplace(request.id(), request.who());
    if (is_new) return absl::OkStatus();
    return absl::AlreadyExistsError(
        absl::StrCat("run ", request.id(), " is looked after by ", entry->second, " already"));
  }

  void GiveBack(const std::string& run) {
    const MutexLock lock(runs_->mutex);
    runs_->who.erase(run);
  }

  const std::shared_ptr<AttendedRuns> runs_;
  const QueueSet& queues_;
  std::atomic<bool> moved_ = false;
};

}  // namespace

std::shared_ptr<rpc::ByteStream> MakeAttendRunCall(std::shared_ptr<AttendedRuns> runs,
                                                   const QueueSet& queues, Peers* peers,
                                                   const Caller& caller) {
  return std::make_shared<AttendRunCall>(std::move(runs), queues, peers, caller);
}

}  // namespace twofold::frontend
