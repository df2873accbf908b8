#include "cli/commands/frontend.h"

#include <absl/strings/str_cat.h>

#include "cli/local/remote.h"
#include "lib/rpc/channel.h"
#include "lib/security/diagnosis.h"

namespace twofold::cli {
namespace {

constexpr const char* kStandard = "localhost:9997";

// Of the local cluster, if there is one.
std::string LocalFrontend(const std::string& dir) {
  const auto remote = local::Remote::Find(local::StateFolder(local::StateFolder::Locate(dir)));
  if (!remote.ok()) return "";
  const auto service = remote->Service("scalability-tester-frontend");
  return service.ok() ? service->at("addresses").value("client", "") : "";
}

std::chrono::system_clock::time_point After(Duration timeout) {
  return std::chrono::system_clock::now() +
         std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
}

std::string AddressOf(const Globals& globals) {
  if (!globals.frontend.empty()) return globals.frontend;
  const std::string local = LocalFrontend(globals.dir);
  return local.empty() ? kStandard : local;
}

}  // namespace

Frontend::Frontend(const Globals& globals)
    : address_(AddressOf(globals)), security_(security::Client::Open(globals.security)) {
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
