#include "lib/rpc/service.h"

#include <grpcpp/impl/codegen/server_callback_handlers.h>

#include <utility>

namespace twofold::rpc {
namespace {

using grpc::internal::RpcMethod;
using security::Gate;
using security::Reason;
using Handler = grpc::internal::CallbackBidiHandler<grpc::ByteBuffer, grpc::ByteBuffer>;

class Refused final : public ByteStream {
 public:
  explicit Refused(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

grpc::StatusCode CodeOf(Reason reason) {
  return reason == Reason::kRole ? grpc::StatusCode::PERMISSION_DENIED
                                 : grpc::StatusCode::UNAUTHENTICATED;
}

std::string_view AuthorizationOf(const grpc::CallbackServerContext& context) {
  const auto& metadata = context.client_metadata();
  const auto found = metadata.find("authorization");
  if (found == metadata.end()) return {};
  return {found->second.data(), found->second.size()};
}

}  // namespace

ByteStream* Refuse(const grpc::Status& why) { return new Refused(why); }

void Service::Guard(std::shared_ptr<Gate> gate, RolesOf roles) {
  gate_ = std::move(gate);
  roles_ = std::move(roles);
}

void Service::Serve(std::string_view method, Open open) {
  const std::string& path = paths_.emplace_back(prefix_ + std::string(method));
  AddMethod(new grpc::internal::RpcServiceMethod(path.c_str(), RpcMethod::BIDI_STREAMING, nullptr));
  MarkMethodRawCallback(
      methods_++,
      new Handler([this, &path, open = std::move(open)](grpc::CallbackServerContext* context) {
        const grpc::Status status = Check(path, *context);
        return status.ok() ? open(context) : Refuse(status);
      }));
}

grpc::Status Service::Check(const std::string& path,
                            const grpc::CallbackServerContext& context) const {
  if (gate_ == nullptr) return grpc::Status::OK;
  const auto denial = gate_->Check(path, roles_(path), AuthorizationOf(context));
  return denial ? grpc::Status(CodeOf(denial->reason), denial->message) : grpc::Status::OK;
}

}  // namespace twofold::rpc
