#include "cli/queues/frontend.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "cli/local/remote.h"
#include "lib/rpc/channel.h"
#include "lib/security/client.h"

namespace twofold::cli {
namespace {

constexpr const char* kStandard = "localhost:9997";

struct Target {
  std::string address;
  Result<security::Client> security;
};

// Of the local cluster; empty if there is none.
Result<std::string> LocalFrontend(const std::string& dir) {
  const auto remote = local::Remote::Find(local::StateFolder(local::StateFolder::Locate(dir)));
  if (absl::IsPermissionDenied(remote.status())) return remote.status();
  if (!remote.ok()) return "";
  const auto service = remote->Service("scalability-tester-frontend");
  return service.ok() ? service->at("addresses").value("client", "") : "";
}

std::chrono::system_clock::time_point After(Duration timeout) {
  return std::chrono::system_clock::now() +
         std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
}

// A local cluster asks for no token, and whoever has written its folder shall not get ours.
Target TargetOf(const Globals& globals) {
  auto security = security::Client::Open(globals.security);
  if (!globals.frontend.empty()) return {globals.frontend, security};
  const Result<std::string> local = LocalFrontend(globals.dir);
  if (!local.ok()) return {kStandard, local.status()};
  if (local->empty()) return {kStandard, security};
  if (security.ok()) security = security->WithoutToken();
  return {*local, security};
}

}  // namespace

Frontend::Frontend(const Globals& globals) : security_(security::Client()) {
  Target target = TargetOf(globals);
  address_ = std::move(target.address);
  security_ = std::move(target.security);
  if (security_.ok()) dialer_ = std::make_unique<rpc::Dialer>(address_, *security_);
}

void Frontend::Prepare(grpc::ClientContext& context, Duration timeout) const {
  rpc::Authorize(context, *security_);
  if (timeout > Duration::zero()) context.set_deadline(After(timeout));
}

bool Frontend::WaitUntilConnected(Duration timeout) const {
  return dialer_ != nullptr && dialer_->Connected(timeout) != nullptr;
}

Status Frontend::Explain(const grpc::Status& status) const {
  const Status plain = rpc::FromGrpc(status);
  if (plain.code() == absl::StatusCode::kUnavailable) {
    const std::string tls = security::DiagnoseTls(address_, *security_);
    return absl::UnavailableError(absl::StrCat(
        "no frontend answers at ", address_, " (",
        tls.empty() ? "start a cluster with `twofold local up`, or give --frontend HOST:PORT" : tls,
        ")"));
  }
  if (plain.code() == absl::StatusCode::kDeadlineExceeded) {
    return absl::DeadlineExceededError(
        absl::StrCat("the frontend at ", address_, " did not answer in time"));
  }
  return plain;
}

}  // namespace twofold::cli
