#include "lib/rpc/service.h"

#include <absl/strings/str_cat.h>

#include <utility>

namespace twofold::rpc {
namespace {

using security::Gate;
using security::Reason;

absl::StatusCode CodeOf(Reason reason) {
  return reason == Reason::kRole ? absl::StatusCode::kPermissionDenied
                                 : absl::StatusCode::kUnauthenticated;
}

}  // namespace

void Service::Guard(std::shared_ptr<Gate> gate, RolesOf roles) {
  gate_ = std::move(gate);
  roles_ = std::move(roles);
}

void Service::Serve(std::string_view method, Opener open) {
  methods_.emplace(absl::StrCat("/", name_, "/", std::string(method)), std::move(open));
}

Result<std::shared_ptr<ByteStream>> Service::Open(const CallInfo& call) const {
  const auto method = methods_.find(call.path);
  if (method == methods_.end()) return absl::UnimplementedError("there is no such method");
  if (Status status = Check(call); !status.ok()) return status;
  return method->second(call);
}

Status Service::Check(const CallInfo& call) const {
  if (gate_ == nullptr) return absl::OkStatus();
  const std::string* const authorization = h2::Find(call.metadata, "authorization");
  const auto denial = gate_->Check(call.path, roles_(call.path),
                                   authorization == nullptr ? std::string_view() : *authorization);
  return denial ? Status(CodeOf(denial->reason), denial->message) : absl::OkStatus();
}

}  // namespace twofold::rpc
