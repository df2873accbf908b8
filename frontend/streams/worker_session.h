#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "frontend/queues/endpoints.h"
#include "frontend/queues/queue_set.h"
#include "lib/common/mutex.h"
#include "lib/rpc/batches.h"
#include "lib/rpc/server_stream.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::frontend {

/// What a message to a worker has in `assigns.options`.
using SentOptions = std::vector<std::shared_ptr<const queue::JobOptions>>;

/// One backend process's Work stream: jobs out, results in.
///
/// Threads  See rpc::ServerStream and endpoints.h.
class WorkerSession final
    : public rpc::ServerStream<v1::WorkerMessage, v1::FrontendMessage, SentOptions>,
      public WorkerEndpoint {
 public:
  /// `can_follow`: see ClientSession.
  explicit WorkerSession(QueueSet& queues, bool can_follow = true)
      : queues_(queues), can_follow_(can_follow) {}

  void OnAssign(const queue::Assign& assign, const GangPlan* gang) override;
  void OnAskSent() override;
  void OnGo(const queue::Held& member) override;
  void OnCancelAttempt(const queue::Held& attempt) override;
  void OnKept(const queue::Held& attempt) override;
  void OnFollow(const queue::Held& attempt, bool follow) override;
  void OnDrain() override;
  void OnMoved(const std::string& queue) override;
  void OnReplaced() override;
  void OnSilent() override;
  void Flush() override;

 private:
  void OnMessage(const v1::WorkerMessage& message) override;
  void OnWrite(const v1::FrontendMessage& message, const SentOptions& sent) override;
  void OnSent() override;
  void OnHalfClosed() override;
  void OnGone() override;

  Status Handle(const v1::WorkerMessage& message);
  Status Join(const v1::Hello& hello);
  Status TakeResults(const v1::WorkerResults& results, QueueHost::Turn& turn);
  void TakeTold(const v1::WorkerMessage& message, QueueHost::Turn& turn);
  void AddAttempt(v1::Attempts* (v1::FrontendMessage::*list)(), const queue::Held& attempt);
  void Gone();
  [[nodiscard]] Result<QueueHost*> HostFor(const v1::Hello& hello) const;
  void SendAway();
  std::shared_ptr<WorkerEndpoint> Self();

  QueueSet& queues_;
  const bool can_follow_;

  // Used by reactions only, which never run at once.
  QueueHost* host_ = nullptr;      ///< nullptr until Hello
  std::uint64_t moved_epoch_ = 0;  ///< that the worker knew when it came
  queue::ProcessId process_{};
  bool left_ = false;  ///< by its own word: `process_` may be another process now

  std::atomic<bool> ask_sent_ = false;
  std::atomic<bool> replaced_ = false;
  std::atomic<bool> silent_ = false;
  Mutex mutex_;
  std::string moved_to_ ABSL_GUARDED_BY(mutex_);  ///< the queue to join, see OnMoved
  std::atomic<bool> moved_ = false;               ///< it has one
  std::atomic<bool> sent_away_ = false;           ///< it is being told so
};

}  // namespace twofold::frontend
