#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>

#include "cli/command/command.h"
#include "cli/channel/channel.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/rpc/route.h"
#include "lib/security/client.h"
#include "twofold/v1/queue.grpc.pb.h"

namespace twofold::cli {

/// The frontend a command talks to, and how to make one call to it. Its address is that of
/// --frontend, else $TWOFOLD_FRONTEND, else the local cluster's, else localhost:9997.
///
///   Frontend frontend(globals);
///   auto reply = frontend.Call<v1::Admin>(&v1::Admin::Stub::PauseQueue, request);
///
/// Errors   those of the service, the message made to say what to do.
class Frontend {
 public:
  explicit Frontend(const Globals& globals);

  template <typename Service, typename Request, typename Reply>
  Result<Reply> Call(grpc::Status (Service::Stub::*method)(grpc::ClientContext*, const Request&,
                                                           Reply*),
                     const Request& request, Duration timeout = std::chrono::seconds(10)) const {
    Reply reply;
    const Status status = With<Service>(timeout, [&](auto& stub, grpc::ClientContext& context) {
      return (stub.*method)(&context, request, &reply);
    });
    if (!status.ok()) return status;
    return reply;
  }

  /// Gives each message of a stream to `on_message` until the stream has ended.
  /// Errors   also kDeadlineExceeded after `timeout`; 0 = as long as it lasts.
  template <typename Service, typename Request, typename Message>
  Status Read(std::unique_ptr<grpc::ClientReader<Message>> (Service::Stub::*method)(
                  grpc::ClientContext*, const Request&),
              const Request& request, Duration timeout,
              const std::function<void(const Message&)>& on_message) const {
    return With<Service>(timeout, [&](auto& stub, grpc::ClientContext& context) {
      const auto reader = (stub.*method)(&context, request);
      for (Message message; reader->Read(&message);) on_message(message);
      return reader->Finish();
    });
  }

  /// A call of another kind: `make` gets the stub and a context, and returns how it ended.
  template <typename Service, typename Make>
  Status With(Duration timeout, const Make& make) const {
    return At<Service>({.address = address_}, timeout, make);
  }

  /// The same where a route leads that began at address(). If it was named: from one thread.
  template <typename Service, typename Make>
  Status At(const rpc::Dial& dial, Duration timeout, const Make& make) const {
    if (!security_.ok()) return security_.status();
    const auto stub = Service::NewStub(dialer_->Of(dial).Channel());
    grpc::ClientContext context;
    Prepare(context, timeout);
    const grpc::Status status = make(*stub, context);
    return dial.named ? ExplainNamed(status, dial.address) : Explain(status);
  }

  // For a call that goes on.
  template <typename Service>
  Result<std::unique_ptr<typename Service::Stub>> NewStub() const {
    if (!security_.ok()) return security_.status();
    return Service::NewStub(dialer_->Of({.address = address_}).Channel());
  }
  void Prepare(grpc::ClientContext& context, Duration timeout) const;  ///< 0 = no deadline
  [[nodiscard]] Status Explain(const grpc::Status& status) const;

  /// Runs finished jobs again, page by page. What was requeued before an error is in `reply`, too.
  Status Requeue(v1::RequeueJobsRequest request, v1::RequeueJobsReply& reply) const;

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

/// A command that makes one call: `declare` adds the options that fill the request, `show` prints
/// the answer.
template <typename Service, typename Request, typename Reply>
auto BindCall(grpc::Status (Service::Stub::*method)(grpc::ClientContext*, const Request&, Reply*),
              void (*declare)(CLI::App&, Request&), void (*show)(const Reply&, const Globals&)) {
  return [=](CLI::App& app, const Globals& globals) -> Action {
    auto request = std::make_shared<Request>();
    declare(app, *request);
    return [=, &globals]() -> Status {
      const auto reply = Frontend(globals).Call<Service>(method, *request);
      if (reply.ok()) show(*reply, globals);
      return reply.status();
    };
  };
}

}  // namespace twofold::cli
