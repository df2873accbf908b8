#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "lib/rpc/unary.h"
#include "lib/security/gate.h"

namespace twofold::rpc {

/// Which roles may call a method, named by its path: "/twofold.v1.Clients/Submit".
using RolesOf = std::function<security::Roles(std::string_view method)>;

/// What serves a call: a ServerStream, whatever the kind of the method. All calls look the same on
/// the wire (messages one way, messages and a status the other), so they have one lifecycle.
using ByteStream = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

/// The answer to a call that ends at once with `why`.
ByteStream* Refuse(const grpc::Status& why);

/// A gRPC service whose every call is checked at its door before a method hears of it.
///
/// A derived class names its methods in its constructor, each with one Serve. There is no other way
/// to have a method, so none can be without the check. (gRPC 1.51 offers two places for it, and
/// neither will do: its processor of metadata aborts the program on headers that any peer can send,
/// and an interceptor cannot refuse a call.)
///
/// Threads  Methods run on threads of gRPC, any number at once.
/// Cost     A call: Gate::Check. Messages of streams: nothing.
class Service : public grpc::Service {
 public:
  /// Says who may call. Listen does, before the first call.
  void Guard(std::shared_ptr<security::Gate> gate, RolesOf roles);

 protected:
  /// Makes and starts what serves a new call.
  using Open = std::function<ByteStream*(grpc::CallbackServerContext*)>;

  /// `name` as in the proto: "twofold.v1.Clients" (its generated service_full_name()).
  explicit Service(std::string_view name) : prefix_("/" + std::string(name) + "/") {}

  void Serve(std::string_view method, Open open);

  template <typename T>
  void Serve(std::string_view method, ByteStream* (T::*open)(grpc::CallbackServerContext*)) {
    Serve(method, [this, open](grpc::CallbackServerContext* context) {
      return (static_cast<T*>(this)->*open)(context);
    });
  }

  /// A unary method that is answered at once, on the thread of gRPC: `answer` must not block.
  template <typename Request, typename Reply>
  void Serve(std::string_view method, std::function<Result<Reply>(const Request&)> answer) {
    Serve(method, [answer = std::move(answer)](auto*) -> ByteStream* {
      const auto call = std::make_shared<UnaryCall<Request, Reply>>(
          [answer](const Request& request, const auto& self) { self->Answer(answer(request)); });
      call->Start();
      return call.get();
    });
  }

 private:
  grpc::Status Check(const std::string& path, const grpc::CallbackServerContext& context) const;

  const std::string prefix_;
  std::list<std::string> paths_;  // gRPC keeps pointers into them
  int methods_ = 0;
  std::shared_ptr<security::Gate> gate_;  // null: no call is checked
  RolesOf roles_;
};

}  // namespace twofold::rpc
