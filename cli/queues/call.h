#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>

#include "cli/channel/channel.h"
#include "cli/command/command.h"
#include "cli/queues/frontend.h"
#include "twofold/v1/queue.grpc.pb.h"

/// The calls of Frontend that name a service's stub.
namespace twofold::cli {

template <typename Service, typename Request, typename Reply>
Result<Reply> Frontend::Call(grpc::Status (Service::Stub::*method)(grpc::ClientContext*,
                                                                   const Request&, Reply*),
                             const Request& request, Duration timeout) const {
  Reply reply;
  const Status status = With<Service>(timeout, [&](auto& stub, grpc::ClientContext& context) {
    return (stub.*method)(&context, request, &reply);
  });
  if (!status.ok()) return status;
  return reply;
}

template <typename Service, typename Request, typename Message>
Status Frontend::Read(std::unique_ptr<grpc::ClientReader<Message>> (Service::Stub::*method)(
                          grpc::ClientContext*, const Request&),
                      const Request& request, Duration timeout,
                      const std::function<void(const Message&)>& on_message) const {
  return With<Service>(timeout, [&](auto& stub, grpc::ClientContext& context) {
    const auto reader = (stub.*method)(&context, request);
    for (Message message; reader->Read(&message);) on_message(message);
    return reader->Finish();
  });
}

template <typename Service, typename Make>
Status Frontend::With(Duration timeout, const Make& make) const {
  return At<Service>({.address = address_}, timeout, make);
}

template <typename Service, typename Make>
Status Frontend::At(const rpc::Dial& dial, Duration timeout, const Make& make) const {
  if (!security_.ok()) return security_.status();
  const auto stub = Service::NewStub(dialer_->Of(dial).Channel());
  grpc::ClientContext context;
  Prepare(context, timeout);
  const grpc::Status status = make(*stub, context);
  return dial.named ? ExplainNamed(status, dial.address) : Explain(status);
}

template <typename Service>
Result<std::unique_ptr<typename Service::Stub>> Frontend::NewStub() const {
  if (!security_.ok()) return security_.status();
  return Service::NewStub(dialer_->Of({.address = address_}).Channel());
}

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
