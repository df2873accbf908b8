#include "lib/rpc/service.h"

namespace twofold::rpc {
namespace {

using security::Gate;
using security::Reason;

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

void Service::Guard(std::shared_ptr<Gate> gate, RolesOf roles) {
  gate_ = std::move(gate);
  roles_ = std::move(roles);
}

void Service::Add(const std::string& path, Method::RpcType type,
                  grpc::internal::MethodHandler* handler) {
  AddMethod(new grpc::internal::RpcServiceMethod(path.c_str(), type, nullptr));
  MarkMethodRawCallback(methods_++, handler);
}

grpc::Status Service::Check(const std::string& path,
                            const grpc::CallbackServerContext& context) const {
  if (gate_ == nullptr) return grpc::Status::OK;
  const auto denial = gate_->Check(path, roles_(path), AuthorizationOf(context));
  return denial ? grpc::Status(CodeOf(denial->reason), denial->message) : grpc::Status::OK;
}

}  // namespace twofold::rpc
