#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "lib/common/backoff.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/load/engine/generator.h"
#include "lib/load/job_template.h"
#include "lib/rpc/client_stream.h"
#include "lib/rpc/dialer.h"
#include "lib/security/client.h"
#include "twofold/v1/queue.grpc.pb.h"

namespace twofold::load {

/// Connects a generator to a frontend, and reconnects whenever the stream breaks.
///
/// Threads  Its own thread waits for connections, for the end of streams and for the time to submit
///          again after a rejection. Answers are handled on the gRPC thread that read them. Call
///          Start and Stop from one thread.
class Session {
 public:
  /// `frontend` is host:port. The generator outlives the session.
  Session(const std::string& frontend, JobTemplate job, Generator& generator,
          security::Client security = {});

  /// Stops at once.
  ~Session();

  void Start();

  /// Stops submitting, waits up to `patience` for missing answers, ends the stream.
  void Stop(Duration patience);

 private:
  using Stream = rpc::ClientStream<v1::SubmitRequest, v1::SubmitReply>;

  void Run();
  bool AwaitConnection();
  void RunStream();
  void Serve() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FinishStream(Stream& stream);
  void Pause(Duration duration);
  void ReportLoss();

  void TickAt(Instant when);

  // On threads of gRPC.
  void OnMessage(Stream& stream, const v1::SubmitReply& reply);
  void OnEnd(const grpc::Status& status);

  // Constant.
  const std::string frontend_;
  const JobTemplate job_;
  Generator& generator_;
  const security::Client security_;

  // Used by the thread only.
  rpc::Dialer dialer_;
  std::unique_ptr<v1::Clients::Stub> stub_;  // null: it was never connected
  Backoff backoff_;
  std::string trouble_;  // why the last stream ended
  bool quiet_ = false;   // the trouble was logged before

  Mutex mutex_;
  Condition changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  Instant give_up_ ABSL_GUARDED_BY(mutex_);  // if stopping
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  bool heard_ ABSL_GUARDED_BY(mutex_) = false;  // the stream has delivered a message
  std::string end_reason_ ABSL_GUARDED_BY(mutex_);
  std::optional<Instant> tick_at_ ABSL_GUARDED_BY(mutex_);

  std::thread thread_;
};

}  // namespace twofold::load
