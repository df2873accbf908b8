#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/server_callback_handlers.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/support/server_callback.h>

#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lib/rpc/door.h"

namespace twofold::rpc {

// What methods return: all of them take and give bytes, see wire.h.
using UnaryReply = grpc::ServerUnaryReactor;
using ByteStream = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;
using ByteWriter = grpc::ServerWriteReactor<grpc::ByteBuffer>;
using ByteReader = grpc::ServerReadReactor<grpc::ByteBuffer>;

/// The answer to a call that ends at once with `why`.
template <typename Reactor>
Reactor* Refuse(const grpc::Status& why) {
  class Refused final : public Reactor {
   public:
    explicit Refused(const grpc::Status& status) { this->Finish(status); }
    void OnDone() override { delete this; }
  };
  return new Refused(why);
}

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
  /// `name` as in the proto: "twofold.v1.Clients" (its generated service_full_name()).
  explicit Service(std::string_view name) : prefix_("/" + std::string(name) + "/") {}

  template <typename T>
  void Serve(std::string_view method,
             UnaryReply* (T::*serve)(grpc::CallbackServerContext*, const grpc::ByteBuffer*,
                                     grpc::ByteBuffer*)) {
    Add<grpc::internal::CallbackUnaryHandler>(method, Method::NORMAL_RPC, serve);
  }
  template <typename T>
  void Serve(std::string_view method, ByteStream* (T::*serve)(grpc::CallbackServerContext*)) {
    Add<grpc::internal::CallbackBidiHandler>(method, Method::BIDI_STREAMING, serve);
  }
  template <typename T>
  void Serve(std::string_view method,
             ByteWriter* (T::*serve)(grpc::CallbackServerContext*, const grpc::ByteBuffer*)) {
    Add<grpc::internal::CallbackServerStreamingHandler>(method, Method::SERVER_STREAMING, serve);
  }
  template <typename T>
  void Serve(std::string_view method,
             ByteReader* (T::*serve)(grpc::CallbackServerContext*, grpc::ByteBuffer*)) {
    Add<grpc::internal::CallbackClientStreamingHandler>(method, Method::CLIENT_STREAMING, serve);
  }

 private:
  using Method = grpc::internal::RpcMethod;

  template <template <typename, typename> typename Handler, typename Reactor, typename T,
            typename... Messages>
  void Add(std::string_view method, Method::RpcType type,
           Reactor* (T::*serve)(grpc::CallbackServerContext*, Messages...)) {
    const std::string& path = paths_.emplace_back(prefix_ + std::string(method));
    const auto checked = [this, serve, &path](grpc::CallbackServerContext* context,
                                              Messages... messages) -> Reactor* {
      const grpc::Status status = Check(path, *context);
      if (!status.ok()) return Refuse<Reactor>(status);
      return (static_cast<T*>(this)->*serve)(context, messages...);
    };
    Add(path, type, new Handler<grpc::ByteBuffer, grpc::ByteBuffer>(checked));
  }

  void Add(const std::string& path, Method::RpcType type, grpc::internal::MethodHandler* handler);
  grpc::Status Check(const std::string& path, const grpc::CallbackServerContext& context) const;

  const std::string prefix_;
  std::list<std::string> paths_;  // gRPC keeps pointers into them
  int methods_ = 0;
  std::shared_ptr<security::Gate> gate_;  // null: no call is checked
  RolesOf roles_;
};

}  // namespace twofold::rpc
