#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>

#include "cli/command/command.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/rpc/dialer.h"
#include "lib/security/client.h"
#include "twofold/v1/queue.grpc.pb.h"

namespace twofold::cli {

/// The frontend a command talks to, and how to make one call to it.
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
    if (!security_.ok()) return security_.status();
    const auto stub = Service::NewStub(dialer_->Channel());
    grpc::ClientContext context;
    Prepare(context, timeout);
    Reply reply;
    const grpc::Status status = ((*stub).*method)(&context, request, &reply);
    if (status.ok()) return reply;
    return Explain(status);
  }

  /// Gives each message of a stream to `on_message` until the stream has ended.
  /// Errors   also kDeadlineExceeded after `timeout`; 0 = as long as it lasts.
  template <typename Service, typename Request, typename Message>
  Status Read(std::unique_ptr<grpc::ClientReader<Message>> (Service::Stub::*method)(
                  grpc::ClientContext*, const Request&),
              const Request& request, Duration timeout,
              const std::function<void(const Message&)>& on_message) const {
    if (!security_.ok()) return security_.status();
    const auto stub = Service::NewStub(dialer_->Channel());
    grpc::ClientContext context;
    Prepare(context, timeout);
    const auto reader = ((*stub).*method)(&context, request);
    for (Message message; reader->Read(&message);) on_message(message);
    const grpc::Status status = reader->Finish();
    return status.ok() ? absl::OkStatus() : Explain(status);
  }

  /// Opens a stream to the frontend and calls `write`, which writes all messages (true), or as many
  /// as are taken (false). Returns the answer.
  template <typename Service, typename Out, typename Reply>
  Result<Reply> Write(std::unique_ptr<grpc::ClientWriter<Out>> (Service::Stub::*method)(
                          grpc::ClientContext*, Reply*),
                      Duration timeout,
                      const std::function<bool(grpc::ClientWriter<Out>&)>& write) const {
    if (!security_.ok()) return security_.status();
    const auto stub = Service::NewStub(dialer_->Channel());
    grpc::ClientContext context;
    Prepare(context, timeout);
    Reply reply;
    const auto writer = ((*stub).*method)(&context, &reply);
    if (write(*writer)) writer->WritesDone();
    const grpc::Status status = writer->Finish();
    if (status.ok()) return reply;
    return Explain(status);
  }

  /// Opens a stream both ways and calls `talk`, which writes and reads until it has what it wants
  /// (true; the stream is broken off then) or the stream fails (false).
  template <typename Service, typename Out, typename In>
  Status Talk(std::unique_ptr<grpc::ClientReaderWriter<Out, In>> (Service::Stub::*method)(
                  grpc::ClientContext*),
              Duration timeout,
              const std::function<bool(grpc::ClientReaderWriter<Out, In>&)>& talk) const {
    if (!security_.ok()) return security_.status();
    const auto stub = Service::NewStub(dialer_->Channel());
    grpc::ClientContext context;
    Prepare(context, timeout);
    const auto stream = ((*stub).*method)(&context);
    const bool done = talk(*stream);
    if (done) context.TryCancel();
    for (In rest; stream->Read(&rest);) {
    }
    const grpc::Status status = stream->Finish();
    return done || status.ok() ? absl::OkStatus() : Explain(status);
  }

  // For calls of another kind.
  template <typename Service>
  Result<std::unique_ptr<typename Service::Stub>> NewStub() const {
    if (!security_.ok()) return security_.status();
    return Service::NewStub(dialer_->Channel());
  }
  void Prepare(grpc::ClientContext& context, Duration timeout) const;  ///< 0 = no deadline
  [[nodiscard]] Status Explain(const grpc::Status& status) const;

  /// Whether the frontend can be reached, now or before `timeout` has passed.
  [[nodiscard]] bool WaitUntilConnected(Duration timeout) const;

 private:
  std::string address_;
  Result<security::Client> security_;
  std::unique_ptr<rpc::Dialer> dialer_;  // null: security_ says why
};

}  // namespace twofold::cli
