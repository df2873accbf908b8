#pragma once

#include <absl/container/flat_hash_map.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"
#include "lib/rpc/byte_stream.h"
#include "lib/rpc/unary.h"
#include "lib/security/gate.h"

namespace twofold::rpc {

/// Which roles may call a method, named by its path: "/twofold.v1.Clients/Submit".
using RolesOf = std::function<security::Roles(std::string_view method)>;

/// A gRPC service whose every call is checked at its door before a method hears of it.
///
/// A derived class names its methods in its constructor, each with one Serve. There is no other way
/// to have a method, so none can be without the check.
///
/// Threads  A method runs on the thread of its connection's loop: of a server with several loops
///          several run at a time.
/// Cost     A call: Gate::Check. Messages of streams: nothing.
class Service {
 public:
  virtual ~Service() = default;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// As in the proto: "twofold.v1.Clients".
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Says who may call. Listen does, before the first call.
  void Guard(std::shared_ptr<security::Gate> gate, RolesOf roles);

  /// Whether everybody may call the method, also where tokens are needed.
  [[nodiscard]] bool IsOpen(std::string_view method) const {
    return roles_ != nullptr && roles_(method).open();
  }

  /// What serves a new call.
  /// Errors   What the caller is told: kUnimplemented: there is no such method; kUnauthenticated,
  ///          kPermissionDenied: the caller may not call it; those of the method.
  Result<std::shared_ptr<ByteStream>> Open(const CallInfo& call) const;

 protected:
  /// Makes what serves a new call. An error is the answer.
  using Opener = std::function<Result<std::shared_ptr<ByteStream>>(const CallInfo&)>;

  explicit Service(std::string_view name) : name_(name) {}

  void Serve(std::string_view method, Opener open);

  template <typename T>
  void Serve(std::string_view method,
             Result<std::shared_ptr<ByteStream>> (T::*open)(const CallInfo&)) {
    Serve(method,
          [this, open](const CallInfo& call) { return (static_cast<T*>(this)->*open)(call); });
  }

  /// A unary method that is answered at once, on the loop's thread: `answer` must not block.
  template <typename Request, typename Reply>
  void Serve(std::string_view method, std::function<Result<Reply>(const Request&)> answer) {
    Serve(method, [answer = std::move(answer)](auto&) {
      return std::make_shared<UnaryCall<Request, Reply>>(
          [answer](const Request& request, const auto& self) { self->Answer(answer(request)); });
    });
  }

 private:
  [[nodiscard]] Status Check(const CallInfo& call) const;

  const std::string name_;
  absl::flat_hash_map<std::string, Opener> methods_;  // by path
  std::shared_ptr<security::Gate> gate_;              // null: no call is checked
  RolesOf roles_;
};

}  // namespace twofold::rpc
