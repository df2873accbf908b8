#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/command/command.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/rpc/route.h"
#include "lib/security/client.h"
#include "twofold/v1/queue.pb.h"

namespace grpc {
class ClientContext;
class Status;
template <class R>
class ClientReader;
}  // namespace grpc

namespace twofold::v1 {
class CancelRunReply;
class CancelRunRequest;
}  // namespace twofold::v1

namespace twofold::cli {

class RouteChannels;

/// The frontend a command talks to, and how to make one call to it. Its address is that of
/// --frontend, else $TWOFOLD_FRONTEND, else the local cluster's, else localhost:9997.
///
///   Frontend frontend(globals);
///   auto reply = frontend.ListWorkers(request);
///
/// Any other call needs gRPC, and cli/queues/call.h, where the templates are defined:
///
///   auto reply = frontend.Call<v1::Admin>(&v1::Admin::Stub::PauseQueue, request);
///
/// Errors   those of the service, the message made to say what to do.
class Frontend {
 public:
  static constexpr Duration kReplyWithin = std::chrono::seconds(10);

  explicit Frontend(const Globals& globals);
  ~Frontend();
  Frontend(const Frontend&) = delete;
  Frontend& operator=(const Frontend&) = delete;

  Result<v1::ListWorkersReply> ListWorkers(const v1::WorkersRequest& request) const;
  Result<v1::ListWorkersReply> DrainWorkers(const v1::WorkersRequest& request) const;
  Result<v1::ListJobsReply> ListJobs(const v1::ListJobsRequest& request) const;
  Result<v1::Job> GetJob(const v1::GetJobRequest& request) const;
  Result<v1::CancelRunReply> CancelRun(const v1::CancelRunRequest& request,
                                       Duration timeout = kReplyWithin) const;

  /// Runs finished jobs again, page by page. What was requeued before an error is in `reply`, too.
  Status Requeue(v1::RequeueJobsRequest request, v1::RequeueJobsReply& reply) const;

  template <typename Service, typename Request, typename Reply>
  Result<Reply> Call(grpc::Status (Service::Stub::*method)(grpc::ClientContext*, const Request&,
                                                           Reply*),
                     const Request& request, Duration timeout = kReplyWithin) const;

  /// Gives each message of a stream to `on_message` until the stream has ended.
  /// Errors   also kDeadlineExceeded after `timeout`; 0 = as long as it lasts.
  template <typename Service, typename Request, typename Message>
  Status Read(std::unique_ptr<grpc::ClientReader<Message>> (Service::Stub::*method)(
                  grpc::ClientContext*, const Request&),
              const Request& request, Duration timeout,
              const std::function<void(const Message&)>& on_message) const;

  /// A call of another kind: `make` gets the stub and a context, and returns how it ended.
  template <typename Service, typename Make>
  Status With(Duration timeout, const Make& make) const;

  /// The same where a route leads that began at address(). If it was named: from one thread.
  template <typename Service, typename Make>
  Status At(const rpc::Dial& dial, Duration timeout, const Make& make) const;

  // For a call that goes on.
  template <typename Service>
  Result<std::unique_ptr<typename Service::Stub>> NewStub() const;
  void Prepare(grpc::ClientContext& context, Duration timeout) const;  ///< 0 = no deadline
  [[nodiscard]] Status Explain(const grpc::Status& status) const;

  /// For streams that are not ours: where it is, and how to get in. REQUIRES of security(): a call
  /// has succeeded.
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] const security::Client& security() const { return *security_; }

  /// Whether the frontend can be reached, now or before `timeout` has passed.
  [[nodiscard]] bool WaitUntilConnected(Duration timeout) const;

 private:
  void TakeVariable();
  [[nodiscard]] Status ExplainNamed(const grpc::Status& status, const std::string& address) const;

  std::string address_;
  std::string source_;  // who says so; empty: an option
  Result<security::Client> security_;
  std::unique_ptr<RouteChannels> dialer_;  // null: security_ says why
};

}  // namespace twofold::cli
